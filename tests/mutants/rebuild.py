"""What the mutants' runners share: a copy of the source tree with a change in it, and the tests run on what it makes.

The layers are shared libraries of the Release build (cmake/parts.cmake), each linked from the objects in
CMakeFiles/LAYER_objects.dir, most of which hold several source files. Of a changed tree only the objects that see the
change are compiled, their layers linked, and the test programs started with those layers before the others. A test file
that sees the change itself (a header) is compiled and linked by itself.
"""
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree


SOURCES = (".h", ".cpp", ".inl")
STANDARD = """algorithm array cmath cstddef cstdint functional limits map memory numbers optional set span stdexcept string string_view
utility variant vector"""
FEW = 5  # files for which it does not pay to precompile
MANY = 0.25  # the part of the layers' objects that must include a header for it to be precompiled for all
QUICKER_LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # comes with the other; a third of its time
LAYER_OBJECT = re.compile(r"CMakeFiles/(\w+)_objects\.dir/")


class Trouble(Exception):
    """A mutant that cannot be tried, with the reason."""


def run(command, cwd, timeout=None, env=None):
    return subprocess.run(command, cwd=cwd, timeout=timeout, env=env, shell=isinstance(command, str), text=True,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


def words_without(words, options):
    """A command without these options and what follows each of them."""
    kept, words = [], iter(words)
    for word in words:
        if word in options:
            next(words)
        else:
            kept.append(word)
    return kept


def options_of(command):
    """What a compile command says of code: neither what is compiled, nor where headers are."""
    words = words_without(command, ("-o", "-c", "-MF", "-MT", "-MQ", "-include", "-isystem"))
    return [w for w in words if w not in ("-MD", "-MMD", "-Winvalid-pch") and not w.startswith("-I")]


class Build:
    """What the Release build knows: how each object is compiled, what it includes, how libraries and programs are linked."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        if not (folder / "compile_commands.json").is_file():
            sys.exit(f"there is no build in {folder}: run ./test first")
        self.commands = {}  # object -> (source, compile command)
        for entry in json.loads((folder / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.commands[words[words.index("-o") + 1]] = (entry["file"], words)
        self.includes = self.read_includes()
        self.check_that_it_is_fresh()
        self.links = {}
        self.lock = threading.Lock()
        self.headers, self.headers_lock = {}, threading.Lock()
        self.room = tempfile.TemporaryDirectory(prefix="marey-headers-")

    def read_includes(self):
        includes, current = {}, None
        for line in run(["ninja", "-t", "deps"], self.folder).stdout.splitlines():
            if line.startswith(" "):
                current.add(os.path.normpath(self.folder / line.strip()))
            elif ":" in line:
                current = includes.setdefault(line.split(":")[0], set())
        return includes

    def check_that_it_is_fresh(self):
        """What is compiled of a changed tree is put beside the build's own objects: those must be of this tree."""
        ages = {}
        for obj, sources in self.includes.items():
            # Benchmarks are no part of it, and most of them are built only when they are asked for.
            if not re.match(r"CMakeFiles/(?!bench_)", obj) or not (self.folder / obj).is_file():
                continue
            made = (self.folder / obj).stat().st_mtime
            for source in sources:
                if source.startswith(f"{self.root}{os.sep}") and source not in ages:
                    ages[source] = os.path.getmtime(source) if os.path.exists(source) else made + 1
                if ages.get(source, 0) > made:
                    sys.exit(f"{os.path.relpath(source, self.root)} has changed since the last build: run ./test first")

    def link_of(self, target):
        """The link command of a library or a program, as words."""
        with self.lock:
            if target not in self.links:
                answer = run(["ninja", "-t", "commands", "-s", target], self.folder)
                if answer.returncode:
                    raise Trouble(f"the build makes no {target}")
                line = answer.stdout.strip().splitlines()[-1]
                self.links[target] = shlex.split(re.sub(r"^: && | && :$", "", line))
            return self.links[target]

    def precompiled(self, compiler, command, flags, shared=False):
        """The header to begin a file with that is compiled by this command and these flags, precompiled for them: the one of the
        command, or the standard library's headers, which are half of what most files cost to compile; if `shared`, also those of
        the project that many layers include. None where none can be had, or would be used by few."""
        header = command[command.index("-include") + 1] if "-include" in command else None
        options = options_of(command)
        key = (None if shared else header, shared, compiler, *options, *flags)
        with self.headers_lock:
            if key not in self.headers:
                self.headers[key] = header if compiler == command[0] else None
                if sum(options_of(other) == options for _, other in self.commands.values()) >= FEW:
                    text = self.text_of_headers(header, shared)
                    made = self.made_header(text, [compiler, *options[1:], *flags], str(len(self.headers)))
                    self.headers[key] = made or self.headers[key]
            return self.headers[key]

    def text_of_headers(self, header, shared):
        if header and not shared:
            return pathlib.Path(header).read_text()
        return "".join(f"#include <{name}>\n" for name in STANDARD.split()) + "".join(
            f'#include "{name}"\n' for name in (self.shared_headers() if shared else []))

    def shared_headers(self):
        """The project's public headers that many of the layers' objects include."""
        objects = [obj for obj in self.commands if LAYER_OBJECT.match(obj)]
        public = f"{self.root / 'include'}{os.sep}"
        counts = collections.Counter(path for obj in objects for path in self.includes.get(obj, ())
                                     if path.startswith(public) and path.endswith(".h"))
        return sorted(path for path, count in counts.items() if count >= MANY * len(objects))

    def made_header(self, text, options, name):
        copy = pathlib.Path(self.room.name) / name / "headers.hxx"
        copy.parent.mkdir()
        copy.write_text(text)
        # What its templates are used for in the headers clang else makes again for every file that begins with them.
        once = ["-fpch-instantiate-templates"] if "clang" in pathlib.Path(options[0]).name else []
        made = run([*options, *once, f"-I{self.root / 'include'}", "-x", "c++-header", str(copy), "-o", f"{copy}.gch"], self.folder)
        return "" if made.returncode else str(copy)

    def objects_with(self, file, pattern):
        """The objects whose path matches that are made from this file."""
        path = str(self.root / file)
        return [obj for obj, (source, _) in self.commands.items()
                if re.match(pattern, obj) and (source == path or path in self.includes.get(obj, ()))]

    def layer_objects(self, file):
        return self.objects_with(file, LAYER_OBJECT)

    @staticmethod
    def library_of(obj):
        return f"lib/lib{LAYER_OBJECT.match(obj)[1]}_shared.so"

    def test_file(self, name):
        """A test file, relative to the root, and its program."""
        found = list((self.root / "tests").glob(f"**/{name}.cpp"))
        if len(found) != 1:
            raise Trouble(f"no test file {name}" if not found else f"several test files {name}")
        folder = found[0].parent.relative_to(self.root / "tests")
        return found[0].relative_to(self.root), "_".join(folder.parts) + "_tests"

    def sees(self, test, program, file):
        """Whether a test file may include a file; it is united with others, which may be those that do."""
        return bool(set(self.objects_with(test, rf"CMakeFiles/{program}\.dir/")) &
                    set(self.objects_with(file, rf"CMakeFiles/{program}\.dir/")))

    def share_of(self, file):
        """The GoogleTest filter of the cases a test file holds."""
        suites = re.findall(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),", (self.root / file).read_text(), re.M)
        return ":".join(f"{s}.*:{s}/*:*/{s}.*:*/{s}/*" for s in dict.fromkeys(suites))

    def has_passed(self, test, program, cases):
        """Whether the last run of the tests (./test) has seen these cases of a test file pass, with the program and the layers that
        are there now."""
        reports = list((self.folder / "reports").glob(f"*/{pathlib.Path(test).stem}.xml"))
        if len(reports) != 1 or not reports[0].stat().st_size:
            return False
        made = [self.folder / "bin" / program, *(self.folder / "lib").glob("*.so")]
        if max(p.stat().st_mtime for p in made) > reports[0].stat().st_mtime:
            return False
        seen = [(case, f"{case.get('classname')}.{case.get('name')}")
                for case in xml.etree.ElementTree.parse(reports[0]).iter("testcase")]
        seen = [case for case, name in seen if is_chosen(name, cases)]
        return bool(seen) and all(case.get("result") == "completed" and case.find("failure") is None for case in seen)


def is_chosen(name, test_filter):
    """Whether a filter of GoogleTest chooses a case: patterns with * and ?, of which one must match; behind a -, none."""
    def any_matches(patterns):
        return any(re.fullmatch("".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in p), name)
                   for p in patterns.split(":") if p)
    wanted, _, unwanted = test_filter.partition("-")
    return any_matches(wanted or "*") and not any_matches(unwanted)


def not_sources(folder, names):
    """What the compiler does not read, for copytree."""
    return [n for n in names if not n.endswith(SOURCES) and not os.path.isdir(os.path.join(folder, n)) or n == "mutants"]


def link_or_copy(source, target):
    """The same file under another name, which costs next to nothing; a copy where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


class Tree:
    """A copy of the source tree. Objects, libraries and programs made from it are made once. Its files may be the same as
    those of the build's tree: they are changed by rewrite() alone."""

    def __init__(self, build, folder, flags=(), compiler=None):
        """flags: added to every compile command. With them objects may offer less than the build's own, which then stand
        behind them. compiler: in the place of the build's own; what it does not compile, that one does."""
        self.build, self.folder, self.flags, self.compiler = build, folder, list(flags), compiler
        self.made, self.locks, self.guard = {}, {}, threading.Lock()
        self.rewritten, self.headers_changed = set(), False
        for part in ("include", "src", "tests"):
            if (build.root / part).is_dir():
                shutil.copytree(build.root / part, folder / part, ignore=not_sources, copy_function=link_or_copy)

    def rewrite(self, file, text):
        """Gives a file another text, here and nowhere else."""
        self.headers_changed |= not file.endswith(".cpp")
        self.rewritten.add(file)
        path = self.folder / file
        path.unlink()
        path.write_text(text)

    def make_as_new(self):
        """Takes back what was rewritten, and forgets what was made from it."""
        for file in self.rewritten:
            (self.folder / file).unlink()
            link_or_copy(self.build.root / file, self.folder / file)
        self.rewritten, self.headers_changed = set(), False
        self.made, self.locks = {}, {}
        shutil.rmtree(self.folder / "made", ignore_errors=True)

    def once(self, key, make):
        """Calls make(path to write to) the first time; returns that path. Other threads wait for it."""
        with self.guard:
            lock = self.locks.setdefault(key, threading.Lock())
            out = self.folder / "made" / str(list(self.locks).index(key)) / pathlib.Path(key[0]).name
        with lock:
            if key not in self.made:
                out.parent.mkdir(parents=True, exist_ok=True)
                make(out)
                self.made[key] = out
        return out

    def source_here(self, source, out):
        """Where this tree has a source; of one that unites several files, a copy that unites this tree's."""
        if source.startswith(f"{self.build.folder}{os.sep}"):
            united = out.with_suffix(".cxx")
            united.write_text(pathlib.Path(source).read_text().replace(str(self.build.root / "src"), str(self.folder / "src")))
            return str(united)
        return source.replace(str(self.build.root), str(self.folder), 1)

    def compiled(self, obj, source=None):
        """One object, with include folders and the source taken from this tree; another source of the same kind if named."""

        def make(out):
            build = self.build
            original, command = build.commands[obj]
            here = str(self.folder / source) if source else self.source_here(original, out)
            words, moved = iter(command), []
            for word in words:
                if word in ("-o", "-MF", "-MT", "-MQ", "-include"):
                    next(words)
                elif word == original:
                    moved.append(here)
                elif word.startswith(f"-I{build.root}"):
                    moved.append(word.replace(str(build.root), str(self.folder), 1))
                elif word not in ("-MD", "-MMD"):
                    moved.append(word)
            # Headers as the build's tree has them serve a tree that has changed none, unless a file has names of its own
            # that are in headers it does not include.
            shares = [True, False] if LAYER_OBJECT.match(obj) and not self.headers_changed else [False]
            ways = [(compiler, shared) for compiler in filter(None, [self.compiler, moved[0]]) for shared in shares]
            for compiler, shared in ways:
                headers = build.precompiled(compiler, command, self.flags, shared)
                answer = run([compiler, *moved[1:], *self.flags, *(["-include", headers] if headers else []), "-o", str(out)],
                             build.folder)
                if answer.returncode == 0:
                    break
            if answer.returncode:
                name = source or os.path.relpath(original, build.root)
                raise Trouble(f"{name} does not compile:\n{answer.stdout[-3000:]}")

        return self.once((obj, source), make)

    def link(self, target, replaced, out, keep):
        """Links a target of the build with some objects replaced, or put before their originals."""
        words = []
        for word in self.build.link_of(target):
            words += replaced.get(word, [])
            words += [word] if word not in replaced or keep else []
        words[words.index("-o") + 1] = str(out)
        words += ["-Wl,--allow-multiple-definition"] if keep else ["-Wl,-z,defs"]
        words += QUICKER_LINKER
        answer = run(words, self.build.folder)
        if answer.returncode:
            raise Trouble(f"{target} does not link:\n{answer.stdout[-3000:]}")

    def libraries(self, objects):
        """The folders of the layers these objects belong to, linked with this tree's objects. An object may come with the
        name of the only source of it that is to be compiled; then the build's own stands behind it."""
        pairs = [obj if isinstance(obj, tuple) else (obj, None) for obj in objects]
        folders = []
        for library in sorted({self.build.library_of(obj) for obj, _ in pairs}):
            own = tuple(pair for pair in pairs if self.build.library_of(pair[0]) == library)

            def make(out, library=library, own=own):
                replaced = {}
                for obj, source in own:
                    replaced.setdefault(obj, []).append(str(self.compiled(obj, source)))
                self.link(library, replaced, out, keep=bool(self.flags))

            folders.append(str(self.once((library, *own), make).parent))
        return folders

    def program(self, test, name):
        """The test program, or, where the test file sees the change, one of that file alone."""
        objects = self.build.objects_with(test, rf"CMakeFiles/{name}\.dir/")
        if not objects:
            raise Trouble(f"the build has no program {name} with {test}")
        own = [word for word in self.build.link_of(f"bin/{name}") if word.startswith(f"CMakeFiles/{name}.dir/")]

        def make(out):
            alone = self.compiled(objects[0], test)
            self.link(f"bin/{name}", {obj: [str(alone)] if obj == own[0] else [] for obj in own}, out, keep=False)

        return self.once((f"bin/{name}", test), make)


def run_test(program, libraries, timeout, test_filter="", more=()):
    """Returns how the program failed, or an empty string when it passed."""
    if not program.is_file():
        raise Trouble(f"{program.name} is not built: run ./test first")
    env = {k: v for k, v in os.environ.items() if not k.startswith("GTEST_")}
    env["LD_LIBRARY_PATH"] = ":".join([*libraries, *filter(None, [env.get("LD_LIBRARY_PATH")])])
    arguments = [f"--gtest_filter={test_filter}"] if test_filter else []
    try:
        answer = run([str(program), *arguments, *more], program.parent, timeout, env)
    except subprocess.TimeoutExpired:
        return "out of time"
    failed = re.findall(r"^\[  FAILED  \] ([\w/.]+)", answer.stdout, re.M)
    if answer.returncode < 0:
        # A layer with a file in it twice may crash when it is taken down: what the tests have said by then counts.
        done = "[  PASSED  ]" in answer.stdout
        return failed[0] if failed else "" if done else f"signal {-answer.returncode}"
    if answer.returncode == 0 and "[==========] 0 tests from" in answer.stdout:
        raise Trouble(f"{program.name}: the filter matches no test")
    if answer.returncode == 0:
        return ""
    if answer.returncode in (126, 127):
        raise Trouble(f"{program.name} does not start: {answer.stdout[-500:]}")
    return failed[0] if failed else f"exit {answer.returncode}"
