#!/usr/bin/env python3
"""exported_costs.py EVENT FUNCTIONS_JSON FORMAT FILE: has an export the costs of the report?

FUNCTIONS_JSON is `dendro report --view functions --format json` of the recording. FORMAT is "top",
what `go tool pprof -top -unit=...` prints of an export, "seen-speedscope", what speedscope shows of
one (tests/cli/clients/see_speedscope.mjs), "folded", "speedscope", "firefox" or "chrome", an export itself, "seen-firefox", what profiler-cli prints of one for
each thread, "seen-kcachegrind", what KCachegrind shows of one (tests/cli/clients/see_kcachegrind), or
"callgrind": FILE.self and FILE.total are what callgrind_annotate prints of one. Compares the
self cost of each name, and the total of each name that only one function has, of all functions or,
where a client shows only some, of ten at least; the boundary to the kernel is no function there.
Prints how many were compared, and exits with 1 if one differs.
"""

import collections
import decimal
import json
import re
import sys

import firefox_profile

BOUNDARY = "[kernel]"
TOP = re.compile(r"^\s*(\d+)\D*\s+[\d.]+%\s+[\d.]+%\s+(\d+)\D*\s+[\d.]+%\s+(.*?)"
                 r"(?: \((?:partial-)?inline\))?$")
ARGUMENTS = re.compile(r"<[^<>]*>")  # of templates: go tool pprof leaves them out of names
SUFFIX = re.compile(r"_\[[kij]\]$")


ESCAPED = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|[^ -~]")


def as_text(name):
    """Exports have visible escapes for characters that the report's JSON has."""
    return ESCAPED.sub("?", name)


def reported(path, event, form):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    index = [metric["event"] for metric in report["metrics"]].index(event)
    own, total, count = (collections.Counter() for _ in range(3))
    for row in report["rows"]:
        if row["kind"] == "marker" and row["name"] == BOUNDARY:
            continue
        name = row["name"].replace(";", ":") if form == "folded" else row["name"]
        name = ARGUMENTS.sub("", name) if form == "top" else name
        name = as_text(name)
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
                own[as_text(match.group(3))] += int(match.group(1))
                total[as_text(match.group(3))] += int(match.group(2))
    return own, total


def folded(path):
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, cost = line.rstrip("\n").rsplit(" ", 1)
            names = [as_text(SUFFIX.sub("", name)) for name in stack.split(";")[1:]]
            own[names[-1]] += int(cost)
            for name in set(names):
                total[name] += int(cost)
    return own, total


def add_stack(own, total, names, cost):
    if names:
        own[names[-1]] += cost
    for name in set(names):
        total[name] += cost


def speedscope(path, event):
    """The profile of all processes, whose frames come first in each stack."""
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    names = [as_text(frame["name"]) for frame in content["shared"]["frames"]]
    profile, = [profile for profile in content["profiles"] if profile["name"] == event]
    for stack, cost in zip(profile["samples"], profile["weights"]):
        add_stack(own, total, [names[index] for index in stack[1:]], cost)
    return own, total


# "  1,234  file:function [object]", without objects of processes
PRINTED = re.compile(r"^\s*(\d[\d,]*)  [^:]*:(.*?)(?: \[(?!\[processes\]\])(?:\S*|\[\S*\])\])?$")
LEVEL = re.compile(r"'\d+$")


def printed_functions(path):
    """(function, cost) as callgrind_annotate prints them."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = PRINTED.match(line.rstrip("\n"))
            if match and not line.endswith(" [[processes]]\n"):
                yield as_text(match.group(2)), int(match.group(1).replace(",", ""))


def callgrind(path):
    """Levels of recursion have self costs; the first has the total. What a function has in several files
    is printed for each of them; the total is that of its own."""
    own, total = collections.Counter(), collections.Counter()
    for name, cost in printed_functions(path + ".self"):
        own[LEVEL.sub("", name)] += cost
    for name, cost in printed_functions(path + ".total"):
        if not LEVEL.search(name):
            total[name] = max(total[name], cost)
    return own, total


def seen_kcachegrind(path):
    """As callgrind_annotate prints them. Processes are functions of [processes]."""
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        for name, location, inclusive, self in json.load(file):
            if location.startswith("[processes]"):
                continue
            name = as_text(name)
            own[LEVEL.sub("", name)] += self
            if not LEVEL.search(name):
                total[name] = max(total[name], inclusive)
    return own, total


def firefox(path, event):
    own, total = collections.Counter(), collections.Counter()
    for names, cost in firefox_profile.weighed_stacks(firefox_profile.load(path), event):
        add_stack(own, total, [as_text(name) for name in names], cost)
    return own, total


def seen_firefox(path):
    """`thread functions --json` of each thread, in milliseconds with fractions, one after the other."""
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        for thread in json.load(file):
            for function in thread["functions"]:
                name = as_text(function["name"])
                own[name] += round(function["selfSamples"] * 1000000)
                total[name] += round(function["totalSamples"] * 1000000)
    return own, total


def chrome(path, event):
    """Functions that begin and end on the tracks of the event; a function within itself counts once.
    Fails where the one that ends is not the innermost, or time goes back."""
    own, total, stacks, tracks = collections.Counter(), collections.Counter(), {}, {}
    with open(path, encoding="utf-8") as file:
        content = json.load(file, parse_float=decimal.Decimal)
    is_first = content["otherData"]["event"] == event
    for entry in content["traceEvents"]:
        key = entry["pid"], entry["tid"]
        if entry["name"] == "thread_name":
            tracks[key] = is_first if entry["tid"] < 1 << 22 else \
                entry["args"]["name"].endswith(" " + event)
        if entry["ph"] not in "BE" or not tracks[key]:
            continue
        names, last = stacks.setdefault(key, ([], [0]))
        assert entry["ts"] >= last[0], entry
        add_stack(own, total, names, int((entry["ts"] - last[0]) * 1000))
        last[0] = entry["ts"]
        if entry["ph"] == "B":
            names.append(as_text(entry["name"]))
        else:
            assert names.pop() == as_text(entry["name"]), entry
    assert not any(names for names, _ in stacks.values())
    return own, total


def as_speedscope_shows(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("\u00b5s", 1e3)):
        if ns / size >= 1:
            return f"{ns / size:.2f}{unit}"
    return f"{ns:.2f}ns"


def compare_seen(own, total, path):
    """Names that speedscope shows once; costs as it rounds them. It lists processes, too."""
    with open(path, encoding="utf-8") as file:
        rows = [[as_text(row[0]), *row[1:]] for row in json.load(file)["rows"] if "(" in row[1]]
    count = collections.Counter(row[0] for row in rows)
    seen = {row[0]: [row[1].split(" ")[0], row[2].split(" ")[0]] for row in rows
            if count[row[0]] == 1}
    compared = [name for name in seen if name in total]
    wrong = [f"{name}: {seen[name]}, reported {total[name]} and {own[name]}" for name in compared
             if seen[name] != [as_speedscope_shows(total[name]), as_speedscope_shows(own[name])]]
    return compared, wrong


def compare(own, total, exported_own, exported_total):
    wrong = [f"self of {name}: {exported_own[name]}, reported {own[name]}"
             for name in set(own) | set(exported_own) if own[name] != exported_own[name]]
    wrong += [f"total of {name}: {exported_total[name]}, reported {cost}"
              for name, cost in total.items() if exported_total[name] != cost]
    return wrong


def main():
    event, functions, form, path = sys.argv[1:]
    own, total = reported(functions, event, form)
    if form == "seen-speedscope":
        compared, wrong = compare_seen(own, total, path)
        if len(compared) < 10:
            wrong.append(f"only {len(compared)} names are shown")
    else:
        read = {"top": printed_by_pprof, "folded": folded,
                "speedscope": lambda path: speedscope(path, event),
                "firefox": lambda path: firefox(path, event), "seen-firefox": seen_firefox,
                "chrome": lambda path: chrome(path, event), "callgrind": callgrind,
                "seen-kcachegrind": seen_kcachegrind}[form]
        compared, wrong = total, compare(own, total, *read(path))
    print(f"{len(own)} names, {len(compared)} totals compared, {len(wrong)} differ")
    print("\n".join(sorted(wrong)[:20]))
    return 1 if wrong or not own else 0


if __name__ == "__main__":
    sys.exit(main())
