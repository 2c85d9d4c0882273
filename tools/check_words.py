#!/usr/bin/env python3
"""Looks for the words of tools/words.txt and for lines of more than 120 columns, in code, comments and documents.

check_words.py [PATH ...]   PATHs are files or folders; without any, only the counts per folder of the whole tree.

The rule for columns: a line of C, C++ and Markdown has at most 120 characters, and so has a comment of a script. Rows
of tables in Markdown may be longer, and so may a line with a word (a link, a path) that takes most of it.
Exits with 1 when something was found.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "apps", "include", "tests", "bench", "examples", "docs", "tools", "cmake")
FILES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Makefile", "CMakeLists.txt")
ENDINGS = {".c", ".h", ".cpp", ".py", ".sh", ".md", ".cmake", ".json", ".in", ".txt"}
WITHOUT = ("tests/fuzz/corpus/", "tools/words.txt", "tools/check_words.py")
# `ruga schema` writes this file from the tables in src/, each text on one line, because JSON has no longer ones. Its
# words are checked, its columns are not.
GENERATED = ("docs/scene.schema.json",)
COLUMNS = 120


def read_table(path):
    """(pattern, better, exception or None) of every line."""
    rules = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = re.split(r"\s{2,}-> |\s->\s", line.strip())
        if len(parts) not in (2, 3):
            sys.exit(f"{path.name}:{number}: expected PATTERN -> BETTER [-> EXCEPTION], found: {line}")
        case = 0 if re.search(r"(?<!\\)[A-Z]", parts[0]) else re.IGNORECASE
        spaced = [re.sub(r"(?<!\[-) (?!\])", r"\\s+", part.strip()) for part in parts]
        rules.append((re.compile(spaced[0], case), parts[1].strip(),
                      re.compile(spaced[2], re.IGNORECASE) if len(parts) == 3 else None))
    return rules


def as_prose(text):
    """The text with the marks that begin the lines of a comment, and quotes where a string is continued, made blank."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    text = re.sub(r'"[ ]*\n[ ]*"', blank, text)
    return re.sub(r"\n[ \t]*(\*(?!/)|//+|#+)[ \t]", blank, text)


def found_words(text, rules, capital_rules, any_rule):
    """(offset, words, better) of everything that the rules name. any_rule finds all but the capital ones."""
    prose = as_prose(text)
    if not any_rule.search(prose.replace("_", " ").lower()):
        rules = capital_rules
    for pattern, better, exception in rules:
        searched = prose
        if exception:
            searched = exception.sub(lambda found: "." * len(found[0]), searched)
        for found in pattern.finditer(searched.replace("_", " ")):
            yield found.start(), re.sub(r"\s+", " ", found[0]), better


def found_columns(name, text):
    if name in GENERATED:
        return
    all_lines = name.endswith((".c", ".h", ".cpp", ".md"))
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) <= COLUMNS or not (all_lines or line.lstrip().startswith("#")):
            continue
        if name.endswith(".md") and line.lstrip().startswith("|"):
            continue
        words = line.split()
        if max(map(len, words)) + len(line) - len(line.lstrip()) > COLUMNS - 20:
            continue
        yield number, len(line)


def files_of(arguments):
    for argument in arguments or FOLDERS + FILES:
        path = (pathlib.Path.cwd() / argument) if arguments else ROOT / argument
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and (file.suffix in ENDINGS or file.name == "Makefile"):
                yield file.resolve()


def main():
    rules = read_table(ROOT / "tools" / "words.txt")
    # Searching for all words at once, in small letters, takes a tenth of the time; few texts then need each rule.
    capital_rules = [rule for rule in rules if not rule[0].flags & re.IGNORECASE]
    any_rule = re.compile("|".join(rule[0].pattern for rule in rules if rule not in capital_rules))
    counts = collections.Counter()
    for file in files_of(sys.argv[1:]):
        name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.as_posix()
        if name.startswith(WITHOUT):
            continue
        text = file.read_text(errors="replace")
        lines = [(text.count("\n", 0, at) + 1, f'"{words}": {better}')
                 for at, words, better in found_words(text, rules, capital_rules, any_rule)]
        lines += [(number, f"{columns} columns") for number, columns in found_columns(name, text)]
        counts["/".join(name.split("/")[:-1][:2]) or "."] += len(lines)
        if sys.argv[1:]:
            for number, problem in sorted(lines):
                print(f"{name}:{number}: {problem}")
    for folder, count in sorted(counts.items()):
        if count:
            print(f"{count:6} {folder}")
    total = sum(counts.values())
    print(f"{total:6} in all" if total else "words and columns: fine")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
