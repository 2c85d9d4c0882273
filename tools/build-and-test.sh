#!/bin/sh
# Builds the tree with other options and runs its unit tests: tools/build-and-test.sh FOLDER TESTS [CMake options …]
# TESTS is a regular expression; "." stands for all.
set -eu
cd "$(dirname "$0")/.."
folder=$1
tests=$2
shift 2
cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DRUGA_TESTS=ON "$@" >/dev/null
cmake --build "$folder" -j2 --target all long_tests -- --quiet
ctest --test-dir "$folder" -L unit -R "$tests" -j2 --output-on-failure --no-tests=error
