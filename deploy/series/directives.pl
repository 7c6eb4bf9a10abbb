#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# directives.pl: print a page of the manual, read from stdin, with directives of the kernel's
# documentation instead of its generated parts, and :doc: instead of its links.
use strict;
use warnings;
use Text::ParseWords;

my $text = do { local $/; <STDIN> };

sub directive {
	my ($kind, $file, @rest) = shellwords(shift);

	if ($kind eq 'lines') {
		my ($start, $end) = @rest;
		return ".. literalinclude:: ../../$file\n   :start-at: $start\n   :end-before: $end\n";
	}
	die "no directive for the part '$kind'\n" if $kind ne 'document';
	return ".. kernel-doc:: $file\n" . (
		!@rest ? '' :
		$rest[0] eq 'export' ? "   :export:\n" :
		$rest[0] =~ /^wheel|^from_/ ? "   :identifiers: @rest\n" : "   :doc: @rest\n");
}

sub page {
	my $page = shift;

	return $page =~ m{^\.\./(.*)} ? "/$1" : "/reference/$page";
}

$text =~ s{^\.\. generated: (.*)\n(?:.*\n)*?\.\. end\n}{directive($1)}gem;
$text =~ s{^\.\. _\w+:\n\n}{}gm;
$text =~ s{`[^`<]+<([^`>:]+)\.rst>`__}{':doc:`' . page($1) . '`'}ge;
print $text;
