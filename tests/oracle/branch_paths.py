"""Judges 'dendro branches' on a program that is executed step by step.

    branch_paths.py record PROGRAM FILE   executes PROGRAM; FILE: perf.data with branch stacks, FILE.json: the steps
    branch_paths.py record-bare PROGRAM FILE      likewise, without call chains, with which some programs read no branches
    branch_paths.py judge PROGRAM FILE    FILE.json against the JSON of dendro on standard input
    branch_paths.py judge-listing PROGRAM FILE    likewise, of dendro annotate
    branch_paths.py judge-contexts PROGRAM FILE    likewise, of --by-context

The control flow is objdump's, loops are closed by edges to dominators, and paths are cut out of the
list of all executed instructions: nothing is known of dendro's way. PROGRAM is static and not
position-independent, and has no library.
"""

import collections
import ctypes
import json
import os
import random
import re
import struct
import subprocess
import sys

DEPTH = 24  # branches in a stack
RIP = 16 * 8  # struct user_regs_struct, in struct user
IP, TID, TIME, CALLCHAIN, BRANCHES = 1 << 0, 1 << 1, 1 << 2, 1 << 5, 1 << 11
USER = 2**64 - 512  # PERF_CONTEXT_USER
JUMP, MAY_JUMP, CALL, RETURN, STOP, NEXT = "jump", "may jump", "call", "return", "stop", "next"


class Code:
    """The instructions of a program: address -> (size, kind, target), and functions as ranges."""

    def __init__(self, program):
        self.at, self.functions, name = {}, {}, None
        text = subprocess.run(["objdump", "-d", "-w", program], check=True, capture_output=True, text=True)
        for line in text.stdout.splitlines():
            if head := re.match(r"[0-9a-f]+ <([^>]+)>:", line):
                name = head[1]
                self.functions[name] = []
            parts = line.split("\t")
            if len(parts) < 3 or not name:
                continue
            address = int(parts[0].strip(" :"), 16)
            words = [w for w in parts[2].split() if w not in ("bnd", "notrack", "rep", "repz")]
            self.at[address] = (len(parts[1].split()), *self.kind(words or ["nop"]))
            self.functions[name].append(address)
        self.function_of = {a: f for f, all in self.functions.items() for a in all}
        # By the address that a call returns to, which may be the next function's.
        self.caller_of = {self.after(a): f for a, f in self.function_of.items() if self.at[a][1] == CALL}

    @staticmethod
    def kind(words):
        target = int(words[1], 16) if len(words) > 1 and re.fullmatch("[0-9a-f]+", words[1]) else None
        for pattern, kind in (("jmp", JUMP), ("j", MAY_JUMP), ("call", CALL), ("ret", RETURN), ("ud2|hlt", STOP)):
            if re.match(pattern, words[0]):
                return kind, target
        return NEXT, None

    def after(self, address):
        return address + self.at[address][0]


class Flow:
    """A function's blocks and which edges close loops. seen: edges of jumps through registers."""

    def __init__(self, code, name, seen):
        self.code, self.addresses = code, code.functions[name]
        self.entry, inside = self.addresses[0], set(self.addresses)
        self.successors, self.leaders, self.leaves = collections.defaultdict(set), {self.entry}, set()
        for address in self.addresses:
            _, kind, target = code.at[address]
            if kind in (JUMP, MAY_JUMP):
                targets = {target} if target is not None else {b for a, b in seen if a == address}
                self.successors[address] |= targets & inside
                self.leaders |= targets & inside
                if not targets & inside:
                    self.leaves.add(address)
            if kind in (RETURN, STOP):
                self.leaves.add(address)
            if kind in (NEXT, CALL, MAY_JUMP):
                if code.after(address) in inside:
                    self.successors[address].add(code.after(address))
                else:
                    self.leaves.add(address)
            if kind in (JUMP, MAY_JUMP, RETURN, STOP) and code.after(address) in inside:
                self.leaders.add(code.after(address))
        self.find_dominators()

    def find_dominators(self):
        reached, todo = {self.entry}, [self.entry]
        while todo:
            for to in self.successors[todo.pop()] - reached:
                reached.add(to)
                todo.append(to)
        before = collections.defaultdict(set)
        for a in reached:
            for b in self.successors[a]:
                before[b].add(a)
        self.dominators = {a: set(reached) for a in reached}
        self.dominators[self.entry] = {self.entry}
        changed = True
        while changed:
            changed = False
            for a in sorted(reached - {self.entry}):
                new = {a} | set.intersection(*(self.dominators[b] for b in before[a]))
                changed |= new != self.dominators[a]
                self.dominators[a] = new

    def closes(self, a, b):
        return b in self.dominators.get(a, ())

    def is_reducible(self):
        """Whether every loop is closed by edges to a dominator; else there are several ways to cut."""
        into = collections.Counter(b for a in self.dominators for b in self.successors[a] if not self.closes(a, b))
        todo, n = [a for a in self.dominators if not into[a]], 0
        while todo:
            n += 1
            a = todo.pop()
            for b in self.successors[a]:
                if not self.closes(a, b):
                    into[b] -= 1
                    todo += [b] if not into[b] else []
        return n == len(self.dominators)

    def block(self, leader):
        """Its addresses: of one that a stack begins or ends in, not all were executed as often."""
        yield leader
        for a in self.addresses[self.addresses.index(leader) + 1 :]:
            if a in self.leaders:
                return
            yield a

    def n_paths(self):
        """Of the code that a path from the entry reaches, by counting from every beginning."""
        below = {}

        def count(a):
            if a not in below:
                below[a] = (a in self.leaves) + any(self.closes(a, b) for b in self.successors[a])
                below[a] += sum(count(b) for b in self.successors[a] if not self.closes(a, b))
            return below[a]

        rounds = {b for a in self.dominators for b in self.successors[a] if self.closes(a, b)}
        return count(self.entry) + sum(count(b) for b in rounds)


def execute(program):
    """The addresses of all instructions that are executed, in their order."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    pid = os.fork()
    if not pid:
        libc.ptrace(0, 0, None, None)  # PTRACE_TRACEME
        os.execv(program, [program])
    steps = []
    while not os.WIFEXITED(os.waitpid(pid, 0)[1]):
        steps.append(libc.ptrace(3, pid, RIP, None))  # PTRACE_PEEKUSER
        if libc.ptrace(9, pid, None, None):  # PTRACE_SINGLESTEP
            sys.exit("a step is not permitted here")
    return pid, steps


def write_recording(path, program, pid, samples, has_chains):
    def record(kind, misc, body):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def identity(time):
        return struct.pack("<IIQ", pid, pid, time)

    file = os.stat(program)
    identity_of_file = struct.pack("<IIQQII", os.major(file.st_dev), os.minor(file.st_dev), file.st_ino, 0, 5, 2)
    name = os.path.realpath(program).encode() + b"\0"
    name += b"\0" * (-len(name) % 8)
    data = record(3, 0x2000, struct.pack("<II8s", pid, pid, b"steps") + identity(1))
    for line in subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"] and "E" in "".join(words[6:-1]):
            offset, address, size = (int(words[i], 16) for i in (1, 2, 5))
            low, end = address & ~4095, (address + size + 4095) & ~4095
            mapping = struct.pack("<IIQQQ", pid, pid, low, end - low, offset & ~4095)
            data += record(10, 2, mapping + identity_of_file + name + identity(2))
    for time, (ip, callers, stack) in enumerate(samples, 3):
        chain = [USER, ip, *reversed(callers)]
        body = struct.pack("<QIIQ", ip, pid, pid, time)
        if has_chains:
            body += struct.pack(f"<{1 + len(chain)}Q", len(chain), *chain)
        body += struct.pack("<Q", len(stack))
        for source, target, mispredicted, cycles in reversed(stack):
            body += struct.pack("<QQQ", source, target, (1 if mispredicted else 2) | cycles << 4)
        data += record(9, 2, body)
    sample_type = IP | TID | TIME | BRANCHES | (CALLCHAIN if has_chains else 0)
    # instructions:u, a sample every 1000, branch_sample_type: u, any
    attr = struct.pack("<IIQQQQQ", 0, 128, 1, 1000, sample_type, 0, 1 << 5 | 1 << 18)
    attr += struct.pack("<IIQQQ", 0, 0, 0, 0, 1 | 8) + b"\0" * 48
    attr = attr[:128]
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 144) + struct.pack("<6Q", 104, 144, 248, len(data), 0, 0) + b"\0" * 32
    with open(path, "wb") as file:
        file.write(head + attr + struct.pack("<QQ", 0, 0) + data)


def callers_of(code, steps):
    """Before each step: the return addresses on the stack, outermost first."""
    callers = [()]
    for a, b in zip(steps, steps[1:]):
        kind = code.at[a][1]
        callers.append(callers[-1] + (code.after(a),) if kind == CALL else callers[-1][:-1] if kind == RETURN else callers[-1])
    return callers


def context_of(code, address, callers):
    """The functions that are active, outermost first; one that is active already keeps its context."""
    names = []
    for name in [code.caller_of[caller] for caller in callers] + [code.function_of[address]]:
        del names[names.index(name) if name in names else len(names) :]
        names.append(name)
    return tuple(names)


def record_bare(program, path):
    record(program, path, has_chains=False)


def record(program, path, has_chains=True):
    code, chance = Code(program), random.Random(1)
    pid, steps = execute(program)
    branches, windows, samples, callers = [], [], [], callers_of(code, steps)
    for i, (a, b) in enumerate(zip(steps, steps[1:])):
        kind = code.at[a][1]
        if kind in (JUMP, CALL, RETURN) or (kind == MAY_JUMP and b != code.after(a)):
            branches.append((i, a, b, chance.random() < 0.2, chance.randrange(1, 200)))
    last = DEPTH
    while last <= len(branches):
        stack = branches[last - DEPTH : last]
        windows.append([stack[0][0], stack[-1][0] + 1, {i: (m, c) for i, _, _, m, c in stack}])
        at = stack[-1][0] + 1
        samples.append((steps[at], callers[at], [b[1:] for b in stack]))
        last += chance.randrange(5, 40)
    write_recording(path, program, pid, samples, has_chains)
    with open(path + ".json", "w", encoding="ascii") as file:
        json.dump({"steps": steps, "windows": windows}, file)
    print(f"{len(steps)} instructions, {len(branches)} branches, {len(samples)} stacks")


def cut_paths(code, flows, steps, first, end, taken):
    """Yields (first step, function, begin, end, blocks, mispredicted, cycles, instructions) of one stack."""
    stack = []  # of [function, begin, addresses, mispredicted, cycles, first step]

    def close(path, how):
        function, begin, addresses, mispredicted, cycles, step = path
        n = len(addresses) - (1 if path is landing else 0)
        blocks = tuple(a for k, a in enumerate(addresses) if not k or a in flows[function].leaders)
        return step, function, begin, how, blocks, mispredicted, cycles, n

    landing = None
    stack.append([code.function_of[steps[first]], "inside", [steps[first]], 0, 0, first])
    for i in range(first, end):
        a, b = steps[i], steps[i + 1]
        kind, top, to = code.at[a][1], stack[-1], code.function_of[b]
        mispredicted, cycles = taken.get(str(i), (0, 0))
        top[3] += mispredicted
        top[4] += cycles
        if kind == CALL:
            stack.append([to, "entry", [b], 0, 0, i + 1])
        elif kind == RETURN or to != top[0]:
            yield close(stack.pop(), "exit")
            if kind != RETURN:
                stack.append([to, "entry", [b], 0, 0, i + 1])
            elif stack:
                stack[-1][2].append(b)
            else:
                stack.append([to, "inside", [b], 0, 0, i + 1])
        elif flows[to].closes(a, b):
            yield close(stack.pop(), "loop")
            stack.append([to, "loop", [b], 0, 0, i + 1])
        else:
            top[2].append(b)
    landing = stack[-1]
    for path in stack:
        yield close(path, "inside")


def judge_contexts(program, path):
    """The same by calling context, of all functions that have one way to cut paths."""
    code, theirs = Code(program), json.load(sys.stdin)
    with open(path + ".json", encoding="ascii") as file:
        truth = json.load(file)
    steps = truth["steps"]
    callers = callers_of(code, steps)
    seen = {(steps[int(i)], steps[int(i) + 1]) for w in truth["windows"] for i in w[2]}
    flows = {name: Flow(code, name, seen) for name in code.functions}
    tables = [collections.defaultdict(lambda: [0] * 4) for _ in range(2)]

    def count(table, context, key, values):
        if not flows[context[-1]].is_reducible():
            key, values = ("irreducible",), [0, *values[1:]]
        table[(context, *key)] = [a + b for a, b in zip(table[(context, *key)], values)]

    for first, end, taken in truth["windows"]:
        for step, _, *key, mispredicted, cycles, n in cut_paths(code, flows, steps, first, end, taken):
            count(tables[0], context_of(code, steps[step], callers[step]), key, [1, mispredicted, cycles, n])
    for function in theirs["functions"]:
        assert function["context"][-1] == function["function"] and "blocks" not in function
        for p in function["paths"]:
            key = p["begin"], p["end"], tuple(p["blocks"])
            values = [p["count"], p["mispredicted"], p["cycles"], p["instructions"]]
            count(tables[1], tuple(function["context"]), key, values)
    for key in sorted(set(tables[0]) | set(tables[1])):
        if tables[0].get(key) != tables[1].get(key):
            print(key[:3], "truth:", tables[0].get(key), "dendro:", tables[1].get(key))
    assert tables[0] == tables[1]
    assert theirs["without_callers"] == 0
    print(f"{len({key[0] for key in tables[0]})} contexts, {len(tables[0])} paths in them: equal")


def judge(program, path):
    code, theirs = Code(program), json.load(sys.stdin)
    with open(path + ".json", encoding="ascii") as file:
        truth = json.load(file)
    steps = truth["steps"]
    seen = {(steps[int(i)], steps[int(i) + 1]) for w in truth["windows"] for i in w[2]}
    flows = {name: Flow(code, name, seen) for name in code.functions}
    expected, executed = collections.defaultdict(lambda: [0] * 4), collections.Counter()
    for first, end, taken in truth["windows"]:
        executed.update(steps[first:end])
        for _, *key, mispredicted, cycles, n in cut_paths(code, flows, steps, first, end, taken):
            for i, value in enumerate((1, mispredicted, cycles, n)):
                expected[tuple(key)][i] += value
    found = {}
    for function in theirs["functions"]:
        name, numbers = function["function"], []
        for p in function["paths"]:
            key = (name, p["begin"], p["end"], tuple(p["blocks"]))
            values = [p["count"], p["mispredicted"], p["cycles"], p["instructions"]]
            # Parts that end at different calls of a block are different paths.
            assert key not in found or "inside" in key, key
            found[key] = [a + b for a, b in zip(found.get(key, [0] * 4), values)]
            whole = "inside" not in key
            assert whole == (p["number"] is not None), p
            numbers += [p["number"]] if whole else []
        assert len(set(numbers)) == len(numbers), (name, numbers)
        assert all(n < function["possible_paths"] for n in numbers), (name, numbers)
        if flows[name].is_reducible():
            assert function["possible_paths"] == flows[name].n_paths(), (name, flows[name].n_paths())
        for block in function["blocks"]:
            n = max(executed[a] for a in flows[name].block(block["start"]))
            assert block["executed"] == n, (name, block, n)
    for name in [name for name, flow in flows.items() if not flow.is_reducible()]:
        for table in (found, expected):
            parts = [table.pop(key) for key in list(table) if key[0] == name]
            # Where paths are cut is a choice there; what they add up to is not.
            table[(name, "irreducible", "irreducible", ())] = [0] + [sum(p[i] for p in parts) for i in (1, 2, 3)]
    for key in sorted(set(found) | set(expected)):
        if found.get(key) != expected.get(key):
            print(key[:3], [hex(a) for a in key[3]], "dendro:", found.get(key), "truth:", expected.get(key))
    assert found == dict(expected)
    assert theirs["broken"] == 0 and theirs["stacks"] == len(truth["windows"])
    whole = sum(v[0] for k, v in expected.items() if "inside" not in k)
    print(f"{len(expected)} paths, {sum(v[0] for v in expected.values())} executions, {whole} of them whole: equal")


def judge_listing(program, path):
    """How often each instruction of a function was executed, in the JSON of 'dendro annotate'."""
    with open(path + ".json", encoding="ascii") as file:
        truth = json.load(file)
    steps, executed, mispredicted = truth["steps"], collections.Counter(), collections.Counter()
    for first, end, taken in truth["windows"]:
        executed.update(steps[first:end])
        for i, (is_mispredicted, _) in taken.items():
            mispredicted[steps[int(i)]] += is_mispredicted
    n = 0
    for function in json.load(sys.stdin)["functions"]:
        for at in function["instructions"]:
            address = int(at["address"], 16)
            n += executed[address]
            assert at["executed"] == executed[address], at
            assert at["mispredicted"] == mispredicted[address], at
        for line in function["lines"]:
            of = [i for i in function["instructions"] if i.get("line") == line.get("line")]
            assert line["executed"] == max(i["executed"] for i in of), line
            assert line["mispredicted"] == sum(i["mispredicted"] for i in of), line
    assert n
    print(f"{program}: {n} executions: equal")


if __name__ == "__main__":
    commands = {"record": record, "record-bare": record_bare, "judge": judge}
    commands |= {"judge-contexts": judge_contexts, "judge-listing": judge_listing}
    commands[sys.argv[1]](*sys.argv[2:])
