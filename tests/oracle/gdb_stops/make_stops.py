"""Lets gdb stop a program at random moments and write what it sees; see stop_and_walk.py."""

import os
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.realpath(__file__))
RUNS_MAX = 60
GDB_SECONDS = 120


def make_stops(command, path, n_stops, values=False):
    """Appends cases to the file until it has about that many, or the program runs too short.

    With values, they have variables instead of frames.
    """
    found = 0
    for _ in range(RUNS_MAX):
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(0.05)
        environment = dict(os.environ, STOPS_FILE=path, STOPS_MAX=str(n_stops - found))
        if values:
            environment["STOPS_VALUES"] = "1"
        try:
            subprocess.run(["gdb", "-nx", "--batch", "-iex", "set debuginfod enabled off",
                            "-iex", "set auto-load off", "-p", str(program.pid),
                            "-x", os.path.join(HERE, "stop_and_walk.py")],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=environment, check=False,
                           timeout=GDB_SECONDS)
        except subprocess.TimeoutExpired:
            print(f"{command[0]}: gdb did not come to an end")
        try:
            os.killpg(program.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        program.wait()
        with open(path, "rb") as file:
            found = sum(line.startswith(b"maps /") for line in file)
        if found >= n_stops:
            break
