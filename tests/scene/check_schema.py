"""Holds JSON files against a JSON Schema: check_schema.py SCHEMA LIST

Each line of LIST is "accept FILE" or "reject FILE". Prints what is otherwise and ends with 1; with 2 when the library
that knows schemas is not there.
"""

import json
import sys

try:
    from jsonschema import Draft7Validator
except ImportError:
    print("python3-jsonschema is missing: run tools/setup.sh test", file=sys.stderr)
    sys.exit(2)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    schema = load(sys.argv[1])
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    wrong = 0
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            wanted, path = line.rstrip("\n").split(" ", 1)
            error = next(validator.iter_errors(load(path)), None)
            if (error is None) == (wanted == "accept"):
                continue
            wrong += 1
            reason = error.message if error else "the schema has nothing against it"
            print(f"{path}: to {wanted}, but {reason}", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
