#!/usr/bin/env python3
"""firefox_profile.py FILE [SCRIPT EVENT]: checks that all columns of a profile for Firefox Profiler have
the length that it says, and that all indices exist. With SCRIPT, what `dendro script --ns
-F pid,tid,time,period,event` prints: that the threads have these samples of the event. exported_costs.py
reads costs by the functions here."""

import gzip
import json
import re
import sys
from decimal import Decimal

# column: the table that its numbers are indices of; "-1" and null are none
INDICES = {
    "stackTable": {"frame": "frameTable"},
    "frameTable": {"func": "funcTable", "nativeSymbol": "nativeSymbols", "category": "categories"},
    "funcTable": {"name": "stringArray", "resource": "resourceTable", "source": "sources"},
    "resourceTable": {"name": "stringArray", "lib": "libs"},
    "nativeSymbols": {"libIndex": "libs", "name": "stringArray"},
    "sources": {"filename": "stringArray"},
}


def load(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        return json.load(file, parse_float=Decimal)


def check_columns(name, table):
    for column, values in table.items():
        if isinstance(values, list):
            assert len(values) == table["length"], f"{name}.{column}: {len(values)}"


def check_indices(name, values, size):
    for value in values:
        assert value is None or value == -1 or 0 <= value < size, f"{name}: {value} of {size}"


def check_shared(profile):
    shared = profile["shared"]
    sizes = {"stringArray": len(shared["stringArray"]), "libs": len(profile["libs"]),
             "categories": len(profile["meta"]["categories"])}
    sizes.update({name: shared[name]["length"] for name in INDICES})
    for name, columns in INDICES.items():
        check_columns(name, shared[name])
        for column, table in columns.items():
            check_indices(f"{name}.{column}", shared[name][column], sizes[table])
    for stack, offset in enumerate(shared["stackTable"]["prefixOffset"]):
        assert 0 <= offset <= stack, f"stack {stack}: {offset}"
    frames = shared["frameTable"]
    for frame in range(frames["length"]):
        depth, native = frames["inlineDepth"][frame], frames["nativeSymbol"][frame]
        assert 0 <= depth <= frame
        assert frames["nativeSymbol"][frame - depth] == native
        assert frames["address"][frame - depth] == frames["address"][frame]


def check_thread(profile, thread):
    shared, samples, markers = profile["shared"], thread["samples"], thread["markers"]
    schema = {kind["name"]: {field["key"] for field in kind["fields"]}
              for kind in profile["meta"]["markerSchema"]}
    n_stacks = shared["stackTable"]["length"]
    check_columns("samples", samples)
    check_columns("markers", markers)
    check_indices("samples.stack", samples["stack"], n_stacks)
    check_indices("markers.name", markers["name"], len(shared["stringArray"]))
    check_indices("markers.category", markers["category"], len(profile["meta"]["categories"]))
    check_indices("cause", [data["cause"]["stack"] for data in markers["data"] if "cause" in data],
                  n_stacks)
    for times in (samples["time"], markers["startTime"]):
        assert times == sorted(times)
    for data, start, end, phase in zip(markers["data"], markers["startTime"], markers["endTime"],
                                       markers["phase"]):
        assert set(data) - {"type", "cause"} == schema[data["type"]], data
        assert (phase == 0 and end is None) or (phase == 1 and end >= start)


def check(profile):
    check_shared(profile)
    pids = {thread["pid"] for thread in profile["threads"]}
    for thread in profile["threads"]:
        check_thread(profile, thread)
    for counter in profile["counters"]:
        check_columns("counter", counter["samples"])
        assert counter["pid"] in pids
        assert profile["threads"][counter["mainThreadIndex"]]["pid"] == counter["pid"]
        assert counter["samples"]["time"] == sorted(counter["samples"]["time"])


def stack_names(profile, stack):
    """Names of functions, outermost first."""
    shared, names = profile["shared"], []
    while stack is not None:
        function = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
        names.append(shared["stringArray"][shared["funcTable"]["name"][function]])
        offset = shared["stackTable"]["prefixOffset"][stack]
        stack = stack - offset if offset else None
    return names[::-1]


def event_of_samples(profile):
    return profile["meta"]["extra"][0]["entries"][0]["value"]


def weighed_stacks(profile, event):
    """(names, weight) of each sample of the threads' event, or of the markers of another. Weights in
    milliseconds are nanoseconds again."""
    is_marker = event != event_of_samples(profile)
    for thread in profile["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        if not is_marker:
            unit = 1000000 if samples["weightType"] == "tracing-ms" else 1
            for stack, weight in zip(samples["stack"], samples["weight"]):
                yield stack_names(profile, stack), int(weight * unit)
        for name, data in zip(markers["name"], markers["data"]):
            if is_marker and profile["shared"]["stringArray"][name] == event:
                unit = 1000000 if data["type"] in ("dendro-wait", "dendro-time") else 1
                yield stack_names(profile, data.get("cause", {}).get("stack")), \
                    int(data["weight"] * unit)


LINE = re.compile(r"^ *(\d+)/(\d+) +(\d+)\.(\d{9}): +(\d+) +(.*): *$")


def printed_samples(path, event):
    """Sorted (tid, microseconds since the first sample of all, weight)."""
    with open(path, encoding="utf-8") as file:
        found = [match.groups() for match in map(LINE.match, file) if match]
    samples = [(int(tid), int(s) * 10**9 + int(ns), int(weight), name)
               for _, tid, s, ns, weight, name in found]
    start = min(sample[1] for sample in samples)
    return sorted((tid, (time - start) // 1000, weight) for tid, time, weight, name in samples
                  if name == event)


def samples_of(profile):
    return sorted((thread["tid"], int(time * 1000), int(weight * 1000000))
                  for thread in profile["threads"]
                  for time, weight in zip(thread["samples"]["time"], thread["samples"]["weight"]))


def main():
    profile = load(sys.argv[1])
    check(profile)
    if len(sys.argv) > 2:
        printed = printed_samples(*sys.argv[2:])
        assert printed and printed == samples_of(profile)


if __name__ == "__main__":
    main()
