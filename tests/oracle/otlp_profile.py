#!/usr/bin/env python3
"""otlp_profile.py FILE FUNCTIONS_JSON: keeps an exported OTLP profile its rules, and the costs?

Decodes the wire format itself. Checks what opentelemetry-proto's profiles.proto demands: the zero
value at index 0 of each table of the dictionary, no duplicates, no index out of range, no entry
that nothing refers to, addresses inside their mappings, valid UTF-8, unique attribute keys and
samples, as many times as values, and times inside the profile. FUNCTIONS_JSON is `dendro report
--view functions --format json` of the recording: samples and total of each event, and self and
total of each function. Prints how many were compared, and exits with 1 if anything is wrong.
"""

import collections
import json
import struct
import sys

from exported_costs import as_text

BOUNDARY = "[kernel]"
TABLES = {1: "mapping", 2: "location", 3: "function", 4: "link", 5: "string", 6: "attribute",
          7: "stack"}
ZEROS = {"link": b"\x0a\x10" + bytes(16) + b"\x12\x08" + bytes(8)}


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def fields(data):
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut"
        found[key >> 3].append(value)
    return found


def packed(chunks):
    numbers = []
    for chunk in chunks:
        at = 0
        while at < len(chunk):
            number, at = varint(chunk, at)
            numbers.append(number)
    return numbers


def one(message, field, default=0):
    values = message.get(field, [])
    assert len(values) < 2, f"field {field} is there {len(values)} times"
    return values[0] if values else default


class Dictionary:
    def __init__(self, data):
        self.wrong, self.used = [], collections.defaultdict(set)
        self.raw = {name: fields(data)[number] for number, name in TABLES.items()}
        for name, table in self.raw.items():
            if not table or table[0] != ZEROS.get(name, b""):
                self.wrong.append(f"{name}_table[0] is not the zero value")
            if len(set(table)) != len(table):
                self.wrong.append(f"{name}_table has duplicates")
        self.strings = [text.decode("utf-8") for text in self.raw["string"]]
        self.tables = {name: [fields(entry) for entry in table]
                       for name, table in self.raw.items() if name != "string"}

    def use(self, name, index):
        self.used[name].add(index)
        if index >= len(self.raw[name]):
            self.wrong.append(f"{name} {index} is not in its table of {len(self.raw[name])}")
            return 0
        return index

    def string(self, index):
        return self.strings[self.use("string", index)]

    def attributes(self, indices):
        keys = {}
        for index in indices:
            entry = self.tables["attribute"][self.use("attribute", index)]
            key, value = self.string(one(entry, 1)), fields(one(entry, 2, b""))
            if key in keys or not key:
                self.wrong.append(f"attribute key '{key}' is there twice, or empty")
            keys[key] = one(value, 1, b"").decode("utf-8") if 1 in value else one(value, 3)
        return keys

    def location(self, index):
        entry = self.tables["location"][self.use("location", index)]
        number, address = self.use("mapping", one(entry, 1)), one(entry, 2)
        mapping = self.tables["mapping"][number]
        self.string(one(mapping, 4))
        self.attributes(packed(mapping[5]))
        if number and not one(mapping, 1) <= address < one(mapping, 2):
            self.wrong.append(f"location {index} has the address {address:#x} outside its mapping")
        kind = self.attributes(packed(entry[4])).get("profile.frame.type")
        if kind not in (None, "native", "kernel"):
            self.wrong.append(f"location {index} has the frame type {kind}")
        names = []
        for line in entry[3]:
            function = self.tables["function"][self.use("function", one(fields(line), 1))]
            names.append(as_text(self.string(one(function, 1))))
            self.string(one(function, 2))
            self.string(one(function, 3))
        return names

    def stack(self, index):
        entry = self.tables["stack"][self.use("stack", index)]
        return [name for location in packed(entry[1]) for name in self.location(location)]

    def unused(self):
        self.use("link", 0)
        return [f"{name} {index} is not referred to" for name, table in self.raw.items()
                for index in range(1, len(table)) if index not in self.used[name]]


def read_profile(dictionary, data, has_threads=True):
    """The event, its number of values, the whole cost, and self and total by name."""
    profile = fields(data)
    kind = fields(one(profile, 1, b""))
    event, unit = dictionary.string(one(kind, 1)), dictionary.string(one(kind, 2))
    start, end = one(profile, 3), one(profile, 3) + one(profile, 4)
    costs, seen, count, whole = collections.defaultdict(lambda: [0, 0]), set(), 0, 0
    if unit not in ("nanoseconds", "bytes", "count"):
        dictionary.wrong.append(f"the unit is {unit}")
    for raw in profile[2]:
        sample = fields(raw)
        attributes, values = packed(sample[2]), packed(sample[4])
        times = [time for chunk in sample[5] for time, in struct.iter_unpack("<Q", chunk)]
        identity = one(sample, 1), tuple(sorted(attributes)), one(sample, 3)
        if identity in seen or not values or (times and len(times) != len(values)):
            dictionary.wrong.append(f"{event}: sample {identity} is there twice, or is malformed")
        if any(not start <= time < end for time in times):
            dictionary.wrong.append(f"{event}: sample {identity} has a time outside the profile")
        seen.add(identity)
        keys = set(dictionary.attributes(attributes))
        if has_threads and not {"process.pid", "thread.id", "thread.name"} <= keys:
            dictionary.wrong.append(f"{event}: sample {identity} has no process or thread")
        names = dictionary.stack(one(sample, 1))
        for name in names[:1]:
            costs[name][0] += sum(values)
        for name in set(names):
            costs[name][1] += sum(values)
        count, whole = count + len(values), whole + sum(values)
    return event, count, whole, costs


def reported(report, index):
    costs, count = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    for row in report["rows"]:
        if (row["kind"], row["name"]) == ("marker", BOUNDARY):
            continue
        name = as_text(row["name"])
        costs[name][0] += row["self"][index]
        costs[name][1] += row["total"][index]
        count[name] += 1
    return {name: cost for name, cost in costs.items() if count[name] == 1 and any(cost)}


def main():
    with open(sys.argv[1], "rb") as file:
        data = fields(file.read())
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    dictionary = Dictionary(one(data, 2))
    resource = fields(one(data, 1))
    keys = [one(fields(entry), 1) for entry in fields(one(resource, 1))[1]]
    if b"service.name" not in keys or b"host.name" not in keys or len(set(keys)) != len(keys):
        dictionary.wrong.append("the resource lacks attributes, or has some twice")
    events = {}
    for profile in fields(one(resource, 2))[2]:
        event, *costs = read_profile(dictionary, profile)
        events[event] = costs
    wrong, compared = dictionary.wrong + dictionary.unused(), 0
    for index, metric in enumerate(report["metrics"]):
        count, whole, costs = events.get(metric["event"], [0, 0, {}])
        if [count, whole] != [metric["samples"], metric["total"]]:
            wrong.append(f"{metric['event']}: {count} samples, {whole}")
        for name, cost in reported(report, index).items():
            compared += 1
            if costs.get(name) != cost:
                wrong.append(f"{metric['event']}, {name}: {costs.get(name)}, reported {cost}")
    print(f"{compared} costs compared, {len(wrong)} things are wrong")
    print("\n".join(wrong[:20]))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
