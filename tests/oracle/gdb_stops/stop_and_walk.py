"""Runs inside gdb, attached to a running program: stops it at random moments and writes cases.

What it needs comes in environment variables: STOPS_FILE (appended to), STOPS_MAX. A case is what
an unwinder gets from a sample, and the frames gdb sees; tests/oracle/gdb_stops/unwind_cases.c reads
it. Inline and tail-call frames have no separate call frame and are left out. With STOPS_VALUES, a
case has instead what gdb knows of each frame's variables, inlined ones' too, for value_cases.c.
"""

import collections
import os
import random
import struct
import subprocess

import gdb

STACK_SIZE = 65528
REGISTERS = ("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip").split()
FRAMES_MAX = 4000
# Of the values: frames of a stop, parts of a variable, elements of an array.
VALUE_FRAMES_MAX = 30
PARTS_MAX = 16
ELEMENTS_MAX = 4


def run_time(pid, tid):
    """Nanoseconds a thread has been on a processor."""
    try:
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])
    except OSError:
        return 0


def registers():
    frame = gdb.newest_frame()
    return [int(frame.read_register(name).cast(gdb.lookup_type("unsigned long"))) % 2**64
            for name in REGISTERS]


def stack_bytes(pid, start):
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        data = b""
        try:
            while len(data) < STACK_SIZE:
                # A read ends where the mapping does.
                part = memory.read(min(4096 - (start + len(data)) % 4096, STACK_SIZE - len(data)))
                if not part:
                    break
                data += part
        except OSError:
            pass
        return data


def walk():
    """[(address, function)], leaf first, and why gdb's walk ended."""
    frames = []
    try:
        frame = gdb.newest_frame()
        while frame and len(frames) < FRAMES_MAX:
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                frames.append((frame.pc(), (frame.name() or "??").replace(" ", "")))
            last, frame = frame, frame.older()
        reason = gdb.frame_stop_reason_string(last.unwind_stop_reason()).replace(" ", "_")
    except gdb.error as error:
        reason = "error:" + str(error).replace(" ", "_")
    return frames, reason


def bits_of(value, plain, size):
    """The bits of a value that is no struct and no array, as a number. None: gdb cannot tell."""
    try:
        if value.is_optimized_out:
            return None
        if plain.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            number = int(value.referenced_value().address)
        elif plain.code == gdb.TYPE_CODE_FLT:
            if plain.sizeof not in (4, 8):
                return None
            number = int.from_bytes(struct.pack("<f" if plain.sizeof == 4 else "<d",
                                                float(value)), "little")
        else:
            number = int(value)
        return number & (1 << size) - 1
    except (gdb.error, gdb.MemoryError, OverflowError, ValueError, TypeError):
        return None


def parts_of(value, bit, size, parts):
    """Appends (bit, number of bits, bits or None) for each scalar in a value."""
    plain = value.type.strip_typedefs()
    if len(parts) >= PARTS_MAX:
        return
    if plain.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        for field in plain.fields():
            if hasattr(field, "bitpos") and not field.artificial:
                parts_of(value[field], bit + field.bitpos, field.bitsize, parts)
    elif plain.code == gdb.TYPE_CODE_ARRAY:
        first, last = plain.range()
        element = plain.target().strip_typedefs().sizeof * 8
        for i in range(first, min(last + 1, first + ELEMENTS_MAX)):
            parts_of(value[i], bit + (i - first) * element, 0, parts)
    elif plain.sizeof <= 8 and plain.sizeof > 0:
        size = size or 8 * plain.sizeof
        parts.append((bit, size, bits_of(value, plain, size)))


def write_variables(output, number, depth, frame):
    """Those of a frame, of several with one name the innermost."""
    block, seen = frame.block(), set()
    while block:
        # rustc describes two variables of one name and block: which one is meant is not known.
        names = collections.Counter(symbol.name for symbol in block
                                    if symbol.is_argument or symbol.is_variable)
        seen |= {name for name, n in names.items() if n > 1}
        for symbol in block:
            if not (symbol.is_argument or symbol.is_variable) or symbol.name in seen:
                continue
            seen.add(symbol.name)
            parts, addr = [], None
            try:
                value = symbol.value(frame)
                addr = value.address
                parts_of(value, 0, 0, parts)
            except (gdb.error, gdb.MemoryError):
                pass
            if not parts:
                continue
            kind = "parameter" if symbol.is_argument else "local"
            output.write(f"variable {number} {depth} {frame.name().replace(' ', '')[:200]} {kind} {symbol.name} "
                         f"{int(addr) if addr is not None else 0:x} {len(parts)}\n".encode())
            for bit, size, bits in parts:
                text = "-" if bits is None else f"{bits:x}"
                output.write(f"{bit} {size} {text}\n".encode())
        if block.function:
            break
        block = block.superblock


def write_values(output):
    """The variables of all frames: by the number of the call frame, and how deep they are inlined."""
    number, inlined = 0, []
    frame = gdb.newest_frame()
    while frame and number < VALUE_FRAMES_MAX:
        kind = frame.type()
        if kind == gdb.INLINE_FRAME:
            inlined.append(frame)
        else:
            group = [frame, *reversed(inlined)]
            inlined = []
            if kind != gdb.TAILCALL_FRAME:
                output.write(f"frame {number} {frame.pc():x}\n".encode())
                for depth, one in enumerate(group):
                    try:
                        write_variables(output, number, depth, one)
                    except RuntimeError:  # no debug information
                        pass
                number += 1
        try:
            frame = frame.older()
        except gdb.error:
            break
    output.write(b"end\n")


def write_case(output, pid, maps):
    values = registers()
    stack = stack_bytes(pid, values[REGISTERS.index("rsp")])
    output.write(f"maps {maps}\n".encode())
    output.write(f"stop {' '.join(f'{value:x}' for value in values)} {len(stack)}\n".encode())
    output.write(stack + b"\n")
    if "STOPS_VALUES" in os.environ:
        write_values(output)
        return
    frames, reason = walk()
    output.write(f"gdb {reason} {len(frames)}\n".encode())
    for address, name in frames:
        output.write(f"{address:x} {name[:200]}\n".encode())


def save_maps(pid, path, last):
    """The number of the file with the maps as they are now; they change seldom."""
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
        text = file.read()
    if text == last[1]:
        return last
    number = last[0] + 1
    with open(f"{path}.maps.{pid}.{number}", "w", encoding="utf-8") as file:
        file.write(text)
    return number, text


def main():
    path, n_max = os.environ["STOPS_FILE"], int(os.environ["STOPS_MAX"])
    pid = gdb.selected_inferior().pid
    for setting in ("pagination off", "confirm off", "debuginfod enabled off",
                    "backtrace past-main on", "backtrace past-entry on",
                    "backtrace limit unlimited", "width 0"):
        try:
            gdb.execute(f"set {setting}")
        except gdb.error:
            pass
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGURG stop print nopass", to_string=True)
    random.seed(pid)
    maps = (0, "")
    with subprocess.Popen(["sh", "-c", "while read -r delay; do sleep $delay; kill -URG $0; done",
                           str(pid)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, text=True, bufsize=1) as alarm:
        with open(path, "ab") as output:
            n_written = 0
            while n_written < n_max:
                before = {thread.ptid[1]: run_time(pid, thread.ptid[1])
                          for thread in gdb.selected_inferior().threads()}
                alarm.stdin.write(f"{random.uniform(0.002, 0.012):.4f}\n")
                gdb.execute("continue", to_string=True)
                if not gdb.selected_inferior().pid:
                    break
                maps = save_maps(pid, path, maps)
                for thread in gdb.selected_inferior().threads():
                    tid = thread.ptid[1]
                    # Ran for most of the time, so it was stopped while it ran.
                    if run_time(pid, tid) - before.get(tid, 0) < 1000000:
                        continue
                    thread.switch()
                    write_case(output, pid, f"{path}.maps.{pid}.{maps[0]}")
                    n_written += 1
        alarm.stdin.close()
        if gdb.selected_inferior().pid:
            gdb.execute("kill")
        alarm.kill()


main()
