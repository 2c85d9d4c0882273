#!/usr/bin/env python3
"""docs/images: every picture that a document shows exists, every one that exists is shown, and tools/docs-images.sh
makes them all."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
documents = [root / "README.md", *(root / "docs").glob("*.md")]
shown = set(re.findall(r"images/([\w-]+\.png)", "".join(path.read_text() for path in documents)))
present = {path.name for path in (root / "docs/images").glob("*.png")}


def names_of(loop, script):
    """The words that a loop over $name runs through; variables are written out."""
    words = re.sub(r"\$(\w+)", lambda match: re.search(rf'^{match[1]}="(.*)"', script, re.M)[1], loop)
    return words.split()


def made_by(script):
    """The pictures that a script writes into its folder."""
    made, names = set(), []
    looks = re.findall(r"^look ([\w-]+) ", script, re.M)
    rows = re.findall(r"^looks ([\w-]+) ", script, re.M)
    for line in script.splitlines():
        loop = re.match(r"for name in (.*); do", line)
        if loop:
            names = names_of(loop[1], script)
        for target in re.findall(r'\$folder/([\w$-]+)\.png', line):
            if "$file" in target:
                made.update(target.replace("$file", name) + ".png" for name in rows)
                continue
            for name in looks if "look-$name" in target else names if "$name" in target else [""]:
                made.add(target.replace("$name", name) + ".png")
    return made


made = made_by((root / "tools/docs-images.sh").read_text())
errors = [f"{name} is shown, but is not there" for name in sorted(shown - present)]
errors += [f"{name} is shown by no document" for name in sorted(present - shown)]
errors += [f"{name} is not made by tools/docs-images.sh" for name in sorted(shown - made)]
errors += [f"{name} is made by tools/docs-images.sh, but shown by no document" for name in sorted(made - shown)]
for error in errors:
    print(f"docs/images: {error}", file=sys.stderr)
sys.exit(1 if errors else 0)
