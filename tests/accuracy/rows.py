"""The programs whose paths are measured: real ones of each language, found or built here."""

import os
import re
import shutil
import subprocess

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
WORKLOADS = os.path.join(ROOT, "tests", "workloads")
LANGUAGES = os.path.join(WORKLOADS, "languages")
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
HOLES = (("4 KiB", 4096), ("12 KiB", 12288), ("40 KiB", 40960), ("200 KiB", 204800),
         ("1 MiB", 1 << 20))


class Missing(Exception):
    """What a row needs is not installed."""


def tool(*names):
    """The first of these that is installed, with links resolved: perf's paths end after a second
    exec, so no wrapper may stand before the program."""
    for name in names:
        path = name if os.path.isabs(name) and os.path.exists(name) else shutil.which(name)
        if path:
            return os.path.realpath(path)
    raise Missing(f"{names[0]} is not installed")


def python(version, variable):
    """The interpreter itself: the program of this name on PATH may be a script that looks for it."""
    program = os.environ.get(variable) or shutil.which(f"python{version}")
    if not program:
        raise Missing(f"python{version} is not installed, and ${variable} does not name one")
    found = subprocess.run([program, "-c", "import sys; print('%d.%d' % sys.version_info[:2], "
                            "sys.executable)"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False, text=True).stdout.split()
    if found[:1] != [version]:
        raise Missing(f"{program} is not a python {version} that runs")
    return os.path.realpath(found[1])


def source(name):
    return os.path.join(LANGUAGES, name)


def build(*command):
    if not shutil.which(command[0]):
        raise Missing(f"{command[0]} is not installed")
    if subprocess.run(command, check=False, **QUIET).returncode:
        raise Missing(f"this does not build here: {' '.join(command)}")


def text_file():
    """Some megabytes of text that is the same in every run."""
    with open("text", "w", encoding="ascii") as file:
        seed = 1
        for i in range(400000):
            seed = (seed * 1664525 + 1013904223) % 2**32
            file.write(f"{seed % 5000:x} {i % 97} ")
    return "text"


def video():
    """Seven seconds of moving patterns."""
    width, height = 640, 360
    with open("video.y4m", "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
        for n in range(180):
            file.write(b"FRAME\n")
            for y in range(height):
                file.write(bytes((y * 7 + n * 3 + ((x * (3 + n % 5) + n * 2) >> 2)) % 256
                                 for x in range(width)))
            file.write(bytes([128]) * (width * height // 2))
    return "video.y4m"


def history():
    if not os.path.isdir("history"):
        build("git", "init", "-q", "-b", "main", "history")
        script = subprocess.run(["python3", os.path.join(WORKLOADS, "make_history.py"), "8000"],
                                stdout=subprocess.PIPE, check=True)
        subprocess.run(["git", "-C", "history", "fast-import", "--quiet"], input=script.stdout,
                       check=True)
    return "history"


def cc1plus():
    build("g++", "-std=c++17", "-E", os.path.join(WORKLOADS, "templates.cpp"), "-o", "templates.ii")
    program = subprocess.run(["g++", "-print-prog-name=cc1plus"], stdout=subprocess.PIPE,
                             check=True, text=True).stdout.strip()
    return [tool(program), "-quiet", "-O2", "templates.ii", "-o", "/dev/null"]


def gnat1():
    program = subprocess.run(["gcc", "-print-prog-name=gnat1"], stdout=subprocess.PIPE, check=True,
                             text=True).stdout.strip()
    if not os.path.isabs(program):
        raise Missing("gnat is not installed")
    spec = next((os.path.join(folder, "g-spipat.adb")
                 for folder, _, files in os.walk(os.path.dirname(program)) if "g-spipat.adb" in files),
                None)
    if not spec:
        raise Missing("the sources of gnat's library are not installed")
    return [program, "-quiet", "-O3", "-gnatg", "-gnatp", spec, "-o", "/dev/null"]


def compiled(name, *command):
    """A program that a compiler makes of a file of tests/workloads/languages."""
    def prepare(seconds):
        build(*command)
        return [f"./{name}", str(seconds)]
    return prepare


def pascal(seconds):
    shutil.copy(source("shares.pas"), ".")
    build("fpc", "-O2", "-opascal", "shares.pas")
    return ["./pascal", str(seconds)]


def cobol(seconds):
    """Its argument sets rounds, not seconds."""
    build("cobc", "-x", "-O", "-o", "cobol", source("shares.cob"))
    return ["./cobol", str(8 * seconds)]


def fpc_compiler(_):
    """The compiler is itself a Pascal program. What it compiles: the same functions many times."""
    with open(source("shares.pas"), encoding="ascii") as file:
        text = file.read()
    start, end = text.index("function worker"), text.index("{ This process")
    functions = text[start:end]
    copies = [re.sub(r"\b(worker|dispatch_1|dispatch_2|descend)\b", rf"\1_{i}", functions)
              for i in range(8000)]
    with open("many.pas", "w", encoding="ascii") as file:
        file.write(text[:start] + "".join(copies) + text[start:])
    return [tool("ppcx64"), "-O3", "-omany", "many.pas"]


def java(main, *options):
    def prepare(seconds):
        build("javac", "-d", ".", source(f"{main}.java"))
        return [tool("java"), "-XX:+PreserveFramePointer", *options, main, str(seconds)]
    return prepare


def javac(*options):
    return lambda _: [tool("java"), *options, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-d",
                      "classes", *java_files()]


def java_files():
    names = []
    for i in range(60):
        name = f"Shares{i}"
        with open(source("Shares.java"), encoding="utf-8") as file:
            text = file.read().replace("class Shares", f"class {name}")
        with open(f"{name}.java", "w", encoding="utf-8") as file:
            file.write(text)
        names.append(f"{name}.java")
    return names


def ocaml(_):
    shutil.copy(source("words.ml"), ".")
    build("ocamlopt", "-O3", "-o", "ocaml", "words.ml")
    return ["./ocaml", "2000"]


def python_perf(version, variable):
    return lambda seconds: [python(version, variable), "-X", "perf", f"{WORKLOADS}/json_re.py",
                            str(seconds)]


def sbcl(_):
    return [tool("sbcl"), "--noinform", "--no-sysinit", "--no-userinit", "--eval",
            "(defparameter *rounds* 3000)", "--load", source("words.lisp"), "--quit"]


def holes(size):
    """Frames with an array whose middle was never touched: perf's copies end at that page."""
    def prepare(seconds):
        build("gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-fomit-frame-pointer", "-o", "holes",
              os.path.join(WORKLOADS, "stack_holes.c"), "-lpthread")
        return ["./holes", str(seconds), str(size)]
    return prepare


def descents(*mode):
    """Recursion of 140 KiB that is over before a guard is set. Two callers, by turns."""
    def prepare(seconds):
        build("gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-fomit-frame-pointer", "-o", "descents",
              os.path.join(WORKLOADS, "descents.c"), "-lpthread")
        return ["./descents", str(seconds), "100", *mode]
    return prepare


def driver_build(_):
    build("g++", "-std=c++17", "-E", os.path.join(WORKLOADS, "templates.cpp"), "-o", "templates.ii")
    with open("Makefile", "w", encoding="ascii") as file:
        file.write("all: a.o b.o\n%.o: templates.ii\n\tg++ -O1 -c -o $@ $<\n")
    tool("make")
    for name in ("a.o", "b.o"):
        if os.path.exists(name):
            os.remove(name)
    return ["env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make", "-s", "-j2"]


def shells(_):
    python = tool("/usr/bin/python3", "python3")
    shutil.copy(os.path.join(WORKLOADS, "queries.sql"), ".")
    return ["env", "nice", "setsid", "-w", "sh", "-c",
            f"{python} {WORKLOADS}/json_re.py 1; exec env sh -c 'exec sqlite3 :memory: \".read queries.sql\"'"]


def sqlite3(_):
    with open(os.path.join(WORKLOADS, "queries.sql"), encoding="ascii") as file:
        queries = file.read()
    with open("many.sql", "w", encoding="ascii") as file:
        file.write("DROP TABLE t;\n".join([queries] * 8))
    return [tool("sqlite3"), ":memory:", ".read many.sql"]


def gofmt(_):
    files = []
    for folder, _, names in os.walk("/usr/share/go-1.19/src"):
        files += [os.path.join(folder, name) for name in names if name.endswith(".go")]
    return [tool("gofmt"), "-l", *(files or [source("words.go"), source("shares.go")])[:1500]]


def rows():
    """name -> (target in percent, what prepares it and returns the command, options of record)"""
    python = "/usr/bin/python3"
    cfi, guess, cut = 99.9, 95.0, 10.0
    node = ["node", "--perf-basic-prof"]
    plain = []
    return {
        "C: xz": (cfi, lambda _: [tool("xz"), "-T1", "-9", "-kfc", text_file()], plain),
        "C: sqlite3": (cfi, sqlite3, plain),
        "C and assembly: x264": (guess, lambda _: [tool("x264"), "--quiet", "--no-progress",
                                                   "--demuxer", "y4m", "-o", "/dev/null",
                                                   video()], plain),
        "C: git log -p": (cfi, lambda _: [tool("git"), "-C", history(), "log", "-p", "--stat",
                                          "main"], plain),
        "C++: cc1plus -O2": (cfi, lambda _: cc1plus(), plain),
        "Fortran: LAPACK": (cfi, compiled("solve", "gfortran", "-O2", "-o", "solve",
                                          source("solve.f90"), "-llapack", "-lblas"), plain),
        "Ada: gnat1": (cfi, lambda _: gnat1(), plain),
        "Ada: shares": (cfi, compiled("ada", "gnatmake", "-q", "-O2", "-o", "ada",
                                      source("shares.adb")), plain),
        "Rust": (cfi, compiled("rust", "rustc", "-O", "-o", "rust", source("shares.rs")), plain),
        "Rust: words": (cfi, compiled("rust_words", "rustc", "-O", "-o", "rust_words",
                                      source("words.rs")), plain),
        "Rust panic=abort": (guess, compiled("rust_abort", "rustc", "-O", "-C", "panic=abort", "-o",
                                             "rust_abort", source("words.rs")), plain),
        "Go": (cfi, compiled("go", "go", "build", "-o", "go", source("words.go")), plain),
        "Go, stripped": (cfi, compiled("go_stripped", "go", "build", "-ldflags", "-s -w", "-o",
                                       "go_stripped", source("words.go")), plain),
        "Go: gofmt": (cfi, gofmt, plain),
        "Free Pascal": (cfi, pascal, plain),
        "Free Pascal: ppcx64": (guess, fpc_compiler, plain),
        "COBOL (libgmp)": (guess, cobol, plain),
        "python3": (cfi, lambda s: [tool(python, "python3"), f"{WORKLOADS}/json_re.py", str(s)], plain),
        "python3.12 -X perf": (guess, python_perf("3.12", "PYTHON312"), plain),
        "python3.13 -X perf": (guess, python_perf("3.13", "PYTHON313"), plain),
        "perl": (cfi, lambda s: [tool("perl"), source("words.pl"), str(s)], plain),
        "node": (guess, lambda s: [tool("node"), source("words.js"), str(s)], plain),
        "node --perf-basic-prof": (guess, lambda s: [tool(node[0]), node[1], source("words.js"),
                                                     str(s)], plain),
        "node: regular expressions": (guess, lambda _: [tool("node"), source("patterns.js"), "5000"],
                                      plain),
        "node: even and odd": (guess, lambda s: [tool(node[0]), node[1], "--no-turbo-inlining",
                                                 source("parity.js"), str(s)], plain),
        "Java: javac": (guess, javac("-XX:+PreserveFramePointer"), plain),
        "Java: javac, no frame pointers": (guess, javac(), plain),
        "Java: even and odd": (guess, java("Parity", "-XX:-Inline"), plain),
        "PHP": (cfi, lambda _: [tool("php"), source("words.php"), "2000"], plain),
        "Ruby": (cfi, lambda _: [tool("ruby"), source("words.rb"), "500"], plain),
        "luajit": (guess, lambda _: [tool("luajit"), source("words.lua"), "1500"], plain),
        "Guile": (guess, lambda _: [tool("guile"), "--no-auto-compile", "-s", source("words.scm"),
                                    "700"], plain),
        "OCaml": (cfi, ocaml, plain),
        "SBCL": (guess, sbcl, plain),
        "busybox awk": (guess, lambda _: [tool("busybox"), "awk", "-v", "rounds=150", "-f",
                                          source("words.awk")], plain),
        "busybox sh": (guess, lambda _: [tool("busybox"), "sh", source("words.sh"), "150"], plain),
        **{f"C: hole of {name}": (cfi, holes(size), plain) for name, size in HOLES},
        "C: fast recursion, told by place": (cut, descents("apart"), plain),
        "C: fast recursion, not told": (cut, descents("alike"), plain),
        "static glibc": (cfi, compiled("static_glibc", "gcc", "-O2", "-static", "-o", "static_glibc",
                                       source("libc_calls.c")), plain),
        "musl, static": (guess, compiled("musl_static", "musl-gcc", "-O2", "-static", "-o",
                                         "musl_static", source("libc_calls.c")), plain),
        "musl": (guess, compiled("musl", "musl-gcc", "-O2", "-o", "musl", source("libc_calls.c")),
                 plain),
        "sh -c, env, nice, exec": (cfi, shells, plain),
        "make and g++": (cfi, driver_build, plain),
        "make and g++, whole machine": (cfi, driver_build, ["-a"]),
    }
