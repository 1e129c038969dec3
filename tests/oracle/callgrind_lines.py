#!/usr/bin/env python3
"""callgrind_lines.py FILE EVENT [--calls]: the self costs of an event in a profile of Callgrind by file
and line, sorted; lines of a file that is not known (???) or without cost are left out. With --calls also
what each function called at a line, with its cost. Knows the names that are compressed, and fails where
one is not known. What is called without an object or a file has its caller's."""

import collections
import re
import sys

NAME = re.compile(r"^(c?)(ob|fl|fi|fe|fn)=\((\d+)\)(?: (.+))?$")


def read(path, event):
    """(file, line, function that is called there or None) -> cost"""
    names, now, costs = {}, {}, collections.Counter()
    index, called = None, None
    with open(path, encoding="utf-8") as file:
        for line in map(lambda text: text.rstrip("\n"), file):
            match = NAME.match(line)
            if match:
                caller, key, number, name = match.groups()
                table = "fl" if key in ("fi", "fe") else key
                if name is not None:
                    assert (table, number) not in names, line
                    names[table, number] = name
                now[caller + table] = names[table, number]
            elif line.startswith("events:"):
                index = line.split()[1:].index(event)
            elif line.startswith("calls="):
                place = [now.pop("cob", now["ob"]), now.pop("cfl", now["fl"])]
                called = " ".join([now["fn"], "calls", *place, now["cfn"]])
            elif line[:1].isdigit():
                at, *numbers = line.split()
                costs[now["fl"], int(at), called] += int(numbers[index])
                called = None
    return costs


def main():
    path, event, *options = sys.argv[1:]
    lines = [f"{file}\t{line}\t{cost}" + (f"\t{called}" if called else "")
             for (file, line, called), cost in read(path, event).items()
             if cost and (options or not called and file != "???")]
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
