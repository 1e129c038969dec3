#!/usr/bin/env python3
"""gcc_profile.py FILE: prints a profile for gcc -fauto-profile as the text of one for clang.

Totals are those that gcc computes: of a function's lines and of what is inlined into it.
"""

import struct
import sys


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values[0] if len(values) == 1 else values

    def section(self, tag):
        found, length = self.take("II")
        assert found == tag, hex(found)
        return self.at + length


def read_function(file, names):
    name, n_lines, n_inlined = file.take("III")
    function = {"name": names[name], "lines": [], "inlined": []}
    for _ in range(n_lines):
        place, n_calls, count = file.take("IIQ")
        calls = []
        for _ in range(n_calls):
            kind, callee, times = file.take("IQQ")
            assert kind == 3
            calls.append(f" {names[callee]}:{times}")
        function["lines"].append((place, count, calls))
    for _ in range(n_inlined):
        place = file.take("I")
        function["inlined"].append((place, read_function(file, names)))
    function["total"] = sum(line[1] for line in function["lines"]) + sum(f["total"] for _, f in function["inlined"])
    return function


def show(function, depth):
    for place, count, calls in function["lines"]:
        assert not place & 0xFFFF
        print(" " * depth + f"{place >> 16}: {count}" + "".join(calls))
    for place, inlined in function["inlined"]:
        print(" " * depth + f"{place >> 16}: {inlined['name']}:{inlined['total']}")
        show(inlined, depth + 1)


def main():
    with open(sys.argv[1], "rb") as profile:
        file = Reader(profile.read())
    assert file.take("4sII") == (b"adcg", 2, 0)
    end, names = file.section(0xAA000000), []
    for _ in range(file.take("I")):
        size = file.take("I")
        text = file.take(f"{size}s")
        assert text.endswith(b"\0")
        names.append(text[:-1].decode())
    assert file.at == end and names[0] == "" and len(set(names)) == len(names)
    end = file.section(0xAC000000)
    for _ in range(file.take("I")):
        head = file.take("Q")
        function = read_function(file, names)
        print(f"{function['name']}:{function['total']}:{head}")
        show(function, 1)
    assert file.at == end
    assert file.section(0xAE000000) == len(file.data) and file.take("I") == 0


if __name__ == "__main__":
    main()
