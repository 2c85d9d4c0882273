#!/bin/sh
# Which lines of src/ and apps/ the unit tests run: tools/coverage.sh FOLDER JOBS. Fails below 90 %.
set -eu
cd "$(dirname "$0")/.."
folder=$1
jobs=$2
cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DRUGA_TESTS=ON -DRUGA_COVERAGE=ON \
    -DRUGA_TEST_PREFIX=coverage >/dev/null
cmake --build "$folder" -j "$jobs" -- --quiet
find "$folder" -name '*.gcda' -delete
ctest --test-dir "$folder" -L unit -j "$jobs" --output-on-failure --quiet --output-log "$folder/tests.log" || {
    cat "$folder/tests.log"
    exit 1
}
gcovr --root . --filter 'src/' --filter 'apps/' -j "$jobs" --html-details "$folder/report.html" --txt "$folder/report.txt" \
    --print-summary --fail-under-line 90 "$folder" >"$folder/summary.txt" || {
    cat "$folder/report.txt" "$folder/summary.txt"
    echo "coverage: below 90 % of the lines of src/ and apps/; see $folder/report.html" >&2
    exit 1
}
cat "$folder/report.txt"
grep '^lines' "$folder/summary.txt"
echo "coverage: see $folder/report.html"
