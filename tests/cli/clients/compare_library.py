#!/usr/bin/env python3
"""compare_library.py DENDRO FILE : whether dendro.py (cct/api) says of a recording or profile what
`dendro report --format json` says, number by number."""

import collections
import json
import subprocess
import sys

import dendro

OPTIONS = [
    ([], {}),
    (["--by", "process"], {"grouping": "process"}),
    (["--by", "thread"], {"grouping": "thread"}),
    (["--kernel", "none"], {"kernel": "none"}),
    (["--kernel", "only"], {"kernel": "only"}),
    (["--no-inline", "--raw-names"], {"inlines": False, "raw_names": True}),
]


def report(program, path, *options):
    command = [program, "report", "--format", "json", *options, path]
    return json.loads(subprocess.run(command, check=False, capture_output=True).stdout)


def expect(what, got, expected):
    if got == expected:
        return
    print(f"{what}:")
    for name, rows in (("the library", got), ("the report", expected)):
        other = expected if rows is got else got
        lines = [row for row in rows if row not in other] if hasattr(rows, "__iter__") else [rows]
        print(f"  only {name}: {lines[:5]}")
    sys.exit(1)


def rows_of(table):
    expect("lengths of columns", len({len(column) for column in table.values()}), 1)
    return [dict(zip(table, values)) for values in zip(*table.values())]


def tree_of_report(tree):
    """How often which path has which costs."""
    paths, found = [], collections.Counter()
    for parent, frame, own, total, *_ in tree["nodes"]:
        of = tree["frames"][frame]
        path = (paths[parent] if parent >= 0 else ()) + ((of["name"], of["module"], of["kind"]),)
        paths.append(path)
        found[path, tuple(own), tuple(total)] += 1
    return found


def tree_of_library(profile):
    tables = [profile.nodes(metric) for metric in range(len(profile.metrics))]
    costs = [[zip(*(table[name] for table in tables))] for name in ("self", "total")]
    paths, found = [], collections.Counter()
    for parent, name, module, kind, own, total in zip(
            *(tables[0][column] for column in ("parent", "name", "module", "kind")),
            costs[0][0], costs[1][0]):
        path = (paths[parent] if parent is not None else ()) + ((name, module, kind),)
        paths.append(path)
        found[path, own, total] += 1
    return found


def flat(rows, *names):
    """Rows with cost of the first metric. The total of a process is not that of its own cost."""
    return sorted((*(str(row[name]) for name in names), row["self"],
                   row["total"] if row["kind"] != "process" else row["self"])
                  for row in rows if row["total"])


def first_metric(rows):
    return [{**row, "self": row["self"][0], "total": row["total"][0]} for row in rows]


def quality_of(report_quality):
    found = {name: value for name, value in report_quality.items() if isinstance(value, int)}
    for section in ("unwind", "off_cpu", "jitdumps"):
        for name, value in report_quality.get(section, {}).items():
            found[f"{section}.{name}"] = value
    return found


def compare_options(program, path):
    for options, keywords in OPTIONS:
        with dendro.open(path, **keywords) as profile:
            expect(f"tree {options}", tree_of_library(profile),
                   tree_of_report(report(program, path, *options)))
            rows = report(program, path, "--view", "functions", *options)["rows"]
            expect(f"functions {options}", flat(rows_of(profile.functions()), "name", "kind", "module"),
                   flat(first_metric(rows), "name", "kind", "module"))


def compare_facts(program, path, profile, tree):
    expect("metrics", [(of["name"], of["unit"], of["samples"], of["total"])
                       for of in profile.metrics],
           [(of["event"], of["unit"], of["samples"], of["total"]) for of in tree["metrics"]])
    expect("scales", [f"{of['scale']:.6g}" for of in profile.metrics],
           [f"{of.get('scaled', 1):.6g}" for of in tree["metrics"]])
    quality = quality_of(tree["quality"])
    expect("quality", {name: profile.quality.get(name) for name in quality}.items(),
           quality.items())
    expect("missing", sorted((row["module"], row["lacks"], row["problem"])
                             for row in rows_of(profile.missing())),
           sorted((row["module"], row["lacks"], row["problem"]) for row in tree["missing"]))
    processes = collections.Counter()
    for row in rows_of(profile.processes()):
        processes[row["name"] or "[unknown]", row["pid"]] += row["total"]
    rows = report(program, path, "--view", "processes", "--by", "process")["rows"]
    expect("processes", sorted((name, pid, total) for (name, pid), total in processes.items()
                               if total),
           sorted((row["name"], row["id"], row["total"][0]) for row in rows if row["total"][0]))


def compare_lines(program, path):
    sums = []
    with dendro.open(path, by_line=True) as profile:
        sums.append(collections.Counter())
        for row in rows_of(profile.functions()):
            sums[0][row["file"], row["line"]] += row["self"]
    sums.append(collections.Counter())
    for row in report(program, path, "--view", "lines")["rows"]:
        sums[1][row.get("file"), row.get("line")] += row["self"][0]
    expect("lines", +sums[0], +sums[1])


def check_samples(profile):
    """They add up to the nodes and to the metrics."""
    own = [profile.nodes(metric)["self_samples"] for metric in range(len(profile.metrics))]
    sums = collections.Counter()
    names = [metric["name"] for metric in profile.metrics]
    for row in rows_of(profile.samples()):
        own[names.index(row["metric"])][row["node"]] -= row["samples"]
        sums[row["metric"]] += row["weight"]
    expect("samples of nodes", [n for column in own for n in column if n], [])
    for metric in profile.metrics:
        if metric["scale"] == 1:
            expect(f"samples of {metric['name']}", sums[metric["name"]], metric["total"])


def main():
    program, path = sys.argv[1:]
    compare_options(program, path)
    with dendro.open(path) as profile:
        compare_facts(program, path, profile, report(program, path))
        if profile.has_samples():
            check_samples(profile)
        n_samples = len(profile.samples()["weight"])
        print(f"{len(profile.nodes()['name'])} nodes, {n_samples} samples, "
              f"{len(profile.metrics)} metrics, {len(profile.missing()['module'])} missing")
    compare_lines(program, path)


main()
