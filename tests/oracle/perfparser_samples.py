#!/usr/bin/env python3
"""perfparser_samples.py FILE: how many samples hotspot's perfparser wrote to FILE.

A stream of messages, each a 32-bit size and that many bytes, the first of which is the type.
"""

import struct
import sys

MAGIC = b"QPERFSTREAM\0"
SAMPLE_TYPES = {13, 14}  # Sample, TracePointSample


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if not data.startswith(MAGIC):
        sys.exit("no perfparser stream")
    offset = len(MAGIC) + 4
    counts = {}
    while offset + 4 < len(data):
        size, kind = struct.unpack_from("<IB", data, offset)
        counts[kind] = counts.get(kind, 0) + 1
        offset += 4 + size
    print(sum(counts.get(kind, 0) for kind in SAMPLE_TYPES))


main()
