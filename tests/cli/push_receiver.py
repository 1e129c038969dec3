#!/usr/bin/env python3
"""push_receiver.py FOLDER [--tls CERTIFICATE KEY] [--authorization TEXT] [ANSWER...]

A server for dendro push that keeps Pyroscope's rules (pkg/validation and pkg/distributor of
github.com/grafana/pyroscope at 3fe6a45, with its default limits) and OTLP's. It decodes the wire
format itself. FOLDER/port gets the port. The first requests are answered with the ANSWERs:

    429:S, 429:date, 500, 400, 301, 401   HTTP errors, with Retry-After: S, or a date in 1 s
    garbage    what is not HTTP            drop    the connection ends before the answer
    half       it ends within the request  login   200 with a page of HTML
    slow       after a second, as all others: taken, if it keeps the rules
    partial    OTLP: taken, but for a profile

FOLDER/totals.json has what was taken: by type, samples and total; by service, too; requests, those
that were repeated with a known id, which count once, and what broke a rule. FOLDER/taken-N is the
profile of the N-th request that was taken, FOLDER/seen a line for each request.
"""

import argparse
import collections
import email.utils
import gzip
import http.server
import json
import os
import re
import ssl
import sys
import time
import uuid
import zlib

sys.path.append(os.path.join(os.path.dirname(__file__), "../oracle"))
from otlp_profile import Dictionary, fields, one, packed, read_profile  # noqa: E402

MIB = 1 << 20
SAMPLES_MAX, PROFILE_MAX, BURST_MAX, LABELS_MAX = 16000, 4 * MIB, 2 * MIB, 30
LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*$")
HOSTILE = re.compile("[\x00-\x1f\x7f\u202e]")


class Broken(Exception):
    """A rule was broken: HTTP 400 says which."""


def expect(is_right, rule):
    if not is_right:
        raise Broken(rule)


def labels_of(series):
    labels = {}
    for entry in series[1]:
        pair = fields(entry)
        name, value = one(pair, 1, b"").decode(), one(pair, 2, b"").decode()
        expect(name not in labels, f"the label {name} is there twice")
        expect(LABEL_NAME.match(name) and len(name) <= 1024, f"the label's name {name}")
        expect(value and len(value) <= 2048 and not HOSTILE.search(value), f"the value of {name}")
        labels[name] = value
    expect(len(labels) <= LABELS_MAX, "too many labels")
    expect(labels.get("__name__") and labels.get("service_name"), "no name or service")
    return labels


def check_pprof(profile, strings):
    expect(strings and strings[0] == "", "string 0 is not empty")
    expect(len(profile[2]) <= SAMPLES_MAX, f"{len(profile[2])} samples")
    ids = {number: [one(fields(entry), 1) for entry in profile[number]] for number in (3, 4, 5)}
    for entries in ids.values():
        expect(0 not in entries and len(set(entries)) == len(entries), "an id is 0 or there twice")
    locations = set(ids[4])
    for entry in profile[2]:
        sample = fields(entry)
        expect(len(packed(sample[2])) == len(profile[1]), "values and types differ in number")
        expect(set(packed(sample[1])) <= locations, "a location is missing")
        expect(len(sample[3]) <= 100, "too many labels of a sample")
    expect(abs(one(profile, 9) / 1e9 - time.time()) < 3600, "not in the ingestion window")


def read_pprof(raw):
    """The types, and for each the sum of its values."""
    expect(len(raw) <= PROFILE_MAX, f"the profile has {len(raw)} bytes")
    expect(len(raw) <= BURST_MAX, f"more than the burst: {len(raw)} bytes")
    profile = fields(raw)
    strings = [text.decode() for text in profile[6]]
    check_pprof(profile, strings)
    types = [tuple(strings[one(fields(entry), field)] for field in (1, 2)) for entry in profile[1]]
    expect(all("-" not in name for name, _ in types), "a hyphen in a type")
    sums = [0] * len(types)
    for entry in profile[2]:
        for index, value in enumerate(packed(fields(entry)[2])):
            sums[index] += value
    period = fields(one(profile, 11, b""))
    types.append(tuple(strings[one(period, field)] for field in (1, 2)))
    return types, sums


class Taken:
    def __init__(self, folder):
        self.folder, self.ids, self.n = folder, set(), 0
        self.totals = {"types": {}, "services": {}, "labels": [], "requests": 0, "repeated": 0,
                       "broken": [], "commands": 0}

    def add(self, identity, name, service, samples, total):
        for table, key in ("types", name), ("services", f"{service} {name}"):
            sums = self.totals[table].setdefault(key, {"samples": 0, "total": 0})
            sums["samples"] += samples
            sums["total"] += total
        self.ids.add(identity)

    def write(self, name, data):
        with open(os.path.join(self.folder, name + ".new"), "wb") as file:
            file.write(data)
        os.rename(os.path.join(self.folder, name + ".new"), os.path.join(self.folder, name))

    def finish(self, data):
        self.totals["requests"] += 1
        self.write(f"taken-{self.n}", data)
        self.n += 1

    def push(self, body):
        request = fields(body)
        expect(len(request[1]) == 1, "one series a request, so that it is taken as a whole")
        series = fields(one(request, 1))
        labels = labels_of(series)
        for entry in series[2]:
            sample = fields(entry)
            identity, packed_raw = one(sample, 2, b"").decode(), one(sample, 1, b"")
            expect(str(uuid.UUID(identity)) == identity, "the id is no UUID")
            decoder = zlib.decompressobj(31)
            raw = decoder.decompress(packed_raw, PROFILE_MAX + 1)
            types, sums = read_pprof(raw)
            self.totals["commands"] += b"command: " in raw
            if identity in self.ids:
                self.totals["repeated"] += 1
                continue
            name = ":".join([labels["__name__"], *types[1], *types[2]])
            self.add(identity, name, labels["service_name"], *sums)
            if labels not in self.totals["labels"]:
                self.totals["labels"].append(labels)
            self.finish(packed_raw)

    def export(self, body):
        expect(len(body) <= PROFILE_MAX, f"the request has {len(body)} bytes")
        data = fields(body)
        dictionary = Dictionary(one(data, 2))
        resource = fields(one(data, 1))
        keys = {}
        for entry in fields(one(resource, 1))[1]:
            pair = fields(entry)
            key = one(pair, 1, b"").decode()
            expect(key and key not in keys, f"the attribute {key} is there twice, or empty")
            keys[key] = one(fields(one(pair, 2)), 1, b"").decode()
        expect(keys.get("service.name"), "no service")
        self.totals["commands"] += "dendro.command_line" in keys
        for raw in fields(one(resource, 2))[2]:
            identity = one(fields(raw), 7, b"")
            expect(len(identity) == 16 and any(identity), "no profile_id")
            event, samples, total, _ = read_profile(dictionary, raw, has_threads=False)
            if identity in self.ids:
                self.totals["repeated"] += 1
            else:
                self.add(identity, event, keys["service.name"], samples, total)
        wrong = dictionary.wrong + dictionary.unused()
        expect(not wrong, "; ".join(wrong))
        if keys not in self.totals["labels"]:
            self.totals["labels"].append(keys)
        self.finish(body)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fail(self, status, words, **headers):
        error = json.dumps({"code": "invalid_argument", "message": words}, ensure_ascii=False)
        self.answer(status, error.encode(), "application/json", **headers)

    def disturb(self, how):
        """true: the request was answered, or never will be."""
        number, _, more = how.partition(":")
        if number == "429":
            after = email.utils.formatdate(time.time() + 2, usegmt=True) if more == "date" else more
            self.fail(429, "push rate limit exceeded", Retry_After=after)
        elif how == "301":
            self.answer(301, Location="http://127.0.0.1:1/elsewhere")
        elif number in ("500", "400", "401"):
            self.fail(int(number), "no \x1b[31mred\x1b[0m words \u202e here")
        elif how == "garbage":
            self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
            self.close_connection = True
        elif how == "login":
            self.answer(200, b"<html>please log in</html>", "text/html")
        elif how == "drop":
            self.close_connection = True
        else:
            return False
        return True

    def take(self, body, how):
        taken, kind = self.server.taken, self.headers.get("Content-Type")
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        try:
            if self.path.endswith("/push.v1.PusherService/Push"):
                expect(kind == "application/proto", f"the type {kind}")
                taken.push(body)
            elif self.path.endswith("/v1development/profiles"):
                expect(kind == "application/x-protobuf", f"the type {kind}")
                taken.export(body)
            else:
                self.fail(404, "no such path")
                return
            answer = b"\x0a\x13\x08\x01\x12\x0fone was\x1b not it" if how == "partial" else b""
            self.answer(200, answer, kind)
        except (Broken, AssertionError, ValueError, IndexError, zlib.error) as error:
            taken.totals["broken"].append(str(error))
            self.fail(400, str(error))
        taken.write("totals.json", json.dumps(taken.totals).encode())

    def do_POST(self):
        server, size = self.server, int(self.headers["Content-Length"])
        how = server.answers.popleft() if server.answers else "take"
        with open(os.path.join(server.taken.folder, "seen"), "a", encoding="utf-8") as file:
            file.write(f"{how} {self.path} {self.headers.get('X-Scope-OrgID')} "
                       f"{self.headers.get('User-Agent')} {time.time()}\n")
        if how == "half":
            self.rfile.read(size // 2)
            self.close_connection = True
            return
        body = self.rfile.read(size)
        if server.authorization and self.headers.get("Authorization") != server.authorization:
            self.fail(401, "who is there?")
            return
        if how == "slow":
            time.sleep(1)
        if not self.disturb(how):
            self.take(body, how)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("answers", nargs="*")
    parser.add_argument("--tls", nargs=2)
    parser.add_argument("--authorization")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    server = http.server.HTTPServer(("127.0.0.1", options.port), Handler)
    server.taken = Taken(options.folder)
    server.answers = collections.deque(options.answers)
    server.authorization = options.authorization
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.taken.write("totals.json", json.dumps(server.taken.totals).encode())
    server.taken.write("port", str(server.server_port).encode())
    server.serve_forever()


if __name__ == "__main__":
    main()
