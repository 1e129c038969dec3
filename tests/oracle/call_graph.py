#!/usr/bin/env python3
"""Computes a call graph from the paths of a recording, and compares a report with it.

    dendro script FILE | call_graph.py REPORT.json

REPORT.json: dendro report --view callgraph --no-inline --format json FILE. The definition is
Spivey's ("Fast, accurate call graph profiling", 2004): a context has for each active function its
most recent activation, with the arc to it and the arc from it; direct recursion is the same
activation. A user function is known by its first address, which the script shows as the difference
of address and offset; the report has names only, so whole entries are compared, each with its arcs. Code
without a name has one in the report that tells where its function starts.
"""
import bisect
import collections
import json
import re
import struct
import sys

FRAME = re.compile(
    r"^\t\s*([0-9a-f]+) (.*) \(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: \[[a-z, ]+\])?$")
OFFSET = re.compile(r"^(.*)\+0x([0-9a-f]+)$")
HEADING = re.compile(r"^.*\s(\d+) \S+:\s*$")
KERNEL = "[kernel.kallsyms]"
MARK = ("[kernel]", "", 0)


def is_kernel(module):
    return module.startswith("[") and module != "[dendro]" and module != "[vdso]"


def load_bias(path):
    """By how much addresses in a file's own terms exceed its offsets, where it has code."""
    try:
        with open(path, "rb") as file:
            ident = file.read(64)
            if ident[:6] != b"\x7fELF\x02\x01":
                return 0
            headers, = struct.unpack_from("<Q", ident, 32)
            size, count = struct.unpack_from("<HH", ident, 54)
            file.seek(headers)
            table = file.read(size * count)
    except OSError:
        return 0
    for at in range(0, len(table), size):
        kind, flags, offset, address = struct.unpack_from("<IIQQ", table, at)
        if kind == 1 and flags & 1:  # PT_LOAD, PF_X
            return address - offset
    return 0


class Unnamed:
    """The functions without names, by module, as the report names them: by the address in the
    file's own terms at which they start. Scripts have offsets in the file, as perf's."""

    def __init__(self, report):
        self.starts = collections.defaultdict(list)
        self.biases = {}
        for row in report["rows"]:
            start = re.match(r"^.*\+0x([0-9a-f]+)$", row["name"])
            if start:
                self.starts[row["module"]].append(int(start[1], 16))
        for starts in self.starts.values():
            starts.sort()

    def function(self, path, module, offset):
        if path not in self.biases:
            self.biases[path] = load_bias(path)
        address = offset + self.biases[path]
        starts = self.starts[module]
        index = bisect.bisect_right(starts, address)
        start = starts[index - 1] if index else address
        return f"{module}+0x{start:x}", module, start


def read_frame(line, unnamed):
    """(name, module, start), and whether it is the kernel's."""
    address, text, module = FRAME.match(line).groups()
    if module == "[dendro]":
        return (text, "", 0), False
    if module == "[unknown]":
        return (f"0x{address}", "", 0), False
    shown = module.rsplit("/", 1)[-1]
    if is_kernel(module):
        shown = "[kernel]" if module == KERNEL else module.strip("[]")
    offset = OFFSET.match(text)
    if not offset:
        return unnamed.function(module, shown, int(address, 16)), is_kernel(module)
    start = 0 if is_kernel(module) else int(address, 16) - int(offset[2], 16)
    return (offset[1], shown, start), is_kernel(module)


def read_paths(lines, unnamed):
    """(weight, functions from the outermost on) of each sample."""
    weight, frames = None, []
    for line in lines:
        line = line.rstrip("\n")
        if line.startswith("\t"):
            frames.append(read_frame(line, unnamed))
        elif not line and weight is not None:
            yield weight, with_mark(frames[::-1])
            weight, frames = None, []
        elif line:
            weight = int(HEADING.match(line)[1])


def with_mark(frames):
    """The report has a mark between user and kernel functions."""
    path, was_user = [], False
    for function, in_kernel in frames:
        if in_kernel and was_user:
            path.append(MARK)
        was_user = not in_kernel
        path.append(function)
    return path


def add(costs, weight, is_self):
    costs[0] += weight if is_self else 0
    costs[1] += weight


def contexts(path):
    """(function, the one that called it or None, the one that it called or None)."""
    calls = [function for i, function in enumerate(path) if not i or path[i - 1] != function]
    last = {function: i for i, function in enumerate(calls)}
    for function, i in last.items():
        yield function, calls[i - 1] if i else None, calls[i + 1] if i + 1 < len(calls) else None


def compute(paths):
    graph = collections.defaultdict(lambda: [0, 0])
    arcs = collections.defaultdict(lambda: [0, 0])
    for weight, path in paths:
        for function, caller, callee in contexts(path):
            running = path[-1]
            add(graph[function], weight, function == running)
            add(arcs[function, "caller", caller], weight, function == running)
            if callee:
                add(arcs[function, "callee", callee], weight, callee == running)
    of_function = collections.defaultdict(list)
    for (function, kind, other), costs in arcs.items():
        of_function[function].append((kind, *(other[:2] if other else ("", "")), *costs))
    return [(*function[:2], *costs, tuple(sorted(of_function[function])))
            for function, costs in graph.items()]


def read_report(report):
    rows = report["rows"]
    for row in rows:
        arcs = []
        for kind, key in (("caller", "callers"), ("callee", "callees")):
            for arc in row[key]:
                other = rows[arc["row"]] if arc["row"] is not None else {"name": "", "module": ""}
                arcs.append((kind, other["name"], other["module"], arc["self"][0],
                             arc["total"][0]))
        if row["kind"] != "process":
            yield (row["name"], row["module"], row["self"][0], row["total"][0],
                   tuple(sorted(arcs)))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    got = collections.Counter(read_report(report))
    expected = collections.Counter(compute(read_paths(sys.stdin, Unnamed(report))))
    for entry in expected - got:
        print("missing:", *entry)
    for entry in got - expected:
        print("not expected:", *entry)
    print(f"{sum(expected.values())} functions, {sum(len(entry[4]) for entry in expected)} arcs")
    sys.exit(got != expected)


main()
