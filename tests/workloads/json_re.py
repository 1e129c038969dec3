"""Runs json and re in a loop, for a number of seconds of CPU time."""
import json
import re
import sys
import time

RECORD = {"name": "dendro", "rings": list(range(40)), "nested": {"a": [1.5, 2.5], "b": "text " * 20}}
PATTERN = re.compile(r"(\w+)\s*:\s*(\[[^\]]*\]|\"[^\"]*\")")


def one_round(n):
    found = 0
    for i in range(n):
        text = json.dumps(RECORD, sort_keys=True, indent=i % 3)
        found += len(PATTERN.findall(text))
        found += len(json.loads(text)["rings"])
        found += len(re.sub(r"[aeiou]+", lambda m: m.group(0).upper(), text))
    return found


def main():
    end = time.process_time() + float(sys.argv[1])
    while time.process_time() < end:
        one_round(50)


main()
