"""Call path profiles of dendro in Python, by libdendro.so.0 (dendro.h), without anything to build.

    import dendro

    with dendro.open("dendro.data") as profile:
        functions = profile.functions()      # {"name": [...], "self": [...], "total": [...], ...}
        pandas.DataFrame(functions).nlargest(10, "self")

What gives a table gives a dict of columns of equal length, as pandas.DataFrame() and others take
it. Costs are those of one metric: the first one, unless its name or number is given. What is not
known is None. Texts come from programs, and bytes that are no UTF-8 are shown as \\xNN.

A profile may be read by several threads; a Writer belongs to one at a time.
"""

import ctypes
import os

_NONE = 0xFFFFFFFF
_NO_TIME = 0xFFFFFFFFFFFFFFFF
_SAMPLES_AT_ONCE = 65536

KINDS = ("root", "process", "thread", "user", "inline", "kernel", "marker")
MARKS = {1: "guessed", 2: "stitched", 4: "joined"}
GROUPINGS = ("comm", "process", "thread")
KERNELS = ("merged", "only", "none")


class Error(Exception):
    """What the library says, and the errno as .errno."""

    def __init__(self, errno, text):
        super().__init__(text)
        self.errno = errno


def _struct(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


_text, _u32, _u64, _i32 = ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32
_size = ctypes.c_size_t
_ReadOptions = _struct(
    "ReadOptions", ("size", _size), ("grouping", ctypes.c_int), ("kernel", ctypes.c_int),
    ("raw_names", ctypes.c_int), ("no_inlines", ctypes.c_int), ("by_line", ctypes.c_int),
    ("no_samples", ctypes.c_int), ("n_threads", ctypes.c_uint), ("symfs", _text))
_Info = _struct(
    "Info", ("command_line", _text), ("hostname", _text), ("os_release", _text), ("arch", _text),
    ("cpu", _text), ("tool_version", _text), ("n_cpus", _u32), ("duration_ns", _u64),
    ("start_unix_ns", _u64))
_Counter = _struct("Counter", ("name", _text), ("value", _u64))
_Missing = _struct("Missing", ("module", _text), ("path", _text), ("lacks", _text),
                   ("problem", _text), ("build_id", _text))
_Metric = _struct("Metric", ("name", _text), ("unit", _text), ("samples", _u64), ("total", _u64),
                  ("lost", _u64), ("scale", ctypes.c_double))
_Process = _struct("Process", ("pid", _i32), ("name", _text))
_Thread = _struct("Thread", ("tid", _i32), ("process", _u32), ("name", _text))
_Frame = _struct(
    "Frame", ("kind", ctypes.c_int), ("name", _text), ("symbol", _text), ("module", _text),
    ("module_path", _text), ("build_id", _text), ("file", _text), ("line", _u32), ("id", _i32))
_Sample = _struct(
    "Sample", ("time_ns", _u64), ("weight", _u64), ("samples", _u64), ("metric", _u32),
    ("node", _u32), ("cpu", _u32), ("thread", _u32), ("pid", _i32), ("tid", _i32),
    ("thread_name", _text), ("process_name", _text), ("cgroup", _text))
_PathFrame = _struct("PathFrame", ("kind", ctypes.c_int), ("name", _text), ("module", _text),
                     ("file", _text), ("line", _u32))
_handle, _error = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
_number = ctypes.POINTER(_u32)


def _load():
    library = ctypes.CDLL("libdendro.so.0")

    def declare(name, result, *arguments):
        function = getattr(library, "dendro_" + name)
        function.restype, function.argtypes = result, arguments

    declare("version", _text)
    declare("free", None, _handle)
    declare("profile_open", ctypes.c_int, _text, ctypes.POINTER(_ReadOptions),
            ctypes.POINTER(_handle), _error)
    declare("profile_close", None, _handle)
    declare("profile_info", ctypes.POINTER(_Info), _handle)
    declare("profile_note", _text, _handle, _size)
    for plural, singular, struct, number in (
            ("notes", None, None, _size), ("counters", "counter", _Counter, _size),
            ("missing", "missing", _Missing, _size), ("metrics", "metric", _Metric, _u32),
            ("processes", "process", _Process, _u32), ("threads", "thread", _Thread, _u32),
            ("frames", "frame", _Frame, _u32), ("nodes", None, None, _u32),
            ("samples", None, None, _u32)):
        declare("profile_n_" + plural, number, _handle)
        if singular:
            declare("profile_" + singular, ctypes.POINTER(struct), _handle, number)
    for name in ("process_total", "thread_total", "frame_self", "frame_total", "node_self",
                 "node_total", "node_self_samples", "node_samples"):
        declare(name, ctypes.POINTER(_u64), _handle)
    for name in ("node_parents", "node_frames"):
        declare(name, ctypes.POINTER(_u32), _handle)
    declare("node_marks", ctypes.c_uint, _handle, _u32)
    declare("node_call", _u32, _handle, _u32, ctypes.POINTER(_text))
    declare("profile_has_samples", ctypes.c_int, _handle)
    declare("profile_read_samples", _u32, _handle, _u32, _u32, ctypes.POINTER(_Sample), _size)
    declare("writer_create", ctypes.c_int, ctypes.POINTER(_handle), _error)
    declare("writer_destroy", None, _handle)
    declare("writer_describe", ctypes.c_int, _handle, _text, _u64, _error)
    declare("writer_add_metric", ctypes.c_int, _handle, _text, _text, ctypes.c_int, _number, _error)
    declare("writer_add_process", ctypes.c_int, _handle, _i32, _text, _number, _error)
    declare("writer_add_thread", ctypes.c_int, _handle, _u32, _i32, _text, _number, _error)
    declare("writer_add_path", ctypes.c_int, _handle, _u32, ctypes.POINTER(_PathFrame), _size,
            _size, _number, _error)
    declare("writer_add_sample", ctypes.c_int, _handle, _u32, _u32, _u64, _u64, _u32, _error)
    declare("writer_add_lost", ctypes.c_int, _handle, _u32, _u64, _error)
    declare("writer_save", ctypes.c_int, _handle, _text, _error)
    return library


_library = _load()


def _decode(text):
    return None if text is None else text.decode("utf-8", "backslashreplace")


def _encode(text):
    return None if text is None else os.fsencode(text)


def _call(name, *arguments):
    """Calls what returns 0 or -errno, and raises Error."""
    error = ctypes.c_void_p()
    status = getattr(_library, "dendro_" + name)(*arguments, ctypes.byref(error))
    text = ctypes.cast(error, _text).value if error else None
    _library.dendro_free(error)
    if status:
        raise Error(-status, _decode(text) or os.strerror(-status))


def _plain(struct):
    """A struct as a dict."""
    return {name: _decode(getattr(struct, name)) if kind is _text else getattr(struct, name)
            for name, kind in struct._fields_}


def _columns(rows, names):
    return {name: [row[name] for row in rows] for name in names}


def _known(number):
    return None if number == _NONE else number


def version():
    """The version of the library: "0.1"."""
    return _decode(_library.dendro_version())


def open(path, grouping="comm", kernel="merged", raw_names=False, inlines=True, by_line=False,
         samples=True, threads=0, symfs=None):
    """Reads a recording or a profile; the options are those of dendro_read_options."""
    if grouping not in GROUPINGS or kernel not in KERNELS:
        raise ValueError(f"grouping is one of {GROUPINGS}, kernel one of {KERNELS}")
    options = _ReadOptions(ctypes.sizeof(_ReadOptions), GROUPINGS.index(grouping),
                           KERNELS.index(kernel), raw_names, not inlines, by_line, not samples,
                           threads, _encode(symfs))
    handle = ctypes.c_void_p()
    _call("profile_open", _encode(path), ctypes.byref(options), ctypes.byref(handle))
    return Profile(handle)


class _Owner:
    """Owns a handle of the library, which close() or `with` frees by the function `_release`."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        if getattr(self, "_handle", None):
            getattr(_library, self._release)(self._handle)
        self._handle = None


class Profile(_Owner):
    """What open() has read; close() or `with` frees it."""

    _release = "dendro_profile_close"

    def __init__(self, handle):
        self._handle = handle
        self.info = _plain(self._get("profile_info").contents)
        self.notes = [_decode(self._get("profile_note", i))
                      for i in range(self._get("profile_n_notes"))]
        self.metrics = self._list("metrics", "metric")
        self.quality = {counter["name"]: counter["value"]
                        for counter in self._list("counters", "counter")}
        self._frames = self._list("frames", "frame")
        for frame in self._frames:
            frame["kind"] = KINDS[frame["kind"]]
            frame["line"] = frame["line"] or None
            frame["id"] = None if frame["id"] < 0 else frame["id"]

    def _get(self, name, *arguments):
        if not self._handle:
            raise ValueError("the profile is closed")
        return getattr(_library, "dendro_" + name)(self._handle, *arguments)

    def _list(self, plural, singular):
        return [_plain(self._get("profile_" + singular, i).contents)
                for i in range(self._get("profile_n_" + plural))]

    def _metric(self, metric):
        for i, known in enumerate(self.metrics):
            if metric in (i, known["name"]):
                return i
        raise ValueError(f"there is no metric {metric!r}: "
                         f"{', '.join(known['name'] for known in self.metrics) or 'none at all'}")

    def _column(self, name, n):
        return self._get(name)[:n]

    def _costs(self, name, n, metric):
        """A metric's costs of n things."""
        return self._get(name)[self._metric(metric):n * len(self.metrics):len(self.metrics)]

    def functions(self, metric=0):
        """Functions and markers, with the costs of all paths that have them, and processes and
        threads that have cost of their own: the column "self" adds up to the whole."""
        n = len(self._frames)
        table = _columns(self._frames, ("name", "kind", "symbol", "module", "module_path",
                                        "build_id", "file", "line"))
        table["self"] = self._costs("frame_self", n, metric)
        table["total"] = self._costs("frame_total", n, metric)
        is_shown = [own or frame["kind"] not in KINDS[:3]
                    for frame, own in zip(self._frames, table["self"])]
        return {name: [value for value, keep in zip(column, is_shown) if keep]
                for name, column in table.items()}

    def nodes(self, metric=0):
        """The tree: a row for each node, with the number of its parent's; the first is the root."""
        n = self._get("profile_n_nodes")
        frames = self._column("node_frames", n)
        table = {"parent": [_known(parent) for parent in self._column("node_parents", n)]}
        for name in ("name", "kind", "module", "file", "line", "id"):
            of_frames = [frame[name] for frame in self._frames]
            table[name] = [of_frames[frame] for frame in frames]
        marks = [self._get("node_marks", node) for node in range(n)]
        table["marks"] = [" ".join(text for bit, text in MARKS.items() if bits & bit)
                          for bits in marks]
        table["self"] = self._costs("node_self", n, metric)
        table["total"] = self._costs("node_total", n, metric)
        table["self_samples"] = self._costs("node_self_samples", n, metric)
        table["samples"] = self._costs("node_samples", n, metric)
        return table

    def paths(self, metric=0):
        """Call paths that have samples: names from the outermost function on, and costs."""
        nodes = self.nodes(metric)
        paths, table = [], {"process": [], "path": [], "node": [], "self": [], "samples": []}
        for node, parent in enumerate(nodes["parent"]):
            process, path = paths[parent] if parent is not None else (None, ())
            if nodes["kind"][node] == "process":
                process = nodes["name"][node]
            elif nodes["kind"][node] not in KINDS[:3]:
                path += (nodes["name"][node],)
            paths.append((process, path))
            if nodes["self_samples"][node]:
                for name, value in (("process", process), ("path", path), ("node", node),
                                    ("self", nodes["self"][node]),
                                    ("samples", nodes["self_samples"][node])):
                    table[name].append(value)
        return table

    def processes(self, metric=0):
        """Processes with their pids; exec begins a new one."""
        table = _columns(self._list("processes", "process"), ("pid", "name"))
        table["total"] = self._costs("process_total", len(table["pid"]), metric)
        return table

    def threads(self, metric=0):
        """Threads; `process` is a row of processes()."""
        table = _columns(self._list("threads", "thread"), ("tid", "name", "process"))
        table["process"] = [_known(process) for process in table["process"]]
        table["total"] = self._costs("thread_total", len(table["tid"]), metric)
        return table

    def missing(self):
        """Modules without names or debug information, and why."""
        return _columns(self._list("missing", "missing"),
                        ("module", "path", "lacks", "problem", "build_id"))

    def has_samples(self):
        return bool(self._get("profile_has_samples"))

    def samples(self):
        """Samples one by one, of all metrics; `node` is a row of nodes()."""
        table = {name: [] for name, _ in _Sample._fields_}
        some = (_Sample * _SAMPLES_AT_ONCE)()
        metrics = [metric["name"] for metric in self.metrics]
        first = 0
        while True:
            n = self._get("profile_read_samples", first, len(some), some, ctypes.sizeof(_Sample))
            if not n:
                break
            first += n
            for name, kind in _Sample._fields_:
                column = (getattr(sample, name) for sample in some[:n])
                table[name].extend(map(_decode, column) if kind is _text else column)
        table["time_ns"] = [None if time == _NO_TIME else time for time in table["time_ns"]]
        table["cpu"] = [_known(cpu) for cpu in table["cpu"]]
        table["metric"] = [metrics[metric] for metric in table["metric"]]
        return table


class Writer(_Owner):
    """Records samples of this program's own into a profile.

        with dendro.Writer("server") as writer:
            writer.add(["main", "serve", "parse"], "requests", 1)
            writer.save("requests.cct")
    """

    _release = "dendro_writer_destroy"

    def __init__(self, process="python", pid=None, command_line=None, start_unix_ns=0):
        self._handle = ctypes.c_void_p()
        _call("writer_create", ctypes.byref(self._handle))
        self._metrics, self._threads, self._paths = {}, {}, {}
        _call("writer_describe", self._handle, _encode(command_line), start_unix_ns)
        pid = os.getpid() if pid is None else pid
        self._pid, self._name = pid, process
        self._process = self._number("process", pid, _encode(process))

    def _number(self, what, *arguments):
        if not self._handle:
            raise ValueError("the writer is closed")
        number = _u32()
        _call("writer_add_" + what, self._handle, *arguments, ctypes.byref(number))
        return number.value

    def metric(self, name, unit="events", takes_all=True):
        """Adds a metric, unless it is there; add() and lose() do it, too. takes_all: a sample is
        added for each occurrence, so that shares have no error of sampling."""
        if name not in self._metrics:
            self._metrics[name] = self._number("metric", _encode(name), _encode(unit), takes_all)
        return self._metrics[name]

    def _thread(self, tid, name):
        if (tid, name) not in self._threads:
            self._threads[tid, name] = self._number("thread", self._process, tid, _encode(name))
        return self._threads[tid, name]

    def _path(self, thread, path):
        key = (thread, path)
        if key not in self._paths:
            frames = (_PathFrame * len(path))()
            for frame, (name, kind, module, file, line) in zip(frames, path):
                frame.kind, frame.name = KINDS.index(kind), _encode(name)
                frame.module, frame.file, frame.line = _encode(module), _encode(file), line or 0
            self._paths[key] = self._number("path", thread, frames, len(path),
                                            ctypes.sizeof(_PathFrame))
        return self._paths[key]

    def add(self, path, metric, weight, time_ns=None, cpu=None, tid=None, thread=None):
        """Adds a sample. A frame of `path` is a name, or a tuple from frame()."""
        frames = tuple(item if isinstance(item, tuple) else frame(item) for item in path)
        number = self._path(self._thread(self._pid if tid is None else tid,
                                         thread or self._name), frames)
        _call("writer_add_sample", self._handle, number, self.metric(metric), weight,
              _NO_TIME if time_ns is None else time_ns, _NONE if cpu is None else cpu)

    def lose(self, metric, n_samples):
        """Samples that could not be taken: each report says so."""
        number = self.metric(metric)
        _call("writer_add_lost", self._handle, number, n_samples)

    def save(self, path):
        if not self._handle:
            raise ValueError("the writer is closed")
        _call("writer_save", self._handle, _encode(path))


def frame(name, kind="user", module=None, file=None, line=None):
    """A frame for Writer.add(): kind is user, inline or kernel; a marker may be the first."""
    return (name, kind, module, file, line)
