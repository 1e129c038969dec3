#!/usr/bin/env python3
"""exported_costs.py EVENT FUNCTIONS_JSON FORMAT FILE: has an export the costs of the report?

FUNCTIONS_JSON is `dendro report --view functions --format json` of the recording. FORMAT is "top",
what `go tool pprof -top -unit=...` prints of an export, or "folded", an export itself. Compares the
self cost of each name, and the total of each name that only one function has; the boundary to the
kernel is no function there. Prints how many were compared, and exits with 1 if one differs.
"""

import collections
import json
import re
import sys

BOUNDARY = "[kernel]"
TOP = re.compile(r"^\s*(\d+)\D*\s+[\d.]+%\s+[\d.]+%\s+(\d+)\D*\s+[\d.]+%\s+(.*?)"
                 r"(?: \((?:partial-)?inline\))?$")
SUFFIX = re.compile(r"_\[[kij]\]$")


def reported(path, event):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    index = [metric["event"] for metric in report["metrics"]].index(event)
    own, total, count = (collections.Counter() for _ in range(3))
    for row in report["rows"]:
        if row["kind"] == "marker" and row["name"] == BOUNDARY:
            continue
        name = row["name"].replace(";", ":")
        own[name] += row["self"][index]
        total[name] += row["total"][index]
        count[name] += 1
    return own, {name: cost for name, cost in total.items() if count[name] == 1}


def printed_by_pprof(path):
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = TOP.match(line)
            if match:
                own[match.group(3)] += int(match.group(1))
                total[match.group(3)] += int(match.group(2))
    return own, total


def folded(path):
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, cost = line.rstrip("\n").rsplit(" ", 1)
            names = [SUFFIX.sub("", name) for name in stack.split(";")[1:]]
            own[names[-1]] += int(cost)
            for name in set(names):
                total[name] += int(cost)
    return own, total


def main():
    event, functions, form, path = sys.argv[1:]
    own, total = reported(functions, event)
    exported_own, exported_total = printed_by_pprof(path) if form == "top" else folded(path)
    wrong = [f"self of {name}: {exported_own[name]}, reported {own[name]}"
             for name in set(own) | set(exported_own) if own[name] != exported_own[name]]
    wrong += [f"total of {name}: {exported_total[name]}, reported {cost}"
              for name, cost in total.items() if exported_total[name] != cost]
    print(f"{len(own)} names and {len(total)} totals compared, {len(wrong)} differ")
    print("\n".join(sorted(wrong)[:20]))
    return 1 if wrong or not own else 0


if __name__ == "__main__":
    sys.exit(main())
