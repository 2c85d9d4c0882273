#!/usr/bin/env python3
"""docs/figures.md has a row for every figure and table of the five papers, and names demo items and tests that exist."""
import re
import sys
from pathlib import Path

FIGURES = [12, 10, 10, 13, 9]  # of each section, in order; the last one has a table, too
TABLES = [0, 0, 0, 0, 1]

root = Path(__file__).resolve().parent.parent
errors = []


def check_names(row):
    for path, cases in re.findall(r"`(tests/[\w/.]+)(?:: ([\w, ]+))?`", row):
        file = root / path
        if not file.is_file():
            errors.append(f"there is no {path}")
            continue
        for case in re.findall(r"\w+", cases):
            if f"({case})" not in file.read_text():
                errors.append(f"{path} has no case {case}")


def check_section(number, section):
    rows = [line for line in section.splitlines() if re.match(r"\| (\d+|table \d+) \|", line)]
    labels = [row.split("|")[1].strip() for row in rows]
    expected = [str(i + 1) for i in range(FIGURES[number])] + [f"table {i + 1}" for i in range(TABLES[number])]
    if labels != expected:
        errors.append(f"section {number + 1} has rows {labels}; there should be {expected}")
    for row in rows:
        cells = [cell.strip() for cell in row.strip("| ").split("|")]
        if len(cells) != 4 or not all(cells):
            errors.append(f"not four cells, or an empty one: {row[:60]}")
            continue
        for name in re.findall(r"`([a-z][\w-]*)`", cells[2]):
            if name not in items and f"bench_figure(\"{name}\"" not in benchmarks and f"{name}.json" not in scenes:
                errors.append(f"`{name}` is no demo item, figure or scene: {row[:60]}")
        check_names(cells[2] + cells[3])


items = set()
for source in (root / "apps/demo").glob("*.c"):
    items.update(re.findall(r"(?:\.name = |SHOW_TEMPLATE\()\"([\w-]+)\"", source.read_text()))
benchmarks = "".join(source.read_text() for source in (root / "bench").glob("*.c"))
scenes = {path.name for path in (root / "examples/scenes").glob("*.json")}

sections = (root / "docs/figures.md").read_text().split("\n## ")[1:]
if len(sections) != len(FIGURES):
    errors.append(f"{len(sections)} sections; there should be {len(FIGURES)}")
for number, section in enumerate(sections[: len(FIGURES)]):
    check_section(number, section)
for error in errors:
    print(f"docs/figures.md: {error}", file=sys.stderr)
sys.exit(1 if errors else 0)
