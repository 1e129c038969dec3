#!/usr/bin/env python3
"""run_cells.py FILE : runs the cells ("# %%") of a file one after the other, as a notebook does: what
a cell prints, and the value of its last expression, are the lines after "#> " that follow it."""

import ast
import contextlib
import io
import re
import sys


def run(cell, names):
    """What the cell shows."""
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(tree, "cell", "exec"), names)  # pylint: disable=exec-used
        if last:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return shown.getvalue()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cells = re.split(r"^# %%.*\n", file.read(), flags=re.MULTILINE)
    names, n_checked = {}, 0
    for cell in cells:
        expected = "".join(line + "\n" for line in re.findall(r"^#> (.*)$", cell, re.MULTILINE))
        shown = run(cell, names)
        n_checked += bool(expected)
        if shown != expected:
            sys.exit(f"this cell:\n{cell}\nshows:\n{shown}\ninstead of:\n{expected}")
    print(f"{n_checked} cells show what they should")


main()
