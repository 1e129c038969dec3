#!/usr/bin/env python3
"""true_callers.py [--recursion FUNCTION=N] [--except FUNCTION] LEAF=CALLER...
                                                                      < output of dendro script

What a program calls below tells who must be above: each sample with LEAF on its path has to have
CALLER there, and no other leaf's. Prints how many samples are

  right       complete, CALLER once, FUNCTION N times
  wrong       with another CALLER, or complete and not right
  cut         ended because the stack is deeper than its recorded part
  unfinished  ended for another reason
  others      without any LEAF, or with FUNCTION of --except, which calls one without a CALLER"""

import argparse
import collections
import sys


def pair(text):
    return tuple(text.split("=", 1))


def samples(lines):
    """Each sample's functions, leaf first, and why it has no more of them (None: it is complete)."""
    names, end = [], None
    for line in lines:
        if line.startswith("\t"):
            fields = line.split()
            if fields[-1] == "([dendro])":
                end = " ".join(fields[1:-1])
            else:
                names.append(fields[1].split("+")[0])
        elif not line.strip():
            if names or end:
                yield names, end
            names, end = [], None


def judge(names, end, callers, recursion, exceptions):
    leaves = [name for name in names if name in callers]
    if not leaves or any(name in exceptions for name in names):
        return "others"
    caller = callers[leaves[0]]
    found = [name for name in names if name in callers.values()]
    if any(name != caller for name in found):
        return "wrong"
    if end is not None:
        return "cut" if "deeper than" in end else "unfinished"
    is_right = len(found) == 1 and all(names.count(name) == int(n) for name, n in recursion)
    return "right" if is_right else "wrong"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recursion", type=pair, action="append", default=[])
    parser.add_argument("--except", dest="exceptions", action="append", default=[])
    parser.add_argument("callers", type=pair, nargs="+")
    arguments = parser.parse_args()
    counts = collections.Counter(
        judge(names, end, dict(arguments.callers), arguments.recursion,
              arguments.exceptions)
        for names, end in samples(sys.stdin))
    print(" ".join(f"{kind} {counts[kind]}"
                   for kind in ("right", "wrong", "cut", "unfinished", "others")))


if __name__ == "__main__":
    main()
