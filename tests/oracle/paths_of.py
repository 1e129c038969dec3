#!/usr/bin/env python3
"""paths_of.py TREE FUNCTION: the paths that lead to a function, of a report in JSON.

One line for each path: the function's weight there (with what it calls), its share of all paths
below the first container, and the names from the outermost frame on. --shares EXPECTED...: each
NUMERATOR/DENOMINATOR:REGEX must match whole paths that have that share of the function's weight,
within 4.5 standard errors and half a percent for what runs beside it, and together all but one
percent. FUNCTION is a regular expression for a whole name.
"""

import argparse
import collections
import fractions
import json
import math
import re
import sys

CONTAINERS = {"root", "process", "thread"}
SEPARATOR = " > "


def paths_to(document, function):
    """path -> weight"""
    found = collections.Counter()
    paths = []  # by node; None below the function
    for parent, index, _, total, *_ in document["nodes"]:
        frame = document["frames"][index]
        path = paths[parent] if parent >= 0 else ()
        if path is not None and frame["kind"] not in CONTAINERS:
            path += (frame["name"],)
        if path and frame["kind"] == "user" and function.fullmatch(frame["name"]):
            found[SEPARATOR.join(path)] += total[0]
            path = None
        paths.append(path)
    return found


def check(expected, found, n_samples):
    total = sum(found.values())
    explained, is_right = 0, True
    for text in expected:
        share, _, pattern = text.partition(":")
        p = float(fractions.Fraction(share))
        got = sum(weight for path, weight in found.items() if re.fullmatch(pattern, path))
        explained += got
        error = 4.5 * math.sqrt(p * (1 - p) / n_samples) + 0.005
        is_close = total and abs(got / total - p) <= error
        is_right = is_right and is_close
        print(f"{100 * got / total if total else 0:.2f} %, expected {100 * p:.2f} +- "
              f"{100 * error:.2f}{'' if is_close else ': WRONG'}: {pattern}")
    return is_right and explained >= 0.99 * total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shares", nargs="+", metavar="EXPECTED", default=[])
    parser.add_argument("tree")
    parser.add_argument("function")
    arguments = parser.parse_args()
    with open(arguments.tree, encoding="utf-8") as file:
        document = json.load(file)
    found = paths_to(document, re.compile(arguments.function))
    total, n_samples = sum(found.values()), document["metrics"][0]["samples"]
    is_right = total > 0 and check(arguments.shares, found, n_samples)
    if not is_right or not arguments.shares:
        for path, weight in found.most_common(12):
            print(f"    {100 * weight / total:6.2f} %  {path}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
