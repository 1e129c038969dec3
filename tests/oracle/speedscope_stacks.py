#!/usr/bin/env python3
"""speedscope_stacks.py < FILE: what a file for speedscope says, however its frames and stacks are
ordered: a line of JSON for each profile, event and distinct stack, with its weight. Fails where an
index is wrong."""

import collections
import json
import sys

file = json.load(sys.stdin)
frames = [(frame["name"], frame.get("file"), frame.get("line")) for frame in file["shared"]["frames"]]
lines = []
for profile in file["profiles"]:
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"]
    stacks = collections.Counter()
    for stack, weight in zip(profile["samples"], profile["weights"]):
        assert all(index >= 0 for index in stack)
        stacks[json.dumps([frames[index] for index in stack])] += weight
    lines += [json.dumps([profile["name"], stack, weight]) for stack, weight in stacks.items()]
print("\n".join(sorted(lines)))
