#!/usr/bin/env python3
"""perfscript_recording.py SCRIPT PROGRAM FILE: the branch stacks that 'perf script -F ip,brstack' has printed, with or
without call chains, as perf.data without these. SCRIPT may have mappings; without them PROGRAM is where its segments
say.

llvm-profgen leaves out what is older than a way into the program that none out of it precedes, or the other way round,
as after interrupts. So it is left out here, too."""

import os
import re
import struct
import subprocess
import sys

IP, TID, TIME, BRANCHES = 1 << 0, 1 << 1, 1 << 2, 1 << 11
PID, PAGE = 42, 4096


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def segments(program):
    """(address, size, offset) of its code."""
    text = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True).stdout
    for words in map(str.split, text.splitlines()):
        if words[:1] == ["LOAD"] and "E" in "".join(words[6:-1]):
            offset, address, size = (int(words[i], 16) for i in (1, 2, 5))
            low = address & -PAGE
            yield low, (address + size + PAGE - 1 & -PAGE) - low, offset & -PAGE


def read(script, program):
    """The mappings of the program, and the branches of each sample, the newest first."""
    mappings, samples = [], []
    for line in open(script, encoding="utf-8"):
        mapping = re.match(r"PERF_RECORD_MMAP2 .*\[(0x\w+)\((0x\w+)\) @ (0x\w+|0) .*[ /](\S+)$", line)
        if mapping:
            if mapping[4] == os.path.basename(program):
                mappings.append(tuple(int(mapping[i], 16) for i in (1, 2, 3)))
        elif not line.startswith("//") and (branches := re.findall(r"(0x\w+)/(0x\w+)/([MP-])/", line)):
            samples.append([(int(a, 16), int(b, 16), flag == "M") for a, b, flag in branches])
    return mappings or list(segments(program)), samples


def cut(branches, mappings):
    def is_inside(address):
        return any(low <= address < low + size for low, size, _ in mappings)

    entry = None  # the index of a way in, of which no way out was seen yet
    for i, (source, target, _) in enumerate(branches):
        leaves, arrives = is_inside(source), is_inside(target)
        if leaves and not arrives:
            if entry is None:
                return branches[:i]
            entry = None
        elif arrives:
            if entry is not None:
                return branches[:entry]
            entry = None if leaves else i
    return branches[:entry]


def main():
    script, program, path = sys.argv[1:]
    mappings, samples = read(script, program)
    file = os.stat(program)
    identity = struct.pack("<IIQQII", os.major(file.st_dev), os.minor(file.st_dev), file.st_ino, 0, 5, 2)
    name = os.path.realpath(program).encode() + b"\0"
    name += b"\0" * (-len(name) % 8)
    data = record(3, 0x2000, struct.pack("<II8s", PID, PID, b"program") + struct.pack("<IIQ", PID, PID, 1))
    for address, size, offset in mappings:
        data += record(10, 2, struct.pack("<IIQQQ", PID, PID, address, size, offset) + identity + name
                       + struct.pack("<IIQ", PID, PID, 2))
    stacks = [stack for branches in samples if (stack := cut(branches, mappings))]
    for time, branches in enumerate(stacks, 3):
        body = struct.pack("<QIIQQ", branches[0][1], PID, PID, time, len(branches))
        for source, target, is_mispredicted in branches:
            body += struct.pack("<QQQ", source, target, 1 if is_mispredicted else 2)
        data += record(9, 2, body)
    attr = struct.pack("<IIQQQQQ", 0, 128, 0, 1000, IP | TID | TIME | BRANCHES, 0, 1 << 5 | 1 << 18)
    attr = (attr + struct.pack("<IIQQQ", 0, 0, 0, 0, 1 | 8) + b"\0" * 48)[:128]  # cycles:u, branches: u, any
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 144) + struct.pack("<6Q", 104, 144, 248, len(data), 0, 0) + bytes(32)
    with open(path, "wb") as out:
        out.write(head + attr + struct.pack("<QQ", 0, 0) + data)
    print(f"{len(stacks)} stacks")


if __name__ == "__main__":
    main()
