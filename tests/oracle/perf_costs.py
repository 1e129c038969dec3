#!/usr/bin/env python3
"""perf_costs.py EVENT FUNCTIONS_JSON FILE [KIND]: has an exported recording the costs of the report?

FUNCTIONS_JSON is `dendro report --view functions --format json --no-inline` of the recording, FILE
what `perf script -F event,period,ip,sym --no-inline` prints of the export. Compares the whole, and
self and total of each name, without underscores before it: of two files that have __munmap and
munmap, the other program may choose the same name in both. perf chooses other names than dendro
where an address has several, so names are compared that both have, which must be three of four of
those with costs; code without a name, FILE+0xOFFSET, has none in perf, either. Prints how many were
compared, and exits with 1 if one differs. KIND: of functions of this kind alone; those that are
compared must then have nine tenths of their own cost, because few have names of the C library.
"""

import collections
import json
import re
import sys

BOUNDARY = "[kernel]"  # between user and kernel, which perf shows by the kind of a function


def reported(path, event, kind):
    own, total, count = (collections.Counter() for _ in range(3))
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    index = [metric["event"] for metric in report["metrics"]].index(event)
    for row in report["rows"]:
        if row["kind"] == "marker" and row["name"] == BOUNDARY:
            continue
        name = row["name"].lstrip("_")
        own[name] += row["self"][index]
        if kind and row["kind"] != kind:
            count[name] += 2
        total[name] += row["total"][index]
        count[name] += 1
    return own, {name: cost for name, cost in total.items()
                 if cost and count[name] == 1 and not re.search(r"\+0x[0-9a-f]+$", name)}


def printed(path, event):
    """Samples are paragraphs: PERIOD EVENT:, then frames, innermost first."""
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        samples = file.read().split("\n\n")
    for sample in samples:
        head, _, frames = sample.strip("\n").partition("\n")
        words = head.split(None, 1)
        if len(words) < 2 or words[1].strip().rstrip(":") != event:
            continue
        names = [line.strip().partition(" ")[2].lstrip("_") for line in frames.splitlines()]
        own[names[0] if names else ""] += int(words[0])
        for name in set(names):
            total[name] += int(words[0])
    return own, total


def main():
    event, functions, path = sys.argv[1:4]
    own, total = reported(functions, event, "".join(sys.argv[4:]))
    printed_own, printed_total = printed(path, event)
    names = [name for name in total if name in printed_total]
    wrong = [f"{name}: self {printed_own[name]}, total {printed_total[name]}, "
             f"reported {own[name]} and {total[name]}" for name in names
             if (printed_own[name], printed_total[name]) != (own[name], total[name])]
    if sum(own.values()) != sum(printed_own.values()):
        wrong.append(f"the whole: {sum(printed_own.values())}, reported {sum(own.values())}")
    print(f"{len(names)} of {len(total)} names compared, {len(wrong)} differ")
    print("\n".join(sorted(wrong)[:20]))
    if len(sys.argv) > 4:
        few = 10 * sum(own[name] for name in names) < 9 * sum(own[name] for name in total)
    else:
        few = 4 * len(names) < 3 * len(total)
    return 1 if wrong or few else 0


if __name__ == "__main__":
    sys.exit(main())
