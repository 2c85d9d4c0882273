#!/bin/bash
# The command and the libraries that users get are hardened: a stack protector, checked calls of the C library, tables
# of the linker that are read-only from the start, addresses that differ from run to run, and no executable stack.
# check_hardening.sh BUILD
set -euo pipefail
build=$1
failed=0
checked=0
for file in ruga libruga.so libruga_render.so libruga_decode.so; do
    path=$build/$file
    dynamic=$(readelf -dW "$path")
    segments=$(readelf -hlW "$path")
    symbols=$(nm -D --undefined-only "$path")
    # expect WHAT TEXT PATTERN
    expect() {
        checked=$((checked + 1))
        grep -qE "$3" <<<"$2" && return
        echo "$file: no $1"
        failed=1
    }
    expect "immediate binding" "$dynamic" 'BIND_NOW|Flags:.*\bNOW\b'
    expect "RELRO" "$segments" 'GNU_RELRO'
    expect "stack without code" "$segments" 'GNU_STACK .* RW +0x'
    expect "position-independent code" "$segments" 'Type: +DYN'
    expect "stack protector" "$symbols" '__stack_chk_fail'
    expect "checked calls" "$symbols" ' __[a-z]+_chk'
done
[ "$checked" = 24 ] || { echo "checked $checked properties, not 24"; failed=1; }
exit $failed
