#!/bin/bash
# The libraries that users get show ruga_* and nothing else; every function that the public headers promise is there; and
# nothing but the kernels uses wide registers, so that one binary runs on every x86-64. check_symbols.sh BUILD
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
failed=0
complain() {
    echo "$*"
    failed=1
}

shared=$(nm -D --defined-only "$build/libruga.so" | awk '{ print $NF }')
static=$(nm -g --defined-only "$build/libruga.a" | awk 'NF == 3 { print $3 }')
foreign=$(printf '%s\n%s\n' "$shared" "$static" | grep -v '^ruga_' | sort -u || true)
[ -z "$foreign" ] || complain "exported, but not ruga_*: $foreign"

# Functions as the compiler sees them declared, not as text.
promised=$(gcc -fsyntax-only -I"$root/include" -aux-info /dev/stdout -x c "$root/include/ruga/ruga.h" |
    awk '/\/include\/ruga\// && match($0, /ruga_[a-z0-9_]+ \(/) { print substr($0, RSTART, RLENGTH - 2) }' | sort -u)
[ "$(echo "$promised" | wc -l)" -ge 20 ] || complain "found too few functions in the public headers: $promised"
for symbol in $promised; do
    grep -qx "$symbol" <<<"$shared" || complain "$symbol is declared, but libruga.so lacks it"
    grep -qx "$symbol" <<<"$static" || complain "$symbol is declared, but libruga.a lacks it"
done

# Objects outside the kernels of an instruction set do not use it.
if [ "$(uname -m)" = x86_64 ]; then
    narrow=$(find "$build/CMakeFiles/ruga_objects.dir" "$build/CMakeFiles/ruga_command.dir" -name '*.o')
    narrow+=" $(find "$build/CMakeFiles" -path '*ruga_kernels_s*' -name '*.o')"
    # shellcheck disable=SC2086
    wide=$(objdump -d --no-show-raw-insn $narrow | awk '/file format/ { file = $1 } /%[yz]mm/ { found[file] }
        END { for (file in found) print file }')
    [ -z "$wide" ] || complain "wide registers outside of kernels: $wide"
fi
exit "$failed"
