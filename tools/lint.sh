#!/bin/bash
# All checks of `make lint`, one line each; a check that fails prints why. tools/lint.sh
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
failed=0

stage() {
    local name=$1 begin=$SECONDS said
    shift
    if said=$("$@" 2>&1); then
        printf 'lint: %-10s fine (%d s)\n' "$name" $((SECONDS - begin))
        [ -z "$said" ] || sed 's/^/    /' <<<"$said"
    else
        printf 'lint: %-10s FAILED\n' "$name"
        sed 's/^/    /' <<<"$said"
        failed=1
    fi
}

c_files() { git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp'; }

check_format() {
    local wrong
    wrong=$(c_files | xargs -P "$jobs" -n 16 clang-format --dry-run -Werror 2>&1 | sed -n 's/:[0-9:]* error:.*//p' | sort -u)
    [ -z "$wrong" ] && return 0
    printf '%s is not in the house format: run make format\n' $wrong
    return 1
}

# Each file as the release build compiles it; kernels as their scalar version. Any remark is a failure.
check_analysis() {
    local said
    mkdir -p build/cppcheck
    said=$(cppcheck --quiet --enable=warning,performance,portability --inline-suppr -j "$jobs" \
        --std=c11 --platform=unix64 --cppcheck-build-dir=build/cppcheck \
        --suppressions-list=tools/cppcheck-suppressions.txt -DISA_SUFFIX=scalar -DISA_IS_SCALAR=1 \
        -D__GNUC__=12 -D__x86_64__=1 '-DRUGA_VERSION_TEXT="0"' -Iinclude -Isrc --template=gcc src apps 2>&1) && [ -z "$said" ] ||
        { echo "$said" && return 1; }
}

check_words() {
    local said
    said=$(python3 tools/check_words.py src apps include tests bench examples docs tools cmake \
        README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md Makefile CMakeLists.txt) || { echo "$said" && return 1; }
}

stage includes python3 tools/check_includes.py
stage format check_format
stage text python3 tools/check_text.py
stage words check_words
stage figures python3 tools/check_figures.py
stage images python3 tools/check_images.py
stage headers tools/check_headers.sh
stage analysis check_analysis

[ "$failed" -eq 0 ] || echo "lint: something above failed"
exit "$failed"
