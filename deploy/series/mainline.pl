#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# mainline.pl FILE...: remove from these files of the module, in place, what an external build and
# older kernels need. The definitions of compat.h are replaced by those of the newest kernel.
use strict;
use warnings;

for my $file (@ARGV) {
	open my $in, '<', $file or die "$file: $!\n";
	my $text = do { local $/; <$in> };

	# Kbuild
	$text =~ s/^ifdef KBUILD_EXTMOD\n.*?^endif\n\n?//gms if $file =~ m{/Kbuild$};
	$text =~ s/^(# .*\n)*(ccflags-y := -I\$\(src\)\/include|CFLAGS_main\.o.*)\n//gm;
	$text =~ s/ -I\$\(src\)\/..\/..\/include//;
	$text =~ s/^# In a kernel tree, .*\n//m;

	# main.c and the headers in include/
	$text =~ s/^MODULE_VERSION.*\n//m;
	$text =~ s{"(?:\.\./)*include/(linux/\w+\.h)"}{<$1>}g;

	# compat.h
	my $header = $text =~ /bh_work/ ? "#include <linux/workqueue.h>\n" : '';
	$text =~ s{^#include "(?:\.\./)*compat\.h"\n}{$header}m;
	$text =~ s/struct bh_work\b/struct work_struct/g;
	$text =~ s/\bbh_work_init\(/INIT_WORK(/g;
	$text =~ s/\bbh_work_queue\(/queue_work(system_bh_wq, /g;
	$text =~ s/\bbh_work_cancel_sync\(/cancel_work_sync(/g;

	# Newer helpers
	$text =~ s/\bkzalloc\(sizeof\((\*[^)]+)\), /kzalloc_obj($1, /g;

	open my $out, '>', $file or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
}
