"""What an x86 ELF file says about its code: bytes, functions, linkage tables. Shares no code with
dendro, and reads no more of CFI than where functions begin and end.

Addresses are the file's own (as in `readelf -s`), offsets are places in the file.
"""

import bisect
import collections
import re
import struct
import subprocess
import tempfile

PT_LOAD, PF_X = 1, 1
SHT_SYMTAB, SHT_RELA, SHT_REL, SHT_DYNSYM = 2, 4, 9, 11
LONGEST_CALL = 7
STT_FUNC, STT_GNU_IFUNC = 2, 10
JUMP = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:bnd|notrack|rex\.\w+|data16|ds|cs)\s+)*"
                  r"(j\w+|loop\w*)(?:,p[nt])?\s+(\*|0x[0-9a-f]+)")

INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s")
LEAVES = re.compile(r"\s(?:jmp|ret|call|hlt|ud2|nop|int3|leave|\(bad\))")

Function = collections.namedtuple("Function", "start end")
Relocation = collections.namedtuple("Relocation", "name chosen")  # by an IFUNC's resolver


class NotElf(Exception):
    """Not an ELF file for x86, or damaged."""


def uleb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


class ElfCode:
    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                self.data = file.read()
            self.read_headers()
            self.symbols, self.names, self.ifuncs = [], collections.defaultdict(list), set()
            for section in self.sections:
                if section["type"] in (SHT_SYMTAB, SHT_DYNSYM):
                    self.read_symbols(section)
            self.symbols.sort()
            self.tables = {}  # function -> address of its LSDA
            self.fdes = sorted(self.read_eh_frame())
            self.slots = self.read_relocations()
        except (OSError, struct.error, IndexError, KeyError, ValueError) as error:
            raise NotElf(f"{path}: {error}") from error
        self.fde_starts = [fde.start for fde in self.fdes]
        self.symbol_starts = [symbol.start for symbol in self.symbols]
        self.jumps = {}

    def read_headers(self):
        data = self.data
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise NotElf(f"{self.path}: not a little-endian ELF file")
        self.is64 = data[4] == 2
        machine = struct.unpack_from("<H", data, 18)[0]
        if machine not in (3, 62):
            raise NotElf(f"{self.path}: not x86")
        if self.is64:
            phoff, shoff = struct.unpack_from("<QQ", data, 32)
            phsize, n_ph, shsize, n_sh, names = struct.unpack_from("<HHHHH", data, 54)
        else:
            phoff, shoff = struct.unpack_from("<II", data, 28)
            phsize, n_ph, shsize, n_sh, names = struct.unpack_from("<HHHHH", data, 42)
        self.segments = []
        for i in range(n_ph):
            if self.is64:
                kind, flags, offset, vaddr, _, size = struct.unpack_from("<IIQQQQ", data,
                                                                         phoff + i * phsize)
            else:
                kind, offset, vaddr, _, size, _, flags = struct.unpack_from("<7I", data,
                                                                            phoff + i * phsize)
            if kind == PT_LOAD and flags & PF_X:
                self.segments.append((offset, vaddr, size))
        self.read_sections(shoff, shsize, n_sh, names)

    def read_sections(self, shoff, shsize, n_sh, names):
        fields = "<IIQQQQIIQQ" if self.is64 else "<10I"
        self.sections = []
        for i in range(n_sh):
            name, kind, _, addr, offset, size, link, _, _, entry = struct.unpack_from(
                fields, self.data, shoff + i * shsize)
            self.sections.append({"name": name, "type": kind, "addr": addr, "offset": offset,
                                  "size": size, "link": link, "entry": entry})
        for section in self.sections:
            section["name"] = self.string(self.sections[names]["offset"], section["name"])

    def string(self, table, at):
        return self.data[table + at:self.data.index(b"\0", table + at)].decode("latin-1")

    def symbols_in(self, section):
        """(name, type, defined, value, size) in the order of the table."""
        strings = self.sections[section["link"]]["offset"]
        for at in range(section["offset"], section["offset"] + section["size"], section["entry"]):
            if self.is64:
                name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
            else:
                name, value, size, info, _, index = struct.unpack_from("<IIIBBH", self.data, at)
            yield self.string(strings, name), info & 15, index != 0, value, size

    def read_symbols(self, section):
        for name, kind, defined, value, size in self.symbols_in(section):
            if not defined or kind not in (STT_FUNC, STT_GNU_IFUNC):
                continue
            self.names[name].append(value)
            if kind == STT_GNU_IFUNC:
                self.ifuncs.add(value)
            if size:
                self.symbols.append(Function(value, value + size))

    def read_relocations(self):
        """address of a slot of the linkage table -> the function that it leads to"""
        slots = {}
        chosen = 37 if self.is64 else 42  # R_X86_64_IRELATIVE, R_386_IRELATIVE
        fields = "<QQ" if self.is64 else "<II"
        for section in self.sections:
            if section["type"] not in (SHT_RELA, SHT_REL) or not section["entry"]:
                continue
            table = self.sections[section["link"]]
            names = [symbol[0] for symbol in self.symbols_in(table)] if table["entry"] else []
            for at in range(section["offset"], section["offset"] + section["size"],
                            section["entry"]):
                slot, info = struct.unpack_from(fields, self.data, at)
                bits = 32 if self.is64 else 8
                kind, index = info & (1 << bits) - 1, info >> bits
                name = names[index] if index < len(names) else ""
                if name or kind == chosen:
                    slots[slot] = Relocation(name, kind == chosen)
        return slots

    def read_eh_frame(self):
        """The functions that FDEs describe (LSB, "Exception Frames")."""
        section = self.section_named(".eh_frame")
        if not section:
            return
        at, end = section["offset"], section["offset"] + section["size"]
        encodings = {}
        while at + 8 <= end:
            length, = struct.unpack_from("<I", self.data, at)
            if not length:
                break
            cie, = struct.unpack_from("<I", self.data, at + 4)
            if cie == 0:
                encodings[at] = self.encodings_of(at + 8)
            else:
                function = self.read_fde(section, at + 8, *encodings[at + 4 - cie])
                if function:
                    yield function
            at += 4 + length

    def encodings_of(self, at):
        """How a CIE's FDEs write addresses and the place of their landing pads, None for nowhere."""
        addresses, pads = 0, None
        version = self.data[at]
        augmentation = self.string(at + 1, 0)
        at += 2 + len(augmentation)
        for _ in range(2):  # code and data alignment: their lengths only
            at = uleb(self.data, at)[1]
        at = at + 1 if version == 1 else uleb(self.data, at)[1]
        if not augmentation.startswith("z"):
            return addresses, pads
        at = uleb(self.data, at)[1]
        for letter in augmentation[1:]:
            if letter == "R":
                addresses, at = self.data[at], at + 1
            elif letter == "P":
                at = self.encoded(at + 1, self.data[at] & 15)[1]
            elif letter == "L":
                pads, at = self.data[at], at + 1
        return addresses, pads

    def read_fde(self, section, at, addresses, pads):
        bias = section["addr"] - section["offset"]
        start, at = self.encoded(at, addresses, bias)
        size, at = self.encoded(at, addresses & 15)
        if not start or size <= 0:
            return None
        function = Function(start, start + size)
        if pads is not None:
            place = self.encoded(uleb(self.data, at)[1], pads, bias)[0]
            if place:
                self.tables[function] = place
        return function

    def encoded(self, at, encoding, bias=0):
        """A value as DW_EH_PE_* says, and the offset after it; indirect ones are not followed."""
        kind = encoding & 15
        if kind in (1, 9):
            value, after = uleb(self.data, at)
        else:
            letter = {0: "Q" if self.is64 else "I", 2: "H", 3: "I", 4: "Q", 10: "h", 11: "i",
                      12: "q"}[kind]
            value, = struct.unpack_from("<" + letter, self.data, at)
            after = at + struct.calcsize("<" + letter)
        if value and encoding & 0x70 == 0x10:
            value = (value + at + bias) & self.mask()
        return value, after

    def landing_pads(self, function):
        """Where exceptions enter a function (the LSDA's call-site table, as g++ writes it)."""
        section = self.section_named(".gcc_except_table")
        if not section or function not in self.tables:
            return set()
        at = self.tables[function] - section["addr"] + section["offset"]
        start, pads = function.start, set()
        if self.data[at] != 0xFF:
            start, at = self.encoded(at + 1, self.data[at], section["addr"] - section["offset"])
        else:
            at += 1
        at = at + 1 if self.data[at] == 0xFF else uleb(self.data, at + 1)[1]
        encoding = self.data[at]
        size, at = uleb(self.data, at + 1)
        end = at + size
        while at < end:
            for _ in range(3):  # where the calls begin, their length, the landing pad
                value, at = self.encoded(at, encoding)
            if value:
                pads.add(start + value)
            at = uleb(self.data, at)[1]
        return pads

    def section_named(self, name):
        return next((s for s in self.sections if s["name"] == name), None)

    def mask(self):
        return (1 << (64 if self.is64 else 32)) - 1

    # Addresses, bytes, functions

    def address_of(self, offset):
        for start, vaddr, size in self.segments:
            if start <= offset < start + size:
                return vaddr + offset - start
        return None

    def offset_of(self, address):
        for start, vaddr, size in self.segments:
            if vaddr <= address < vaddr + size:
                return start + address - vaddr
        return None

    def bytes_at(self, address, size):
        offset = self.offset_of(address)
        return b"" if offset is None else self.data[offset:offset + size]

    def section_of(self, address):
        return next((s["name"] for s in self.sections
                     if s["addr"] and s["addr"] <= address < s["addr"] + s["size"]), "")

    def function(self, address):
        """The function that holds an address, by CFI or else by symbols; or None."""
        for starts, functions in ((self.fde_starts, self.fdes), (self.symbol_starts, self.symbols)):
            i = bisect.bisect_right(starts, address) - 1
            while i >= 0 and address - functions[i].start < 1 << 20:
                if address < functions[i].end:
                    return functions[i]
                i -= 1
                if functions is self.fdes:
                    break
        return None

    def linkage(self, address):
        """What an entry of a linkage table leads to, or None if there is no such entry there."""
        code = self.bytes_at(address, 16)
        at = 4 if code[:4] == b"\xf3\x0f\x1e\xfa" else 0  # endbr64
        at += code[at:at + 1] == b"\xf2"  # bnd
        if code[at:at + 2] != b"\xff\x25" or len(code) < at + 6:
            return None
        displacement, = struct.unpack_from("<i", code, at + 2)
        slot = displacement + (address + at + 6 if self.is64 else 0)
        return self.slots.get(slot & self.mask())

    def call_before(self, address):
        """(is there an indirect call before it?, the target of a direct one before it or None).
        Both where the same bytes can be read both ways."""
        start = max(0, 7)
        code = self.bytes_at(address - LONGEST_CALL, LONGEST_CALL)
        if len(code) < LONGEST_CALL:  # at the segment's beginning
            code = self.bytes_at(address - 5, 5).rjust(LONGEST_CALL, b"\0")
        target = None
        if code[-5] == 0xE8:
            displacement, = struct.unpack_from("<i", code, len(code) - 4)
            target = (address + displacement) & self.mask()
            if self.offset_of(target) is None:
                target = None
        return any(indirect_call_size(code[-size:]) == size for size in range(2, 8)), target

    def jumps_out(self, function):
        """(addresses outside of a function that its direct jumps lead to, or its end if its last
        instruction does not leave it; has it indirect jumps?)"""
        if function not in self.jumps:
            output = self.disassemble(function)
            found = [match.group(3) for match in map(JUMP.match, output.splitlines()) if match]
            targets = {int(text, 16) for text in found if text != "*"}
            last = [line for line in output.splitlines() if INSTRUCTION.match(line)][-1:]
            if last and not LEAVES.search(last[0]):
                targets.add(function.end)
            self.jumps[function] = ({target for target in targets
                                     if not function.start <= target < function.end}, "*" in found)
        return self.jumps[function]

    def disassemble(self, function):
        """objdump is given the function alone: it reads all symbols of a file each time."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.bytes_at(function.start, function.end - function.start))
            file.flush()
            return subprocess.run(["objdump", "-D", "-b", "binary", "--no-show-raw-insn",
                                   "-m", "i386:x86-64" if self.is64 else "i386",
                                   f"--adjust-vma={function.start:#x}", file.name],
                                  stdout=subprocess.PIPE, check=True, text=True).stdout


def indirect_call_size(code):
    """The length of the `call *...` (FF /2) at the start of these bytes, without prefixes; or 0."""
    if len(code) < 2 or code[0] != 0xFF or code[1] >> 3 & 7 != 2:
        return 0
    mode, rm = code[1] >> 6, code[1] & 7
    if mode == 3:
        return 2
    size = 2 + (0, 1, 4)[mode]
    if rm == 4:
        if len(code) < 3:
            return 0
        size += 1
        if mode == 0 and code[2] & 7 == 5:
            size += 4
    elif mode == 0 and rm == 5:
        size += 4  # relative to %rip, or absolute in 32-bit code
    return size
