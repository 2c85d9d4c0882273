#!/usr/bin/env python3
"""Checks what no compiler sees: check_text.py [ROOT]

- no trailing blanks, tabs in C, missing last newline
- nothing left to do in comments, no paths of anyone's machine
- files and functions that grow too long: a note above the first limit, an error above the second
- every relative link of every Markdown file leads somewhere
"""

import pathlib
import re
import subprocess
import sys

FILE_LINES = (800, 900)
FUNCTION_LINES = (80, 120)
TEXT = {".c", ".h", ".cpp", ".py", ".sh", ".md", ".txt", ".cmake", ".in", ".html", ".js", ".css", ".dict", ""}
# Written in pieces, so that this file does not find itself.
UNWANTED = [
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b"), "something left to do: do it, or say in the docs that it is planned"),
    (re.compile(r"(?<![\w.})])/(wo" r"rk|ro" r"ot|ho" r"me|tm" r"p/h)/"), "a path of one machine"),
]
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


def files_of(root):
    """Tracked and new files; all files where there is no git."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                                capture_output=True, text=True).stdout
        return [root / name for name in sorted(listed.split("\0")) if name and (root / name).is_file()]
    return sorted(path for path in root.rglob("*") if path.is_file())


def check_lines(name, lines, suffix):
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield f"{name}:{number}: trailing blanks"
        if "\t" in line and suffix in (".c", ".h", ".cpp", ".py"):
            yield f"{name}:{number}: a tab"
        for pattern, problem in UNWANTED:
            if pattern.search(line):
                yield f"{name}:{number}: {problem}: {line.strip()}"


def function_lengths(lines):
    """(line, length) of every function of a formatted C file: from its first line to the brace that closes it."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and re.match(r"^[A-Za-z_].*\(", line) and not line.rstrip().endswith(";"):
            start = number
        elif start is not None and (line.startswith("}") or (line.endswith(";") and not line.startswith(" "))):
            if line.startswith("}"):
                yield start, number - start + 1
            start = None


def check_lengths(name, lines, warnings):
    errors = []

    def judge(place, what, length, limits):
        if length > limits[1]:
            errors.append(f"{place}: {what} of {length} lines; {limits[1]} is the most")
        elif length > limits[0]:
            warnings.append(f"{place}: {what} of {length} lines; {limits[0]} is a good limit")

    judge(name, "a file", len(lines), FILE_LINES)
    for number, length in function_lengths(lines):
        judge(f"{name}:{number}", "a function", length, FUNCTION_LINES)
    return errors


def check_links(root, path, lines):
    fenced = False
    for number, line in enumerate(lines, 1):
        fenced ^= line.lstrip().startswith("```")
        for found in LINK.finditer("" if fenced else line):
            target = (found[1] or found[2]).split("#")[0]
            if not target or re.match(r"^[a-z]+:", target):
                continue
            if not (path.parent / target).exists():
                yield f"{path.relative_to(root)}:{number}: the link leads nowhere: {target}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    errors, warnings = [], []
    for path in files_of(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in TEXT or name.startswith("tests/fuzz/corpus/"):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            if path.suffix:
                errors.append(f"{name}: not UTF-8")
            continue
        lines = text.split("\n")
        if text and lines.pop() != "":
            errors.append(f"{name}: the last line does not end")
        errors += check_lines(name, lines, path.suffix)
        if path.suffix in (".c", ".h"):
            errors += check_lengths(name, lines, warnings)
        if path.suffix == ".md":
            errors += check_links(root, path, lines)
    for line in warnings:
        print("note:", line)
    for line in errors:
        print(line)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
