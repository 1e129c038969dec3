#!/usr/bin/env python3
"""functions_on_paths.py MODULE SYMBOLS < SCRIPT: how many samples of `dendro script` have each function
of an unstripped twin's nm output on their path, by the offsets of a stripped program's frames; and how many
samples there are."""

import bisect
import collections
import re
import sys


def read_symbols(path):
    with open(path, encoding="utf-8") as file:
        fields = (line.split() for line in file)
        return sorted((int(f[0], 16), f[2]) for f in fields if len(f) == 3 and f[1] in "tTwW")


def main():
    frame = re.compile(r"\s+([0-9a-f]+) \S+ \(\S*/" + re.escape(sys.argv[1]) + r"\)")
    symbols = read_symbols(sys.argv[2])
    counts = collections.Counter()
    for sample in sys.stdin.read().split("\n\n"):
        names = set()
        for line in sample.splitlines():
            match = frame.match(line)
            index = bisect.bisect_right(symbols, (int(match.group(1), 16), "\x7f")) if match else 0
            if index:
                names.add(symbols[index - 1][1])
        counts.update(names)
        counts["samples"] += bool(names)
    for name, count in sorted(counts.items()):
        print(name, count)


if __name__ == "__main__":
    main()
