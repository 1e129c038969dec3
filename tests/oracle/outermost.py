#!/usr/bin/env python3
"""outermost.py [--at-least PCT [--with-memory]] TREE: where the user paths of a report in JSON begin.

Prints the histogram of outermost frames. A path is complete if no marker stands first; kernel
threads and idle have no user part and count as complete. Exit status 1 below PCT complete.
--with-memory: only samples that the kernel gave user memory for count, and one of them may always
be incomplete, however few they are.
"""

import argparse
import collections
import json
import sys

CONTAINERS = {"root", "process", "thread"}
WITHOUT_MEMORY = {
    "[registers from before exec]",
    "[process was exiting]",
    "[no user stack recorded]",
}


def outermost(document, counts):
    """Adds (kind, name) -> weight of each path's first frame below its process or thread."""
    frames = document["frames"]
    kinds = []  # by node
    for parent, index, own, total, *_ in document["nodes"]:
        frame = frames[index]
        kinds.append(frame["kind"])
        if frame["kind"] in CONTAINERS:
            if own[0]:
                counts[("none", "no frames at all")] += own[0]
        elif kinds[parent] in CONTAINERS:
            counts[(frame["kind"], frame["name"])] += total[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-least", type=float, default=0)
    parser.add_argument("--with-memory", action="store_true")
    parser.add_argument("tree")
    arguments = parser.parse_args()
    with open(arguments.tree, encoding="utf-8") as file:
        document = json.load(file)

    counts = collections.Counter()
    outermost(document, counts)
    if arguments.with_memory:
        for key in [key for key in counts if key[1] in WITHOUT_MEMORY]:
            del counts[key]
    weight = sum(counts.values())
    complete = sum(count for (kind, _), count in counts.items() if kind in ("user", "kernel"))
    percent = 100 * complete / weight if weight else 0
    print(f"{arguments.tree}: {percent:.2f} % of {document['metrics'][0]['samples']} samples "
          "end at the root; outermost frames:")
    for (kind, name), count in counts.most_common(12):
        print(f"    {100 * count / weight:7.2f} %  {kind:7} {name}")
    one = document["metrics"][0]["total"] / max(document["metrics"][0]["samples"], 1)
    if arguments.with_memory and weight - complete < 1.5 * one:
        return 0 if weight else 1
    return 0 if weight and percent >= arguments.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
