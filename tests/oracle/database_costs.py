#!/usr/bin/env python3
"""database_costs.py DATABASE FUNCTIONS_JSON: has an exported database the costs of the report?

FUNCTIONS_JSON is `dendro report --view functions --format json` of the recording. Compares, for each
event, samples and total; self and total of each function by the database's own view; the same sums,
which this program adds up itself, sample by sample; and those of threads. Prints how many were
compared, and exits with 1 if one differs.
"""

import collections
import json
import sqlite3
import sys

from exported_costs import as_text

BOUNDARY = "[kernel]"


def reported(report, index):
    costs = collections.defaultdict(lambda: [0, 0])
    for row in report["rows"]:
        if row["kind"] == "marker" and row["name"] == BOUNDARY:
            continue
        cost = costs[as_text(row["name"]), row["module"]]
        cost[0] += row["self"][index]
        cost[1] += row["total"][index]
    return dict(costs)


def by_view(database, view, event):
    query = f"SELECT function, module, SUM(self), SUM(total) FROM {view} WHERE event = ? GROUP BY 1, 2"
    return {(as_text(name), module or ""): [own, total]
            for name, module, own, total in database.execute(query, (event,))}


def by_samples(database, event_id):
    paths = {}
    for path, parent, function, name, module in database.execute(
            "SELECT path_id, parent_id, function_id, function, module FROM path_functions ORDER BY 1"):
        paths[path] = (paths[parent] if parent is not None else []) + [(function, as_text(name), module or "")]
    costs = collections.defaultdict(lambda: [0, 0])
    for path, weight in database.execute(
            "SELECT path_id, weight FROM samples WHERE event_id = ? AND path_id IS NOT NULL",
            (event_id,)):
        costs[paths[path][-1][1:]][0] += weight
        for function in set(paths[path]):
            costs[function[1:]][1] += weight
    return dict(costs)


def used(costs):
    return {key: cost for key, cost in costs.items() if cost != [0, 0]}


def main():
    database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    wrong, compared = [], 0
    for index, metric in enumerate(report["metrics"]):
        event = metric["event"]
        event_id, = database.execute("SELECT id FROM events WHERE name = ?", (event,)).fetchone()
        sums = database.execute("SELECT COALESCE(SUM(samples), 0), COALESCE(SUM(weight), 0) FROM samples"
                                " WHERE event_id = ?", (event_id,)).fetchone()
        if list(sums) != [metric["samples"], metric["total"]]:
            wrong.append(f"{event}: {sums}, reported {metric['samples']} and {metric['total']}")
        expected = used(reported(report, index))
        for name, costs in (("function_costs", by_view(database, "function_costs", event)),
                            ("thread_function_costs",
                             by_view(database, "thread_function_costs", event)),
                            ("samples", by_samples(database, event_id))):
            costs = used(costs)
            compared += len(expected)
            wrong += [f"{name}, {event}, {key}: {costs.get(key)}, reported {expected.get(key)}"
                      for key in set(expected) | set(costs) if expected.get(key) != costs.get(key)]
    print(f"{compared} costs compared, {len(wrong)} differ")
    print("\n".join(sorted(wrong)[:20]))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
