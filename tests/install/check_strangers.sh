#!/bin/bash
# Installs the built tree into a fresh prefix, moves it, and builds and runs a stranger's programs against it: C and C++,
# by pkg-config and by CMake, with the shared and with the static library. check_strangers.sh BUILD
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
for file in bin/ruga include/ruga/ruga.h share/doc/ruga/LICENSE; do
    [ -e "$prefix/$file" ] || { echo "$file is not installed" && exit 1; }
done
[ "$("$prefix/bin/ruga" --version | head -n 1 | cut -d' ' -f2)" = 0.1.0 ] || { echo "the command does not run" && exit 1; }
libdir=$(dirname "$(find "$prefix" -name libruga.a)")
readelf -d "$libdir/libruga.so" | grep -q 'SONAME.*libruga\.so\.0\]' || { echo "wrong soname" && exit 1; }

export PKG_CONFIG_PATH=$libdir/pkgconfig
export LD_LIBRARY_PATH=$libdir
[ "$(pkg-config --modversion ruga)" = 0.1.0 ] || { echo "wrong version in ruga.pc" && exit 1; }

# Whether a program uses the shared library, as it should or should not.
check_run() {
    local program=$1 shared=$2
    if readelf -d "$program" | grep -q 'NEEDED.*libruga'; then
        [ "$shared" = yes ] || { echo "$program needs the shared library" && exit 1; }
    else
        [ "$shared" = no ] || { echo "$program does not use the shared library" && exit 1; }
    fi
    "$program"
}

echo "pkg-config:"
for package in ruga ruga-static; do
    shared=$([ "$package" = ruga ] && echo yes || echo no)
    # shellcheck disable=SC2046
    cc -Wall -Wextra -Wpedantic -Werror "$here/stranger/stranger.c" -o "c_$package" $(pkg-config --cflags --libs "$package")
    # shellcheck disable=SC2046
    c++ -Wall -Wextra -Wpedantic -Werror "$here/stranger/stranger_cpp.cpp" -o "cpp_$package" \
        $(pkg-config --cflags --libs "$package")
    check_run "./c_$package" "$shared"
    check_run "./cpp_$package" "$shared"
done

echo "CMake:"
cmake -S "$here/stranger" -B cmake -G Ninja -DCMAKE_PREFIX_PATH="$prefix" --log-level=WARNING >/dev/null
cmake --build cmake -- --quiet
for program in c_ruga cpp_ruga; do check_run "cmake/$program" yes; done
for program in c_ruga_static cpp_ruga_static; do check_run "cmake/$program" no; done
