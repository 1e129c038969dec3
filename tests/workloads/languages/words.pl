#!/usr/bin/perl
# Regular expressions, hashes and sorting in perl.
use strict;
use warnings;

my $seconds = $ARGV[0] || 2;
my ($seed, $sum) = (1, 0);
while ((times)[0] + (times)[1] < $seconds) { # of CPU time
	my %count;
	for my $i (1 .. 5000) {
		$seed = ($seed * 1664525 + 1013904223) % 4294967296;
		my $word = sprintf "%x.%d", $seed, $i % 97;
		$count{$1}++ if $word =~ /^([0-9a-f]+?)[bcd].*\.(?:\d|1\d)$/;
	}
	$sum += $count{$_} for sort { length $a <=> length $b or $a cmp $b } keys %count;
}
print "$sum\n";
