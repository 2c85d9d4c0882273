#!/bin/bash
# Installs the built tree into a fresh prefix, moves it, and builds and runs a stranger's programs against it: C and
# C++, by pkg-config and by CMake, with shared and with static libraries; a third draws pictures with libruga_render,
# a fourth reads compressed files with libruga_decode.
# check_strangers.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# DESTDIR is honoured, and the tree works wherever it is put.
DESTDIR=$work/stage cmake --install "$build" --prefix /somewhere/else >/dev/null
mv "$work/stage/somewhere/else" "$work/prefix"
prefix=$work/prefix
for file in bin/ruga include/ruga/ruga.h share/doc/ruga/LICENSE share/doc/ruga/examples/scenes/flutter.json \
    share/doc/ruga/examples/c share/ruga/scene.schema.json share/man/man1/ruga.1 share/man/man1/ruga-sweep.1 \
    share/bash-completion/completions/ruga share/zsh/site-functions/_ruga; do
    [ -e "$prefix/$file" ] || { echo "$file is not installed" && exit 1; }
done
[ "$("$prefix/bin/ruga" --version | head -n 1 | cut -d' ' -f2)" = 0.1.0 ] || { echo "the command does not run" && exit 1; }
libdir=$(dirname "$(find "$prefix" -name libruga.a)")
readelf -d "$libdir/libruga.so" | grep -q 'SONAME.*libruga\.so\.0\]' || { echo "wrong soname" && exit 1; }

for name in libruga_render libruga_decode; do
    readelf -d "$libdir/$name.so" | grep -q "SONAME.*$name\.so\.0\]" || { echo "wrong soname" && exit 1; }
done

export PKG_CONFIG_PATH=$libdir/pkgconfig
export LD_LIBRARY_PATH=$libdir
[ "$(pkg-config --modversion ruga)" = 0.1.0 ] || { echo "wrong version in ruga.pc" && exit 1; }

# check_run PROGRAM LIBRARY…: the program runs, and these are all of Ruga's libraries that it loads.
check_run() {
    local program=$1 found
    shift
    found=$(readelf -d "$program" | sed -n 's/.*NEEDED.*\[\(libruga[a-z_]*\)\.so.*\]/\1/p' | sort | tr '\n' ' ')
    [ "$found" = "${*:+$* }" ] || { echo "$program loads '$found', not '$*'" && exit 1; }
    "$program"
}
# A program without pictures has no trace of Embree, even when linked with the static library.
check_lean() { if ldd "$1" | grep -E 'embree|tbb|stdc|png'; then echo "$1 needs more than libruga" && exit 1; fi; }

# compile COMPILER SOURCE PROGRAM PACKAGE
compile() {
    # shellcheck disable=SC2046
    "$1" -Wall -Wextra -Wpedantic -Werror "$here/stranger/$2" -o "$3" $(pkg-config --cflags --libs "$4")
}
echo "pkg-config:"
compile cc stranger.c c_ruga ruga
compile cc stranger.c c_ruga_static ruga-static
compile c++ stranger_cpp.cpp cpp_ruga ruga
compile c++ stranger_cpp.cpp cpp_ruga_static ruga-static
compile cc stranger_picture.c picture_ruga ruga-render
compile cc stranger_picture.c picture_ruga_static ruga-render-static
compile cc stranger_packed.c packed_ruga ruga-decode
compile cc stranger_packed.c packed_ruga_static ruga-decode-static
check_all() {
    for program in "$1/c_ruga" "$1/cpp_ruga"; do check_run "$program" libruga; done
    for program in "$1/c_ruga_static" "$1/cpp_ruga_static"; do check_run "$program"; done
    check_lean "$1/c_ruga"
    check_lean "$1/c_ruga_static"
    check_run "$1/picture_ruga" libruga libruga_render
    check_run "$1/picture_ruga_static"
    check_run "$1/packed_ruga" libruga libruga_decode
    check_run "$1/packed_ruga_static"
}
check_all .

echo "CMake:"
cmake -S "$here/stranger" -B cmake -G Ninja -DCMAKE_PREFIX_PATH="$prefix" --log-level=WARNING >/dev/null
cmake --build cmake -- --quiet
check_all cmake
