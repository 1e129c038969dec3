#!/usr/bin/env python3
"""alternation.py MAP NAME NAME < output of dendro script

Two functions, made at run time, call each other and never themselves. MAP (perf-PID.map) says where
they are; Java's are known by their names. Prints how many samples in one of them have which caller

  right     the other one
  else      another function (the one that began it)
  none      the path ends there
  wrong     itself

and the same of the frames between. A caller that was left out shows as wrong."""

import bisect
import collections
import re
import sys


class Map:
    """Addresses of functions; if several share one, the last one written counts."""

    def __init__(self, path, names):
        self.spans = []
        self.names = names
        with open(path, encoding="utf-8", errors="replace") as file:
            for order, line in enumerate(file):
                start, size, name = line.rstrip("\n").split(" ", 2)
                which = [n for n in names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", name)]
                self.spans.append((int(start, 16), int(size, 16), order, which[0] if which else ""))
        self.spans.sort()
        self.starts = [span[0] for span in self.spans]
        self.longest = max((span[1] for span in self.spans), default=0)

    def name(self, text):
        """Of a frame that dendro has named itself."""
        which = [n for n in self.names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text)]
        return which[0] if which else ""

    def find(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        found = []
        while at >= 0 and address - self.starts[at] <= self.longest:
            if address < self.starts[at] + self.spans[at][1]:
                found.append(self.spans[at][2:])
            at -= 1
        return max(found)[1] if found else ""


def samples(lines):
    frames = []
    for line in lines:
        if line.startswith("\t"):
            address, text = line.strip().split(" ", 1)
            frames.append((int(address, 16), text))
        elif not line.strip():
            if frames:
                yield frames
            frames = []
    if frames:
        yield frames


def is_marker(text):
    return text.endswith("([dendro])")


def kind_of(which, caller, text):
    if caller == which:
        return "wrong"
    if caller:
        return "right"
    return "none" if is_marker(text) else "else"


def main():
    functions = Map(sys.argv[1], sys.argv[2:4])
    leaves, inner = collections.Counter(), collections.Counter()
    for frames in samples(sys.stdin):
        frames = [frame for frame in frames if "[kernel" not in frame[1]]
        names = [functions.find(address) if "//anon" in text else
                 functions.name(text) if "([java])" in text else "" for address, text in frames]
        for at, name in enumerate(names[:-1]):
            if name:
                kinds = inner if at else leaves
                kinds[kind_of(name, names[at + 1], frames[at + 1][1])] += 1
    for title, kinds in ("leaves", leaves), ("inner", inner):
        print(title, *(f"{kind} {kinds[kind]}" for kind in ("right", "else", "none", "wrong")))


if __name__ == "__main__":
    main()
