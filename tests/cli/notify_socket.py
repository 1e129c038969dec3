"""Makes a socket as a service's manager has it, and prints each message that comes, a line each."""

import socket
import sys

receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
while True:
    print(receiver.recv(4096).decode(), flush=True)
