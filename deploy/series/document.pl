#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# document.pl: print a page of the manual, read from stdin, as a page of the kernel's documentation:
# included headers of the kernel are printed, and links to pages that it does not have are removed.
use strict;
use warnings;

my $driver = 'drivers/misc/wheel_timer';

sub content {
	my ($file, %option) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	my @lines = <$in>;
	my ($start, $end) = ($option{'start-at'}, $option{'end-before'});
	shift @lines while @lines && $start && index($lines[0], $start) < 0;
	die "$file: no '$start'\n" if $start && !@lines;
	if ($end) {
		my $n = 1;
		$n++ while $n < @lines && index($lines[$n], $end) < 0;
		splice @lines, $n;
	}
	return join '', map { /^$/ ? $_ : "\t$_" } @lines;
}

my $text = do { local $/; <STDIN> };

$text =~ s{^\.\. literalinclude:: (?:\.\./)+(\S+)\n((?:[ ]+:\S+:.*\n)*)}{
	my ($file, $options) = ($1, $2);
	my %option = $options =~ /:(\S+?): (.*)\n/g;
	"::\n\n" . content($file, %option);
}gem;
$text =~ s{kernel-doc:: (include/\S+)}{kernel-doc:: $1}g;
$text =~ s{kernel-doc:: ((?:engine|core|slots|dev)/|wheel\.)}{kernel-doc:: $driver/$1}g;
$text =~ s{, see :doc:`[^`]+`}{}g;
$text =~ s{:doc:`([^`<]+)`}{the manual's page "$1"}g;
print $text;
