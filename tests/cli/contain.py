#!/usr/bin/env python3
"""contain.py ROOT COMMAND... : runs the command in a copy of ROOT in memory, with a new /proc. It has
to be started in new mount and PID namespaces."""

import ctypes
import os
import platform
import shutil
import sys

PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
MNT_DETACH = 2


def check(status, what):
    if status:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def main():
    root, command = sys.argv[1], sys.argv[2:]
    libc = ctypes.CDLL(None, use_errno=True)
    copy = root + ".inside"
    os.makedirs(copy, exist_ok=True)
    check(libc.mount(b"none", copy.encode(), b"tmpfs", 0, None), "mount")
    shutil.copytree(root, copy, dirs_exist_ok=True)
    os.chdir(copy)
    os.makedirs("proc", exist_ok=True)
    check(libc.mount(b"proc", b"proc", b"proc", 0, None), "mount proc")
    check(libc.syscall(PIVOT_ROOT[platform.machine()], b".", b"."), "pivot_root")
    check(libc.umount2(b".", MNT_DETACH), "umount")
    os.chdir("/")
    os.execv(command[0], command)


main()
