#!/usr/bin/env python3
"""lie_in_symbols.py LIE FILE: changes the symbol table of an ELF file (64 bits) in place.

LIE: names (offsets out of range), sizes (all overlap each other, up to the end of memory), sections
(out of range), values (out of range), strings (the table is its own string table), huge (the table
continues far beyond the file's end), entries (of size 1).
"""

import struct
import sys

SYMTAB, FUNC = 2, 2


def section_headers(data):
    at, = struct.unpack_from("<Q", data, 40)
    size, number = struct.unpack_from("<HH", data, 58)
    return [at + i * size for i in range(number)]


def change_symbols(data, lie, table, size):
    for i, at in enumerate(range(table, table + size, 24)):
        if data[at + 4] & 15 != FUNC:
            continue
        if lie == "names":
            struct.pack_into("<I", data, at, 0xFFFFFFF0 + i % 16)
        elif lie == "sizes":
            struct.pack_into("<Q", data, at + 16, 2 ** 64 - 1 - i * 4096)
        elif lie == "sections":
            struct.pack_into("<H", data, at + 6, 0xFE00 + i % 256)
        elif lie == "values":
            struct.pack_into("<Q", data, at + 8, 2 ** 64 - 1 - i)


def main():
    lie, path = sys.argv[1:]
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for index, header in enumerate(section_headers(data)):
        kind, = struct.unpack_from("<I", data, header + 4)
        offset, size = struct.unpack_from("<QQ", data, header + 24)
        if kind != SYMTAB:
            continue
        if lie == "strings":
            struct.pack_into("<I", data, header + 40, index)
        elif lie == "huge":
            struct.pack_into("<Q", data, header + 32, 2 ** 62)
        elif lie == "entries":
            struct.pack_into("<Q", data, header + 56, 1)
        else:
            change_symbols(data, lie, offset, size)
    with open(path, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
