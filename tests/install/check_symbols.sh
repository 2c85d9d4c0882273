#!/bin/bash
# The libraries that users get export ruga_* and nothing else; every function of the public headers is in the right one;
# libruga.so needs the C library alone; every kind of edit, body and part is in the list of kinds; and nothing but the
# kernels uses wide registers, so that one binary runs on every x86-64. check_symbols.sh BUILD
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
failed=0
complain() {
    echo "$*"
    failed=1
}

# exported NAME: what the shared and the static library export, one line each with "shared" or "static" before it.
exported() {
    nm -D --defined-only "$build/lib$1.so" | awk '{ print "shared", $NF }'
    nm -g --defined-only "$build/lib$1.a" | awk 'NF == 3 { print "static", $3 }'
}
core=$(exported ruga)
render=$(exported ruga_render)
decode=$(exported ruga_decode)
foreign=$(printf '%s\n%s\n%s\n' "$core" "$render" "$decode" | grep -v '^[a-z]* ruga_' | sort -u || true)
[ -z "$foreign" ] || complain "exported, but not ruga_*: $foreign"

# Functions as the compiler sees them declared, not as text: "header function".
declared=$(gcc -fsyntax-only -I"$root/include" -aux-info /dev/stdout -x c "$root/include/ruga/ruga.h" |
    awk '/\/include\/ruga\// && match($0, /ruga_[a-z0-9_]+ \(/) {
        name = substr($0, RSTART, RLENGTH - 2)
        match($0, /\/include\/ruga\/[a-z_]+\.h/)
        print substr($0, RSTART + 14, RLENGTH - 14), name }' | sort -u)
[ "$(grep -vc '^render.h' <<<"$declared")" -ge 100 ] || complain "found too few functions in the public headers: $declared"
[ "$(grep -c '^render.h' <<<"$declared")" -ge 10 ] || complain "found too few functions in ruga/render.h: $declared"
while read -r header function; do
    case $header in
        render.h) library=ruga_render symbols=$render ;;
        decode.h) library=ruga_decode symbols=$decode ;;
        *) library=ruga symbols=$core ;;
    esac
    for kind in shared static; do
        grep -qx "$kind $function" <<<"$symbols" || complain "$function of ruga/$header is not in the $kind lib$library"
    done
done <<<"$declared"
both=$(printf '%s\n%s\n%s\n' "$core" "$render" "$decode" | sort | uniq -d)
[ -z "$both" ] || complain "exported by two libraries: $both"
grep -q '^decode.h' <<<"$declared" || complain "found no functions in ruga/decode.h"

# The libraries that they load. A program without pictures loads neither Embree nor a C++ library, one
# without compressed files no decoder.
needed() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'; }
foreign=$(needed "$build/libruga.so" | grep -vE '^(libc|libm|libpthread|ld-linux.*)\.so' || true)
[ -z "$foreign" ] || complain "libruga.so needs $foreign"
for library in libruga.so.0 libembree3.so libpng; do
    needed "$build/libruga_render.so" | grep -q "^$library" || complain "libruga_render.so does not name $library"
done

# A kind that is missing from the list of src/scene/kinds.h would be unknown to scenes.
kinds=$(nm --defined-only "$build/libruga_internal.a" 2>/dev/null | awk '$2 ~ /[DR]/ && $3 ~ /_kind$/ { print $3 }')
[ "$(wc -w <<<"$kinds")" -ge 16 ] || complain "found too few kinds: $kinds"
for kind in $kinds; do
    grep -q "ROW($kind)" "$root/src/scene/kinds.h" || complain "$kind is not in the list of src/scene/kinds.h"
done

# Objects outside the kernels of an instruction set do not use it.
if [ "$(uname -m)" = x86_64 ]; then
    narrow=$(find "$build/CMakeFiles/ruga_objects.dir" "$build/CMakeFiles/ruga_render_objects.dir" \
        "$build/CMakeFiles/ruga_decode_objects.dir" \
        "$build/CMakeFiles/ruga_command_objects.dir" -name '*.o')
    narrow+=" $(find "$build/CMakeFiles" -path '*ruga_kernels_s*' -name '*.o')"
    # shellcheck disable=SC2086
    wide=$(objdump -d --no-show-raw-insn $narrow | awk '/file format/ { file = $1 } /%[yz]mm/ { found[file] }
        END { for (file in found) print file }')
    [ -z "$wide" ] || complain "wide registers outside of kernels: $wide"
fi
exit "$failed"
