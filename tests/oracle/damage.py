#!/usr/bin/env python3
"""damage.py SEED < FILE: the file with some bytes wrong, more of them near the beginning.
damage.py --each N FILE OUT: likewise with the seeds from 0 to N - 1, to OUT.0, OUT.1, ...
damage.py --zero-size FRACTION < FILE: an uncompressed recording in which the first sample after that
fraction of its data has a size of zero."""

import random
import struct
import sys

SAMPLE = 9


def change_bytes(data, seed):
    generator = random.Random(seed)
    for _ in range(generator.choice((1, 3, 20))):
        limit = min(len(data), generator.choice((200, 2000, 20000, len(data))))
        at = generator.randrange(limit)
        value = generator.choice((0, 0xFF, 0x80, generator.randrange(256)))
        n = min(generator.choice((1, 1, 4, 8)), len(data) - at)
        data[at:at + n] = bytes([value]) * n


def zero_size(data, fraction):
    at, size = struct.unpack_from("<QQ", data, 40)
    begin = at + int(size * fraction)
    while True:
        kind, _, record_size = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE and at >= begin:
            struct.pack_into("<H", data, at + 6, 0)
            return
        at += record_size


def change_each(n, path, out):
    with open(path, "rb") as file:
        whole = file.read()
    for seed in range(n):
        data = bytearray(whole)
        change_bytes(data, seed)
        with open(f"{out}.{seed}", "wb") as file:
            file.write(data)


def main():
    if sys.argv[1] == "--each":
        change_each(int(sys.argv[2]), sys.argv[3], sys.argv[4])
        return
    data = bytearray(sys.stdin.buffer.read())
    if sys.argv[1] == "--zero-size":
        zero_size(data, float(sys.argv[2]))
    else:
        change_bytes(data, int(sys.argv[1]))
    sys.stdout.buffer.write(bytes(data))


main()
