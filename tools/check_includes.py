#!/usr/bin/env python3
"""Holds every #include of the tree against tools/include-table.txt, and docs/architecture.md against both: its list of
folders, and the files that it names; keeps intrinsics in their place, and the names of files unlike.

check_includes.py [ROOT [TABLE]]
"""

import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
INTRINSIC = re.compile(r"\b_mm\d*_\w+\s*\(|\b__m(128|256|512)[di]?\b|\bv(ld|st)\dq?_\w+\s*\(")
INTRINSIC_FILES = ["src/math/simd*.h"]
SOURCES = (".c", ".h", ".cpp", ".hpp")


def read_table(path):
    """The table's lines by their first word, each as (second word, the rest)."""
    table = {"layer": [], "allow": [], "apart": [], "system": [], "only": []}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] not in table or len(words) < 2:
            sys.exit(f"{path}:{number}: not understood: {line.strip()}")
        table[words[0]].append((words[1], words[2:]))
    return table


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def layer_of(file, table):
    return next((layer for layer, patterns in table["layer"] if matches(file, patterns)), None)


def check_only(file, header, table):
    """Headers that only some files may use."""
    for first, rest in table["only"]:
        colon = rest.index(":")
        files = [first] + rest[:colon]
        if matches(header, rest[colon + 1 :]) and not matches(file, files):
            return f"only {' and '.join(files)} may include <{header}>"
    return None


def is_ours(root, header):
    """Whether a header in <> is one of our own."""
    return header.startswith("ruga/") or (root / "src" / header).exists()


def check_include(root, file, kind, header, table):
    """The problem of one include, or None."""
    layer = layer_of(file, table)
    if layer is None:
        return "this file belongs to no layer"
    if kind == "<" and not is_ours(root, header):
        allowed = dict(table["system"]).get(layer)
        if allowed is not None and not matches(header, allowed):
            return f"layer {layer} may not use <{header}>"
        return check_only(file, header, table)
    if ".." in header.split("/"):
        return f'"{header}": no ".." here; name it from src/ or include/'

    # A neighbour may be named without its folder.
    folder = file.rsplit("/", 1)[0]
    if "/" not in header:
        if not (root / folder / header).exists():
            return f'"{header}" is not beside this file'
        header = f"{folder.removeprefix('src/')}/{header}"
    if any(matches(file, [pattern]) for pattern, _ in table["apart"]):
        if f"src/{header}".startswith(folder + "/"):
            stem = header.rsplit("/", 1)[-1].rsplit(".", 1)[0]
            own = file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
            return None if own == stem or own.startswith(stem + "_") else f'"{header}": these files never include each other'
    problem = check_only(file, header, table)
    if problem:
        return problem
    own_folder = f"src/{header}".startswith(folder + "/") or header.startswith(folder + "/")
    if own_folder or matches(header, dict(table["allow"]).get(layer, [])):
        return None
    return f'layer {layer} may not include "{header}"'


def check_order(table, name):
    """The table itself: what a layer may include stands above it."""
    order = [layer for layer, _ in table["layer"]]
    wrong = []
    for layer, headers in table["allow"]:
        for header in headers:
            folder = header.split("/")[0]
            if folder in order and order.index(folder) > order.index(layer):
                wrong.append(f"{name}: layer {layer} stands above {folder} and may not include it")
    return wrong


def check_page(root, table):
    """docs/architecture.md lists the folders of src/ in the order of the table, each once."""
    page = root / "docs" / "architecture.md"
    if not page.exists():
        return []
    listed = re.findall(r"^    src/(\w+)/ ", page.read_text(), re.MULTILINE)
    there = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    wanted = [layer for layer, _ in table["layer"] if layer in there]
    wrong = [] if listed == wanted else [f"docs/architecture.md: folders in the order of the table are: {' '.join(wanted)}"]
    for name in sorted(set(re.findall(r"`(?:src/)?(\w+/\w+)`", page.read_text()))):
        if name.split("/")[0] in there and not list((root / "src").glob(name + ".[ch]")):
            wrong.append(f"docs/architecture.md: there is no file src/{name}.c or src/{name}.h")
    return wrong


def check_names(root):
    """No two files of different folders have one name."""
    seen, wrong = {}, []
    for top in ("src", "apps"):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in SOURCES:
                continue
            folder = source.parent.relative_to(root).as_posix()
            other = seen.setdefault(source.stem, folder)
            if other != folder:
                wrong.append(f"{folder}/{source.name}: {other} has a file of that name, too; name each by its purpose")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    path = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "tools" / "include-table.txt"
    table = read_table(path)
    wrong = check_order(table, path.name) + check_page(root, table) + check_names(root)
    for top in ("include", "src", "apps", "bindings", "studio", "examples", "tests", "bench"):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in SOURCES:
                continue
            file = source.relative_to(root).as_posix()
            for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
                found = INCLUDE.match(line)
                problem = found and check_include(root, file, found[1], found[2], table)
                if INTRINSIC.search(line) and not matches(file, INTRINSIC_FILES):
                    problem = f"intrinsics live in {INTRINSIC_FILES[0]} alone"
                if problem:
                    wrong.append(f"{file}:{number}: {problem}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
