#!/usr/bin/env python3
"""Adds up the time off the CPU in a recording of simpleperf, as simpleperf's own report does.

A sample of a tracepoint (sched:sched_switch) begins a time off the CPU; the thread's next sample of
any event ends it. Prints the nanoseconds of all threads, and how many had no next sample: their
last time off the CPU does not count. Samples must have ip, tid, time and id, in that order.
"""
import struct
import sys

SAMPLE, TRACEPOINT = 9, 2


def sections(data):
    _, attr_size, attrs, attrs_size, start, size = struct.unpack_from("<6Q", data, 8)
    switches = set()
    for attr in range(attrs, attrs + attrs_size, attr_size):
        ids, ids_size = struct.unpack_from("<2Q", data, attr + attr_size - 16)
        if struct.unpack_from("<I", data, attr)[0] == TRACEPOINT:
            switches.update(struct.unpack_from(f"<{ids_size // 8}Q", data, ids))
    return switches, start, start + size


def samples(data):
    switches, at, end = sections(data)
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE:
            _, tid, time, event = struct.unpack_from("<IIQQ", data, at + 16)
            yield time, tid, event in switches
        at += size


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    off, total = {}, 0
    for time, tid, is_switch in sorted(samples(data)):
        total += time - off.pop(tid, time)
        if is_switch:
            off[tid] = time
    print(total, len(off))


if __name__ == "__main__":
    main()
