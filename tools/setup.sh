#!/bin/sh
# Sees to it that what Ruga is built with is there: tools/setup.sh [--check] GROUP …
# Groups: build, test, test-long, fuzz, coverage, lint, demo, bench.
#
# On Debian and its kin missing packages are installed by name (as root, or by sudo when it asks for no password).
# Elsewhere each thing is looked for itself, and missing things are named. Nothing to do takes a few milliseconds.
# --check installs nothing.
set -eu
groups="build test test-long fuzz coverage lint demo bench"

# Each line: groups, Debian package, how else to find it (command, header or Python module), what to call it.
# A group in brackets is one that can do without.
things() {
    cat <<'END'
build            gcc              command:cc            a C17 compiler (gcc or clang)
build            libc6-dev        header:math.h         the C library's headers
build            cmake            command:cmake         CMake 3.20 or newer
build            ninja-build      command:ninja         Ninja
build            libembree-dev    header:embree3/rtcore.h  Embree 3 with headers
build            libpng-dev       header:png.h          libpng with headers
[build]          libdraco-dev     header:draco/draco_features.h  Draco (files that it compressed can't be read without it)
[build]          libmeshoptimizer-dev  header:meshoptimizer.h  meshoptimizer (the same)
[build]          g++              command:c++           a C++ compiler (for Draco)
test             g++              command:c++           a C++ compiler (for the test of the installed headers)
test             pkg-config       command:pkg-config    pkg-config
test             python3          command:python3       Python 3
test             python3-jsonschema  python:jsonschema  Python's jsonschema
test             libcmocka-dev    header:cmocka.h       cmocka with headers
test             libgmp-dev       header:gmp.h          GMP with headers (rational arithmetic in tests)
[test]           libarpack2-dev   header:arpack/arpack.h  ARPACK (the comparison of eigenvectors with it is skipped without it)
test             ffmpeg           command:ffmpeg        ffmpeg (the tests of films)
test             zsh              command:zsh           zsh (the test of its completion)
test,fuzz        clang            command:clang         clang
test,fuzz        libclang-rt-dev  command:clang         clang's sanitizers and libFuzzer
[test]           lld              command:ld.lld        LLVM's linker (linking the tests takes twice as long without it)
[test-long]      slurm-wlm        command:slurmctld     Slurm (the test of sweeps on a cluster is skipped without it)
[test-long]      munge            command:munged        MUNGE (the same)
[test-long]      chromium         command:chromium      Chromium (the test of the demo pages is skipped without it)
coverage         gcovr            command:gcovr         gcovr
lint             python3          command:python3       Python 3
lint             gcc              command:cc            a C17 compiler (gcc or clang)
lint             g++              command:c++           a C++ compiler
lint             libc6-dev        header:math.h         the C library's headers
lint             clang-format     command:clang-format  clang-format 14 or newer
lint             cppcheck         command:cppcheck      cppcheck
[demo]           ffmpeg           command:ffmpeg        ffmpeg (films; without it there are only pictures)
bench            libembree-dev    header:embree3/rtcore.h  Embree 3 with headers
[bench]          libopenblas-dev  header:cblas.h        OpenBLAS (one comparison of cloth and one of factors are left out without it)
[bench]          libsuitesparse-dev  header:suitesparse/cholmod.h  CHOLMOD (the comparison of sparse factors with it is left out without it)
[bench]          libbullet-dev    header:bullet/btBulletDynamicsCommon.h  Bullet (the comparison of contact with it is left out without it)
[bench]          libcgal-dev      header:CGAL/version.h  CGAL (the comparison of distances over surfaces with its heat method is left out without it)
[bench]          libeigen3-dev    header:eigen3/signature_of_eigen3_matrix_library  Eigen (the same)
[bench]          g++              command:c++           a C++ compiler (the same)
bench            valgrind         command:valgrind      valgrind (counts instructions where the machine does not)
END
}

# The lines of the wanted groups, as "need package look name".
wanted_things() {
    things | awk -v wanted="$wanted" '
        BEGIN { count = split(wanted, group, " ") }
        {
            line = $2 " " $3
            for (i = 4; i <= NF; i++) line = line " " $i
            for (i = 1; i <= count; i++) {
                if (index("," $1 ",", "," group[i] ",")) print "needed " line
                if ($1 == "[" group[i] "]") print "useful " line
            }
        }' | sort -u
}

# Whether a thing is there whatever it was installed by.
is_found() {
    case $1 in
        command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
        python:*) python3 -c "import ${1#python:}" >/dev/null 2>&1 ;;
        header:*) echo "#include <${1#header:}>" | header_compiles ;;
    esac
}
header_compiles() {
    { echo "#include <stddef.h>"; echo "#include <stdint.h>"; echo "#include <stdarg.h>"; echo "#include <setjmp.h>"; cat; } |
        ${CC:-cc} ${CFLAGS:-} -E -x c - >/dev/null 2>&1
}

# The packages of the list that are not installed, by one question to dpkg.
missing_packages() {
    {
        # shellcheck disable=SC2046
        dpkg-query -W -f='${db:Status-Status} ${Package}\n' $(cut -d' ' -f2 "$1") 2>/dev/null || true
        echo "--"
        cat "$1"
    } | awk '$1 == "--" { asked = 1; next }
             !asked { if ($1 == "installed") installed[$2] = 1; next }
             !installed[$2]++ { print $2 }'
}

install_packages() {
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    echo "setup: installing $*"
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # Package lists may be missing or old: they are only fetched when there is something to install.
    if $as_root apt-get update >"$log" 2>&1 &&
        $as_root apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null; then
        rm -f "$log"
        return 0
    fi
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "setup: apt-get could not install the packages above" >&2
    return 1
}

# Looks for each thing itself and names the missing ones; fails when one of them is needed.
look_for_things() {
    result=0
    while read -r need package look name; do
        is_found "$look" && continue
        if [ "$need" = useful ]; then
            echo "setup: not there, and can be done without: $name" >&2
        else
            echo "setup: missing: $name (on Debian: apt-get install $package)" >&2
            result=1
        fi
    done <"$1"
    [ "$result" -eq 0 ] || echo "setup: install what is missing and run the same command again" >&2
    return "$result"
}

check_only=no
if [ "${1:-}" = --check ]; then
    check_only=yes
    shift
fi
wanted=${*:-build}
for group in $wanted; do
    case " $groups " in
        *" $group "*) ;;
        *)
            echo "setup: there is no group '$group'; there are: $groups" >&2
            exit 2
            ;;
    esac
done

list=$(mktemp)
trap 'rm -f "$list"' EXIT
wanted_things >"$list"

if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
    missing=$(missing_packages "$list")
    [ -n "$missing" ] || exit 0
    if [ "$check_only" = no ] && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }; then
        # shellcheck disable=SC2086
        install_packages $missing || look_for_things "$list"
        exit
    fi
fi
look_for_things "$list"
