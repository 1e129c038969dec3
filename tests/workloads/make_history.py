"""make_history.py COMMITS: a stream for git fast-import, with files that grow and change."""
import sys


def put(text):
    data = text.encode()
    sys.stdout.buffer.write(b"data %d\n%s\n" % (len(data), data))


def main():
    lines = {f"dir{i % 7}/file{i}.txt": [f"line {n} of {i}" for n in range(200)] for i in range(40)}
    names = sorted(lines)
    write = sys.stdout.buffer.write
    for commit in range(int(sys.argv[1])):
        write(b"commit refs/heads/main\ncommitter dendro <dendro@example.org> %d +0000\n"
              % (1600000000 + commit))
        put(f"commit {commit}")
        for step in range(3):
            name = names[(commit * 7 + step * 13) % len(names)]
            text = lines[name]
            text[(commit * 31 + step) % len(text)] = f"changed by {commit}"
            text.insert(commit * 17 % len(text), f"added by {commit}")
            write(b"M 644 inline %s\n" % name.encode())
            put("\n".join(text) + "\n")


main()
