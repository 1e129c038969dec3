#!/usr/bin/env python3
"""branch_recording.py FILE [--callchain] [--weight-struct]: a perf.data file whose samples have a
data address, a weight and branches of all kinds, which the kernel records with few processors."""

import struct
import sys

SAMPLE_TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 8 | 1 << 11  # IP TID TIME ADDR PERIOD BRANCHES
CALLCHAIN, WEIGHT, WEIGHT_STRUCT = 1 << 5, 1 << 14, 1 << 24
MMAP_COMM_SAMPLE_ID = 1 << 8 | 1 << 9 | 1 << 18
CONTEXT_USER = (1 << 64) - 512
PID, KERNEL, KERNEL_MODE, USER_MODE = 42, 0xffffffff81000000, 1, 2
BRANCHES = [  # from, to, flags
    (0x401010, 0x401000, 2 | 4 << 20 | 7 << 4),  # predicted, a call, 7 cycles
    (KERNEL + 0x10, 0x402020, 1 | 4 | 8 | 6 << 20),  # not predicted, in a transaction, aborted, RET
    (0, 0, 0),
    (0x401011, 0x9, 2 | 15 << 20 | 1 << 26),  # of the types that were added later
    (0x401012, 0x401000, 2 | 65535 << 4),
]


def record(kind, misc, *parts):
    body = b"".join(parts)
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def words(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def task(time_ns):
    return struct.pack("<IIQ", PID, PID, time_ns)


def mapping(pid, misc, start, size, offset, name):
    name += bytes(8 - len(name) % 8)
    return record(1, misc, struct.pack("<iI", pid, max(pid, 0)), words(start, size, offset), name, task(1))


def sample(n, sample_type):
    branches = [word for branch in BRANCHES[:n] for word in branch]
    chain = words(3, CONTEXT_USER, 0x401000 + n, 0x402000) if sample_type & CALLCHAIN else b""
    weight = 5 << 32 | 77 if sample_type & WEIGHT_STRUCT else 123456789012
    return record(9, USER_MODE, words(0x401000 + n), task(2000000 + 1000 * n),
                  words(0x7f0000001000 + n, 100 + n), chain, words(len(branches) // 3, *branches),
                  words(weight))


def main():
    sample_type = SAMPLE_TYPE | (WEIGHT_STRUCT if "--weight-struct" in sys.argv else WEIGHT)
    sample_type |= CALLCHAIN if "--callchain" in sys.argv else 0
    attr = struct.pack("<II4Q", 0, 112, 0, 4000, sample_type, 0) + words(MMAP_COMM_SAMPLE_ID)
    attr += struct.pack("<II3Q", 0, 0, 0, 0, 8)  # branch_sample_type: any
    data = mapping(-1, KERNEL_MODE, KERNEL, 1 << 24, KERNEL, b"[kernel.kallsyms]_text")
    data += record(3, 0, struct.pack("<II", PID, PID), b"prog\0\0\0\0", task(1))
    data += mapping(PID, USER_MODE, 0x400000, 0x10000, 0, b"/nowhere/prog")
    data += b"".join(sample(n, sample_type) for n in range(len(BRANCHES) + 1))
    header = b"PERFILE2" + words(104, 128, 104, 128, 232, len(data), 0, 0, 0, 0, 0, 0)
    with open(sys.argv[1], "wb") as file:
        file.write(header + attr.ljust(112, b"\0") + words(0, 0) + data)


if __name__ == "__main__":
    main()
