#!/usr/bin/env python3
"""Counts the samples of a perf.data file, independently of dendro's reader.

Prints a line for each event: its index, its name if the file has one (else "-"), the number of its
samples and the sum of their periods (the fixed period of the event where samples carry none),
separated by tabs. A sample of a counter group (PERF_SAMPLE_READ with PERF_FORMAT_GROUP) counts once,
for the event that overflowed; with --groups also once for each other member whose value grew, with
that growth as its period, as perf script has it: growth by thread, where counters are inherited.
With --user a fifth column counts the samples that have both user registers and bytes of the user stack.

A damaged file is counted up to the damage; the reason is then printed on stderr and the exit status
is 1. Simple on purpose: the whole file in memory, no time order. Little endian.
"""
import argparse
import ctypes
import ctypes.util
import struct
import sys

HEADER_ATTR, TRACING_DATA, AUXTRACE, EVENT_UPDATE = 64, 66, 71, 78
FEATURE, COMPRESSED, COMPRESSED2 = 80, 81, 83
SAMPLE = 9
EVENT_DESC = 12
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID = (1 << n for n in range(10))
RAW, BRANCH_STACK, REGS_USER, STACK_USER = (1 << n for n in range(10, 14))
IDENTIFIER = 1 << 16
INHERIT = 1 << 1
FORMAT_ENABLED, FORMAT_RUNNING, FORMAT_ID, FORMAT_GROUP, FORMAT_LOST = (1 << n for n in range(5))


class Corrupt(Exception):
    pass


class ZstdBuffer(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


class Zstd:
    """One decoder over all compressed records, as perf writes one stream."""

    def __init__(self):
        self.lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
        self.lib.ZSTD_createDStream.restype = ctypes.c_void_p
        self.lib.ZSTD_decompressStream.restype = ctypes.c_size_t
        self.lib.ZSTD_decompressStream.argtypes = [
            ctypes.c_void_p, ctypes.POINTER(ZstdBuffer), ctypes.POINTER(ZstdBuffer)]
        self.lib.ZSTD_isError.argtypes = [ctypes.c_size_t]
        self.stream = self.lib.ZSTD_createDStream()
        self.room = ctypes.create_string_buffer(1 << 20)

    def expand(self, payload):
        source = ctypes.create_string_buffer(payload, len(payload))
        into = ZstdBuffer(ctypes.addressof(source), len(payload), 0)
        result = b""
        while True:
            out = ZstdBuffer(ctypes.addressof(self.room), len(self.room), 0)
            hint = self.lib.ZSTD_decompressStream(self.stream, out, into)
            if self.lib.ZSTD_isError(hint):
                raise Corrupt("a compressed record can't be expanded")
            result += self.room.raw[:out.pos]
            if into.pos == into.size and out.pos < out.size:
                return result


class Event:
    def __init__(self, attr, ids):
        attr = attr.ljust(128, b"\0")
        (self.type, self.size, self.config, self.fixed_period, self.sample_type,
         self.read_format, flags) = struct.unpack_from("<IIQQQQQ", attr)
        self.inherit = bool(flags & INHERIT)
        self.regs_user, = struct.unpack_from("<Q", attr, 80)
        self.ids = ids
        self.name = "-"
        self.samples = 0
        self.periods = 0
        self.with_user = 0

    def has_user_context(self, body, at):
        """Is there a register and a byte of the user stack? @at is after the period."""
        kind = self.sample_type
        if kind & READ:
            count = struct.unpack_from("<Q", body, at)[0] if self.read_format & FORMAT_GROUP else 1
            entry = 1 + bool(self.read_format & FORMAT_ID) + bool(self.read_format & FORMAT_LOST)
            once = self.read_format & (FORMAT_ENABLED | FORMAT_RUNNING | FORMAT_GROUP)
            at += 8 * (bin(once).count("1") + count * entry)
        if kind & CALLCHAIN:
            at += 8 * (1 + struct.unpack_from("<Q", body, at)[0])
        if kind & RAW:
            at += 4 + struct.unpack_from("<I", body, at)[0]
        if kind & BRANCH_STACK:
            raise Corrupt("branches stand before the registers")
        if not kind & REGS_USER or not kind & STACK_USER:
            return False
        abi, = struct.unpack_from("<Q", body, at)
        at += 8 * (1 + (bin(self.regs_user).count("1") if abi else 0))
        size, = struct.unpack_from("<Q", body, at)
        valid = struct.unpack_from("<Q", body, at + 8 + size)[0] if size else 0
        return bool(abi and self.regs_user and valid)


class Walker:
    def __init__(self, data, options):
        self.data = data
        self.split_groups = options.groups
        self.wants_user = options.user
        self.events = []
        self.by_id = {}
        self.last_values = {}
        self.zstd = None
        self.expanded = b""
        self.names = []

    def add_event(self, attr, ids):
        event = Event(attr, ids)
        self.events.append(event)
        for number in ids:
            self.by_id.setdefault(number, event)

    def take_event_desc(self, data):
        count, attr_size = struct.unpack_from("<II", data)
        at = 8
        for index in range(count):
            at += attr_size
            n_ids, size = struct.unpack_from("<II", data, at)
            at += 8
            name = data[at:at + size].split(b"\0")[0].decode(errors="replace")
            at += size
            ids = struct.unpack_from("<%dQ" % n_ids, data, at)
            at += 8 * n_ids
            self.names.append((index, name, ids))

    def name_events(self):
        for index, name, ids in self.names:
            event = self.by_id.get(ids[0]) if ids else None
            if not event and index < len(self.events):
                event = self.events[index]
            if event:
                event.name = name
        self.names = []

    def event_of(self, body):
        first = self.events[0]
        if len(self.events) == 1:
            return first
        if first.sample_type & IDENTIFIER:
            at = 0
        elif first.sample_type & ID:
            at = bin(first.sample_type & (IP | TID | TIME | ADDR)).count("1")
        else:
            return first
        number, = struct.unpack_from("<Q", body, 8 * at)
        return self.by_id.get(number) if number else first

    def sample(self, body):
        event = self.event_of(body)
        if not event:
            raise Corrupt("a sample has an id of no event")
        kind = event.sample_type
        before = bin(kind & (IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM_ID | CPU)).count("1")
        period = event.fixed_period
        if kind & PERIOD:
            period, = struct.unpack_from("<Q", body, 8 * before)
            before += 1
        if self.split_groups and kind & READ and event.read_format & FORMAT_GROUP:
            thread = 0
            if event.inherit and kind & TID:
                thread = struct.unpack_from(
                    "<II", body, 8 * bin(kind & (IDENTIFIER | IP)).count("1"))[1]
            self.group(event.read_format, body, 8 * before, thread)
        else:
            event.samples += 1
            event.periods += period
            if self.wants_user:
                event.with_user += event.has_user_context(body, 8 * before)

    def group(self, read_format, body, at, thread):
        count, = struct.unpack_from("<Q", body, at)
        at += 8 * (1 + bool(read_format & FORMAT_ENABLED) + bool(read_format & FORMAT_RUNNING))
        for _ in range(count):
            value, number = struct.unpack_from("<QQ", body, at)
            at += 16 + 8 * bool(read_format & FORMAT_LOST)
            event = self.by_id.get(number)
            grown = value - self.last_values.get((number, thread), 0)
            self.last_values[number, thread] = value
            if event and grown:
                event.samples += 1
                event.periods += grown

    def feature(self, number, data):
        if number == EVENT_DESC:
            self.take_event_desc(data)

    def record(self, kind, body):
        """Bytes to skip after this record."""
        if kind == SAMPLE:
            self.sample(body)
        elif kind == HEADER_ATTR:
            size = struct.unpack_from("<I", body, 4)[0] or 64
            self.add_event(body[:size], struct.unpack_from("<%dQ" % ((len(body) - size) // 8),
                                                           body, size))
        elif kind == FEATURE:
            self.feature(struct.unpack_from("<Q", body)[0], body[8:])
        elif kind == EVENT_UPDATE:
            what, number = struct.unpack_from("<QQ", body)
            if what == 2 and number in self.by_id:
                self.by_id[number].name = body[16:].split(b"\0")[0].decode(errors="replace")
        elif kind == AUXTRACE:
            return struct.unpack_from("<Q", body)[0]
        elif kind == TRACING_DATA:
            # simpleperf's record contains the data, perf's precedes it.
            return struct.unpack_from("<I", body)[0] if len(body) <= 8 else 0
        elif kind in (COMPRESSED, COMPRESSED2):
            self.compressed(kind, body)
        return 0

    def compressed(self, kind, body):
        if kind == COMPRESSED2:
            size, = struct.unpack_from("<Q", body)
            body = body[8:8 + size]
        self.zstd = self.zstd or Zstd()
        self.expanded += self.zstd.expand(body)
        used = self.walk(self.expanded, 0, len(self.expanded), is_whole=False)
        self.expanded = self.expanded[used:]

    def walk(self, data, at, end, is_whole=True):
        while end - at >= 8:
            kind, _, size = struct.unpack_from("<IHH", data, at)
            if size < 8:
                raise Corrupt("a record of type %d at %d has size %d" % (kind, at, size))
            if size > end - at:
                break
            at += size + self.record(kind, data[at + 8:at + size])
        if is_whole and at != end:
            raise Corrupt("the record at %d leads beyond the end at %d" % (at, end))
        return at

    def read(self):
        magic, header_size = struct.unpack_from("<8sQ", self.data)
        if magic != b"PERFILE2":
            raise Corrupt("no PERFILE2")
        if header_size == 16:
            self.walk(self.data, 16, len(self.data))
            return
        attr_size, attrs, attrs_size, data, data_size = struct.unpack_from("<5Q", self.data, 16)
        for at in range(attrs, attrs + attrs_size, attr_size):
            ids, ids_size = struct.unpack_from("<QQ", self.data, at + attr_size - 16)
            self.add_event(self.data[at:at + attr_size - 16],
                           struct.unpack_from("<%dQ" % (ids_size // 8), self.data, ids))
        if not data_size or data + data_size > len(self.data):
            self.walk(self.data, data, len(self.data), is_whole=False)
            raise Corrupt("the file was cut")
        table = data + data_size
        bits = int.from_bytes(self.data[72:104], "little")
        for number in range(256):
            if bits >> number & 1:
                offset, size = struct.unpack_from("<QQ", self.data, table)
                self.feature(number, self.data[offset:offset + size])
                table += 16
        self.walk(self.data, data, data + data_size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--groups", action="store_true", help="split group samples as perf does")
    parser.add_argument("--user", action="store_true", help="count samples with user context")
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, "rb") as stream:
        walker = Walker(stream.read(), options)
    status = 0
    try:
        walker.read()
    except (Corrupt, struct.error) as problem:
        print("%s: %s" % (options.file, problem), file=sys.stderr)
        status = 1
    walker.name_events()
    for index, event in enumerate(walker.events):
        user = [event.with_user] if options.user else []
        print(index, event.name, event.samples, event.periods, *user, sep="\t")
    return status


if __name__ == "__main__":
    sys.exit(main())
