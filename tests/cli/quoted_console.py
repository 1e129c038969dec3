#!/usr/bin/env python3
"""quoted_console.py FILE CHAPTER...: runs the commands in chapters of a Markdown file, one after
the other in one bash and in the current folder, and fails where one doesn't print what is quoted.

In indented blocks, `$ ` begins a command and `> ` goes on with it. The lines that follow are quoted
from its output, with `...` for lines left out. Numbers, units, folders, marks of a tree and widths of
columns differ from run to run, and aren't compared.
"""

import re
import subprocess
import sys

END = "--- end of the command ---"
UNIT = r"( ?(%|ns|us|ms|s|B|KiB|MiB|GiB|k|M|G)(?![A-Za-z]))?"
VARIES = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{16,}\b|[±+x-]?\d[\d.,]*" + UNIT + r"|[├└│]|\S*/(?=\S)")


def read_commands(path, chapters):
    """Pairs of a command and the lines quoted from its output."""
    commands = []
    is_inside = False
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("## "):
                is_inside = line[3:] in chapters
            if not is_inside or not line.startswith("    "):
                continue
            line = line[4:]
            if line.startswith("$ "):
                commands.append([line[2:], []])
            elif line.startswith(">") and not commands[-1][1]:
                commands[-1][0] += "\n" + line[2:]
            elif line != "...":
                commands[-1][1].append(line)
    return commands


# The mark of numbers; what stands for none; where few samples are: of errors; of changes.
IGNORED = {"#", "-", "*", "error", "new", "gone"}


def words_of(line):
    """The words that are equal in each run."""
    return [word for word in VARIES.sub(" # ", line).split() if word not in IGNORED]


def run(shell, command):
    """What the command prints, in lines."""
    shell.stdin.write(f"{command}\necho; echo '{END}'\n")
    shell.stdin.flush()
    lines = []
    for line in shell.stdout:
        if line.startswith(END):
            return lines
        lines.append(line.rstrip("\n"))
    sys.exit("the shell ended")


def main():
    path, chapters = sys.argv[1], sys.argv[2:]
    commands = read_commands(path, chapters)
    n_missing = 0
    with subprocess.Popen(
        ["bash"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as shell:
        for command, quoted in commands:
            lines = run(shell, command)
            print(f"$ {command}", *lines, sep="\n")
            printed = [words_of(line) for line in lines]
            for line in quoted:
                if words_of(line) and words_of(line) not in printed:
                    print(f"NOT PRINTED: {line}")
                    n_missing += 1
        shell.stdin.close()
    if not commands:
        sys.exit(f"{path} has no commands in: {', '.join(chapters)}")
    sys.exit(n_missing > 0)


main()
