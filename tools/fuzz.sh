#!/bin/sh
# Runs one fuzz target: tools/fuzz.sh BUILD NAME [libFuzzer options …]
# The seeds of tests/fuzz/corpus/NAME are replayed first. Its findings go to BUILD/findings/, never into the tree.
set -eu
build=$1
name=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
program=$build/fuzz_$name
seeds=$root/tests/fuzz/corpus/$name
dictionary=$root/tests/fuzz/$name.dict

[ -x "$program" ] || {
    echo "fuzz: $program is not built: run 'make fuzz'" >&2
    exit 1
}
[ -n "$(ls -A "$seeds" 2>/dev/null)" ] || {
    echo "fuzz: $seeds holds no seeds: put a few small valid files there" >&2
    exit 1
}

# A fresh folder for new inputs, so that a seeded run does the same every time.
# In memory if possible: libFuzzer writes each new input to a file, which took a fifth of a short run.
memory=/dev/shm
[ -w "$memory" ] || memory=${TMPDIR:-/tmp}
work=$(mktemp -d -p "$memory")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM
mkdir -p "$work/new" "$build/findings"
[ -f "$dictionary" ] && set -- "-dict=$dictionary" "$@"

# The seed is that of the day: another search tomorrow, and the same one for whoever looks into a finding today.
set -- "-seed=$(($(date +%s) / 86400))" "$@"

# A huge size in a file has to become an error of the reader's, not an abort of the sanitizer's allocator.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1
"$program" -timeout=30 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
    "-artifact_prefix=$build/findings/$name-" "$@" "$work/new" "$seeds" >"$work/log" 2>&1 || {
    tail -n 200 "$work/log"
    echo "fuzz: $name failed; the input is in $build/findings/; replay it with: $program FILE" >&2
    exit 1
}
grep -E 'INITED|DONE|stat::number_of_executed_units|stat::peak_rss' "$work/log" || true
