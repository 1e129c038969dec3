#!/usr/bin/env python3
"""perfparser_samples.py [--script] FILE: how many samples hotspot's perfparser wrote to FILE.

With --script, the samples themselves, as `perf script -F event,period,ip,sym` prints them: the
names that hotspot shows of the compiled functions, without those inlined into them.

A stream of messages, each a 32-bit size and that many bytes, the first of which is the type. Their
numbers are big-endian, as Qt writes them.
"""

import struct
import sys

MAGIC = b"QPERFSTREAM\0"
LOCATION, SYMBOL, STRING, ATTRIBUTES, SAMPLE, TRACEPOINT_SAMPLE = 3, 4, 5, 11, 13, 14


def messages(data):
    if not data.startswith(MAGIC):
        sys.exit("no perfparser stream")
    offset = len(MAGIC) + 4
    while offset + 4 < len(data):
        size, kind = struct.unpack_from("<IB", data, offset)
        yield kind, data[offset + 5:offset + 4 + size]
        offset += 4 + size


class Definitions:
    def __init__(self):
        self.strings, self.locations, self.symbols, self.events = {}, {}, {}, {}

    def take(self, kind, body):
        if kind == STRING:
            number, size = struct.unpack_from(">iI", body)
            self.strings[number] = body[8:8 + size].decode(errors="replace")
        elif kind == LOCATION:
            number, address = struct.unpack_from(">iQ", body)
            self.locations[number] = (address, struct.unpack_from(">i", body, 28)[0])
        elif kind == SYMBOL:
            number, name = struct.unpack_from(">ii", body)
            self.symbols[number] = name
        elif kind == ATTRIBUTES:
            self.events[struct.unpack_from(">i", body)[0]] = struct.unpack_from(">i", body, 16)[0]

    def frame(self, number):
        """The line of a frame: of the outermost location around it that has a symbol."""
        address, name = self.locations[number][0], "[unknown]"
        while number in self.locations:
            if number in self.symbols:
                name = self.strings.get(self.symbols[number], name)
            number = self.locations[number][1]
        return f"\t{address:x} {name}"


def sample_of(body):
    """Its frames, innermost first, and its values: (event, period)."""
    (n_frames,) = struct.unpack_from(">I", body, 20)
    frames = struct.unpack_from(f">{n_frames}i", body, 24)
    at = 24 + 4 * n_frames + 1
    (n_values,) = struct.unpack_from(">I", body, at)
    return frames, [struct.unpack_from(">iQ", body, at + 4 + 12 * i) for i in range(n_values)]


def main():
    with open(sys.argv[-1], "rb") as file:
        found = list(messages(file.read()))
    if sys.argv[1] != "--script":
        print(sum(kind in (SAMPLE, TRACEPOINT_SAMPLE) for kind, _ in found))
        return
    definitions = Definitions()
    for kind, body in found:
        definitions.take(kind, body)
    for kind, body in found:
        if kind not in (SAMPLE, TRACEPOINT_SAMPLE):
            continue
        frames, values = sample_of(body)
        lines = [definitions.frame(number) for number in frames]
        for event, period in values:
            print(f"{period} {definitions.strings[definitions.events[event]]}:", *lines, "", sep="\n")


main()
