#!/usr/bin/env python3
"""caller_pairs.py [--assert] [--examples N] [--newest TIME] < SCRIPT: does the code agree with each
caller?

SCRIPT is the output of `dendro script`. Of every pair of neighbours among a path's user frames: does
the return address follow a call instruction, and where that call is direct, does it lead to the
callee's function? Functions are what FDEs or symbols describe; entries of linkage tables lead to
what their relocations name; where the target is another function, its jumps are followed, because
it may have made a tail call. What cannot be known is skipped and counted: code made at run time,
files that are gone, not ELF, or (with --newest) written after that time.

Kinds:
  right                 a direct call to the callee's function
  right, by jumps       to a function whose direct jumps lead to the callee's
  chosen at run time    to an IFUNC, or to the dynamic loader's lazy binding
  tail call possible    to a function that has an indirect jump, or one out of its file
  function unknown      a direct call; no FDE or symbol tells the target or the callee
  indirect              after an indirect call
  exempt                signal frames, landing pads, vfork()'s children in exec, and see EXEMPT
  contradicting         a direct call to something else
  not after a call

Pairs with a guessed frame, and pairs with a stitched one, are counted apart. --assert fails if any
pair contradicts the code or does not follow a call, or if none is right.
"""

import argparse
import collections
import os
import re
import sys

import elf_code

SAMPLE = re.compile(r"^(\S.*?)\s+(-?\d+(?:/-?\d+)?)\s+(?:\[\d+\]\s+)?(\d+\.\d+):")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*) \(([^()]*(?: \(deleted\))?)\)((?: \[\w+\])*)$")
OFFSET = re.compile(r"\+0x([0-9a-f]+)$")
KERNEL_START = 0xFFFF000000000000
MAX_CHAIN = 40
# mov $__NR_rt_sigreturn,%eax or %rax; syscall. And i386's sigreturn and rt_sigreturn.
TRAMPOLINES = (b"\xb8\x0f\x00\x00\x00\x0f\x05", b"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05",
               b"\x58\xb8\x77\x00\x00\x00\xcd\x80", b"\xb8\xad\x00\x00\x00\xcd\x80")
# Callers that no call instruction made, by the name of the callee or of the caller, and why.
EXEMPT = (
    ("callee", r"runtime\.(asyncPreempt|sigpanic)(\.abi0)?",
     "Go's signal handler makes the interrupted code call it"),
    ("caller", r"runtime\.goexit(\.abi0)?", "Go puts it below a goroutine's first function"),
    ("caller", r"__start_context", "makecontext() puts it below a coroutine's first function"),
    ("caller", r"makecontext", "makecontext() puts it below a coroutine's first function (i386)"),
)
LANDING = r"_Unwind_(RaiseException|Resume|ForcedUnwind|Resume_or_Rethrow)"
# In such a call's mm_release() the kernel wakes the parent of a vfork(), whose stack the child still has.
EXECS, MEMORY_IS_SHARED = r"(execve|execveat|_exit)", "mm_release"
BAD = ("contradicting", "not after a call")
KINDS = ("right", "right, by jumps", "chosen at run time", "tail call possible", "function unknown",
         "indirect", "exempt", *BAD)
LEAF, INNER, IN_EXEC = range(3)
HOW = ("by CFI", "guessed", "stitched")

Frame = collections.namedtuple("Frame", "offset name module marks")


class Modules:
    """Files by their path; None with a reason counted where there is no code to look at."""

    def __init__(self, newest):
        self.newest, self.files, self.why = newest, {}, {}

    def get(self, path):
        if path not in self.files:
            self.files[path], self.why[path] = self.open(path)
        return self.files[path]

    def open(self, path):
        if not path.startswith("/") or path.startswith("//anon"):
            return None, "code of no file"
        try:
            if self.newest and os.stat(path).st_mtime > self.newest:
                return None, "file written since"
            return elf_code.ElfCode(path), ""
        except OSError:
            return None, "no such file here"
        except elf_code.NotElf:
            return None, "not an ELF file for x86"

    def defining(self, name):
        """(file, address) of each definition of a name in the files seen so far"""
        for code in list(self.files.values()):
            for address in code.names.get(name, ()) if code else ():
                yield code, address


def samples(lines):
    """(thread and time, user frames leaf first, has the parent of vfork() its stack back?)"""
    key, frames, shared = None, [], False
    for line in lines:
        line = line.rstrip("\n")
        if line.startswith((" ", "\t")) and key:
            match = FRAME.match(line)
            if not match:
                frames.append(Frame(0, "", "", ""))  # so that its neighbours do not become a pair
                continue
            address = int(match.group(1), 16)
            if address >= KERNEL_START or match.group(3).startswith("[kernel"):
                shared |= MEMORY_IS_SHARED in match.group(2)
            elif match.group(3) != "[dendro]":
                frames.append(Frame(address, match.group(2), match.group(3), match.group(4)))
        elif not line:
            if key:
                yield key, frames, shared
            key, frames, shared = None, [], False
        else:
            match = SAMPLE.match(line)
            if match:
                key = (match.group(1), match.group(2), match.group(3))
    if key:
        yield key, frames, shared


class Judge:
    def __init__(self, modules):
        self.modules = modules

    def judge(self, callee, caller, place):
        """(kind, remark) of a pair; kind None if it is skipped, with the reason as the remark

        @place: LEAF where the callee is the sampled instruction, INNER elsewhere, IN_EXEC anywhere
        on a stack that vfork()'s parent has back"""
        code = self.modules.get(caller.module)
        if not code:
            return None, self.modules.why[caller.module]
        lookup = code.address_of(caller.offset)
        if lookup is None:
            return None, "not in the file's code"
        exempt = self.exemption(callee, caller, code, lookup, place)
        if exempt:
            return "exempt", exempt
        kind, remark = self.by_call(code, lookup + 1, callee)
        if kind in BAD and place == IN_EXEC:
            return "exempt", "vfork()'s parent runs on the stack while the child is in exec"
        return kind, remark

    def by_call(self, code, address, callee):
        indirect, target = code.call_before(address)
        if target is None:
            return ("indirect" if indirect else "not after a call"), ""
        kind, remark = self.direct(code, target, callee)
        return ("indirect", "") if kind == "contradicting" and indirect else (kind, remark)

    def exemption(self, callee, caller, code, lookup, place):
        if self.is_trampoline(callee) or self.is_trampoline(caller):
            return "signal frame"
        name = OFFSET.sub("", callee.name)
        if place == LEAF and re.fullmatch(LANDING, name):
            function = code.function(lookup)
            if function and lookup in code.landing_pads(function):
                return "a landing pad, about to be entered"
        for which, pattern, reason in EXEMPT:
            name = OFFSET.sub("", (callee if which == "callee" else caller).name)
            if re.fullmatch(pattern, name):
                return reason
        return ""

    def is_trampoline(self, frame):
        code = self.modules.get(frame.module)
        if not code:
            return "sigreturn" in frame.name
        return any(code.data.startswith(bytes_, frame.offset - at)
                   for bytes_ in TRAMPOLINES for at in range(-1, len(bytes_) + 1))

    def direct(self, code, target, callee):
        callee_code = self.modules.get(callee.module)
        if not callee_code:
            return None, "callee: " + self.modules.why[callee.module]
        address = callee_code.address_of(callee.offset)
        if address is None:
            return None, "callee: not in the file's code"
        return self.follow(code, target, callee_code, address, callee)

    def follow(self, code, target, callee_code, address, callee):
        """From a call's target over jumps to the callee, breadth first."""
        function = callee_code.function(address)
        queue, seen = collections.deque([(code, target, False)]), set()
        possible = unknown = False
        while queue and len(seen) < MAX_CHAIN:
            code, target, jumped = queue.popleft()
            if (code.path, target) in seen:
                continue
            seen.add((code.path, target))
            if code is callee_code and (target == address or
                                        function and function.start <= target < function.end):
                return ("right, by jumps" if jumped else "right"), ""
            entry = code.linkage(target)
            if entry:
                kind = self.linked(code, entry, callee_code, address, callee)
                if kind:
                    return kind, ""
                defining = [(*found, jumped) for found in self.modules.defining(entry.name)]
                queue.extend(defining)
                unknown |= not defining  # in a file that no frame of the recording is in
                continue
            there = code.function(target)
            if not there:
                unknown = True
                continue
            if target in code.ifuncs and code is callee_code:
                return "chosen at run time", ""
            outside, indirect = code.jumps_out(there)
            queue.extend((code, other, True) for other in outside)
            possible |= indirect
        if possible or queue:
            return "tail call possible", ""
        if unknown or not function:
            return "function unknown", ""
        return "contradicting", f"the call is to {target:#x}"

    def linked(self, code, entry, callee_code, address, callee):
        """The kind, if the entry of a linkage table alone tells it."""
        if entry.chosen:
            return "chosen at run time"
        if callee_code is code and code.section_of(address).startswith(".plt"):
            return "right"
        if "_dl_runtime_resolve" in callee.name:
            return "chosen at run time"
        if any(other is callee_code and value in other.ifuncs
               for other, value in self.modules.defining(entry.name)):
            return "chosen at run time"
        return None


class Table:
    def __init__(self):
        self.counts = {how: collections.Counter() for how in HOW}
        self.remarks = {kind: collections.Counter() for kind in KINDS}
        self.skipped = collections.Counter()
        self.examples = {}
        self.known = {}

    def add(self, judge, key, callee, caller, place):
        how = "stitched" if "[stitched]" in callee.marks + caller.marks else \
            "guessed" if "[guessed]" in callee.marks + caller.marks else "by CFI"
        pair = (callee.module, callee.offset, caller.module, caller.offset, place)
        if pair not in self.known:
            self.known[pair] = judge.judge(callee, caller, place)
        kind, remark = self.known[pair]
        if not kind:
            self.skipped[remark] += 1
            return
        self.counts[how][kind] += 1
        if kind == "exempt":
            self.remarks[kind][remark] += 1
        if kind in BAD:
            example = self.examples.setdefault((kind, callee.name, callee.module, caller.name,
                                                caller.module), [0, how, key, remark])
            example[0] += 1

    def bad(self, how):
        return sum(self.counts[how][kind] for kind in BAD)

    def show(self, n_examples):
        print(f"| {'':24}" + "".join(f"| {how:>9} " for how in HOW) + "|")
        print("|---" + "|---:" * len(HOW) + "|")
        for kind in KINDS:
            print(f"| {kind:24}" + "".join(f"| {self.counts[how][kind]:9} " for how in HOW) + "|")
        n_pairs = sum(sum(counts.values()) for counts in self.counts.values())
        print(f"{n_pairs} pairs of frames, {len(self.known)} different ones; "
              f"{sum(self.skipped.values())} more were skipped:")
        for title, counter in (("", self.skipped), ("exempt: ", self.remarks["exempt"])):
            for remark, count in counter.most_common():
                print(f"  {count:8} {title}{remark}")
        ranked = sorted(self.examples.items(), key=lambda item: -item[1][0])
        for (kind, callee, callee_at, caller, caller_at), found in ranked[:n_examples]:
            count, how, (comm, thread, time), remark = found
            print(f"  {count:8} {kind}, {how}: {callee} ({callee_at}), called from {caller} "
                  f"({caller_at}); {remark}; first: {comm} {thread} at {time}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assert", action="store_true", dest="asserts")
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--newest", type=float, help="seconds since 1970")
    arguments = parser.parse_args()
    modules, table = Modules(arguments.newest), Table()
    judge = Judge(modules)
    for key, frames, shared in samples(sys.stdin):
        in_exec = shared and frames and re.fullmatch(EXECS, OFFSET.sub("", frames[0].name))
        for i, (callee, caller) in enumerate(zip(frames, frames[1:])):
            place = IN_EXEC if in_exec else INNER if i else LEAF
            table.add(judge, key, callee, caller, place)
    table.show(arguments.examples)
    if not arguments.asserts:
        return 0
    n_bad = sum(table.bad(how) for how in HOW)
    return 0 if n_bad == 0 and table.counts["by CFI"]["right"] else 1


if __name__ == "__main__":
    sys.exit(main())
