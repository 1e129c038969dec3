#!/usr/bin/env python3
"""Runs a command for which seccomp refuses a call: without_system_call.py NAME ERRNO COMMAND..."""

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "perf_event_open": {"x86_64": 298, "aarch64": 241},
    "bpf": {"x86_64": 321, "aarch64": 280},
}
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER = 2
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


class SockFprog(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def main():
    number = NUMBERS[sys.argv[1]][platform.machine()]
    answer = ERRNO | getattr(errno, sys.argv[2])
    program = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (LOAD_NUMBER, 0, 0, 0),
            (JUMP_IF_EQUAL, 0, 1, number),
            (RETURN, 0, 0, answer),
            (RETURN, 0, 0, ALLOW),
        )
    )
    buffer = ctypes.create_string_buffer(program)
    filter_ = SockFprog(len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_)) != 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
