#!/usr/bin/env python3
"""profgen.py OURS THEIRS: whether two sample profiles for clang, in text, have the same functions, heads, counts
of lines and called functions. Theirs is llvm-profgen's, which has lines without counts, gives code without a
line (0) the distance of line 0 from the function's first one, and sums totals by instruction."""

import re
import sys


def read(path):
    """{((function, (place, inlined) ...), place): (count, calls)} and {function: head}."""
    lines, heads, stack = {}, {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            depth = len(line) - len(line.lstrip(" "))
            words = line.split()
            if not depth:
                name, _, head = words[0].rsplit(":", 2)
                heads[name], stack = int(head), [name]
                continue
            del stack[depth:]
            place = words[0].rstrip(":")
            if not re.fullmatch(r"\d+", words[1]):
                stack.append((place, words[1].rsplit(":", 1)[0]))
                continue
            calls = tuple(sorted(words[2:]))
            if (int(words[1]) or calls) and int(place.split(".")[0]) < 32768:
                lines[tuple(stack), place] = int(words[1]), calls
    return lines, heads


def main():
    (ours, our_heads), (theirs, their_heads) = read(sys.argv[1]), read(sys.argv[2])
    differences = [f"{key}: {ours.get(key)}, theirs {theirs.get(key)}"
                   for key in sorted(set(ours) | set(theirs), key=str) if ours.get(key) != theirs.get(key)]
    differences += [f"head of {name}: {our_heads.get(name)}, theirs {their_heads.get(name)}"
                    for name in sorted(set(our_heads) | set(their_heads))
                    if our_heads.get(name) != their_heads.get(name)]
    print(f"{len(ours)} lines, {len(our_heads)} functions, {len(differences)} differences", *differences, sep="\n")
    return 1 if differences or not ours else 0


sys.exit(main())
