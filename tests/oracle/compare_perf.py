#!/usr/bin/env python3
"""compare_perf.py PERF_SCRIPT DENDRO_SCRIPT: do two tools walk the same user stacks?

Both files are outputs of `script` for one recording. Samples are paired by thread and time, user
frames compared by address. Prints each kind of difference with its count and one example;
--at-least PCT asserts the share of the samples that agree.

Kinds, by the first frame that differs, counted from the leaf:
  same             all user frames agree
  perf stops       perf's frames are the beginning of dendro's
  dendro stops     dendro's frames are the beginning of perf's
  no user frames   only one of the two has any
  other path       the walks part at a frame
  missing          only one of the two prints the sample
"""

import argparse
import collections
import re
import sys

HEADER = re.compile(r"^(.*?)\s+(-?\d+)(?:/(-?\d+))?\s+(?:\[\d+\]\s+)?(\d+\.\d+):")
FRAME = re.compile(r"^\s+([0-9a-f]+)\s+(.*)$")
KERNEL_START = 0xFFFF000000000000
# perf prints this for a frame without a name, which it adds at the end of a walk.
NO_FRAME = {0, 0xFFFFFFFFFFFFFFFF}


def read_samples(path):
    """Yields ((tid, time), [(address, text)...]) of user frames, leaf first, in file order."""
    key, frames = None, []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            line = line.rstrip("\n")
            match = FRAME.match(line) if key else None
            if not line:
                if key:
                    yield key, frames
                key, frames = None, []
            elif match:
                address = int(match.group(1), 16)
                if address < KERNEL_START and address not in NO_FRAME:
                    frames.append((address, match.group(2)))
            else:
                match = HEADER.match(line)
                if match:
                    if key:
                        yield key, frames
                    key, frames = (match.group(3) or match.group(2), match.group(4)), []
    if key:
        yield key, frames


def by_key(path):
    samples = collections.defaultdict(list)
    for key, frames in read_samples(path):
        samples[key].append(frames)
    return samples


def differs_at(perf, dendro):
    """Index of the first frame that differs. Return addresses may have been stepped back by one."""
    for i, (a, b) in enumerate(zip(perf, dendro)):
        if abs(a[0] - b[0]) > (1 if i else 0):
            return i
    return min(len(perf), len(dendro))


def classify(perf, dendro):
    at = differs_at(perf, dendro)
    if at == len(perf) == len(dendro):
        return "same", at
    if not perf or not dendro:
        return "no user frames", 0
    if at == len(perf):
        return "perf stops", at
    if at == len(dendro):
        return "dendro stops", at
    return "other path", at


def compare(perf_samples, dendro_samples):
    """kind -> count, and kind -> where -> [count, example]"""
    kinds = collections.Counter()
    places = collections.defaultdict(dict)
    for key in sorted(set(perf_samples) | set(dendro_samples)):
        ours, theirs = dendro_samples.get(key, []), perf_samples.get(key, [])
        kinds["missing"] += abs(len(ours) - len(theirs))
        for perf, dendro in zip(theirs, ours):
            kind, at = classify(perf, dendro)
            kinds[kind] += 1
            if kind != "same":
                last = (perf or dendro)[max(0, min(at, len(perf or dendro)) - 1)][1]
                place = places[kind].setdefault(last, [0, key, at, perf, dendro])
                place[0] += 1
    return kinds, places


def print_walk(name, frames, at):
    print(f"        {name}, {len(frames)} frames:")
    for i, (address, text) in enumerate(frames[max(0, at - 2):at + 3], max(0, at - 2)):
        print(f"          {'>' if i == at else ' '} {i:3} {address:16x} {text}")


def count_continued(samples):
    """frame text -> in how many samples a caller follows it"""
    continued = collections.Counter()
    for walks in samples.values():
        for frames in walks:
            continued.update({text for _, text in frames[:-1]})
    return continued


def print_result(kinds, places, n_examples, perf_continued):
    total = sum(kinds.values())
    for kind, count in kinds.most_common():
        if count:
            print(f"  {kind:15} {count:7}  {100 * count / total:6.2f} %")
    for kind, found in places.items():
        ranked = sorted(found.items(), key=lambda item: -item[1][0])
        for last, (count, key, at, perf, dendro) in ranked[:n_examples]:
            print(f"    {kind}, {count} samples, after {last}; thread {key[0]} at {key[1]}:")
            if kind == "perf stops":
                print(f"      (perf goes on after this frame in {perf_continued[last]} other samples)")
            print_walk("perf", perf, at)
            print_walk("dendro", dendro, at)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-least", type=float, default=0, metavar="PCT")
    parser.add_argument("--examples", type=int, default=3)
    parser.add_argument("perf_script")
    parser.add_argument("dendro_script")
    arguments = parser.parse_args()

    perf_samples = by_key(arguments.perf_script)
    kinds, places = compare(perf_samples, by_key(arguments.dendro_script))
    total = sum(kinds.values())
    percent = 100 * kinds["same"] / total if total else 0
    print(f"{percent:.2f} % of {total} samples have the same user frames")
    print_result(kinds, places, arguments.examples, count_continued(perf_samples))
    return 0 if total and percent >= arguments.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
