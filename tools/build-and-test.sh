#!/bin/sh
# Builds the tree another way and runs its unit tests: tools/build-and-test.sh FOLDER [CMake options …]
set -eu
cd "$(dirname "$0")/.."
folder=$1
shift
cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DRUGA_TESTS=ON "$@" >/dev/null
cmake --build "$folder" -- --quiet
ctest --test-dir "$folder" -L unit -j2 --output-on-failure
