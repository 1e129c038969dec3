#!/usr/bin/env python3
"""name_stripped.py MODULE SYMBOLS < TREE: puts the names of an unstripped twin's nm output where a
stripped program's frames read MODULE+0xOFFSET."""

import bisect
import json
import re
import sys


def read_symbols(path):
    symbols = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = line.split()
            if len(fields) == 3 and fields[1] in "tTwW":
                symbols.append((int(fields[0], 16), fields[2]))
    return sorted(symbols)


def rename(frame, module, symbols):
    match = re.fullmatch(re.escape(module) + r"\+0x([0-9a-f]+)", frame["name"])
    if match:
        index = bisect.bisect_right(symbols, (int(match.group(1), 16), "\x7f")) - 1
        if index >= 0:
            frame["name"] = symbols[index][1]


def main():
    document = json.load(sys.stdin)
    symbols = read_symbols(sys.argv[2])
    for frame in document["frames"]:
        rename(frame, sys.argv[1], symbols)
    json.dump(document, sys.stdout)


if __name__ == "__main__":
    main()
