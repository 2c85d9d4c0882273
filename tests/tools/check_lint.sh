#!/bin/bash
# Every check of the lint can fail: small trees with one fault each, and one without.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fresh_tree() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree"
    cd "$work/tree"
    put include/ruga/mesh.h '#include <stddef.h>'
    put src/base/memory.h '#include "ruga/mesh.h"'
    put src/mesh/mesh.h '#include "base/memory.h"'
    put src/mesh/mesh.c '#include "mesh/mesh.h"' '#include "mesh.h"' '#include <math.h>'
    put src/math/simd.h '#include <immintrin.h>'
    put src/body/body.h '' && put src/body/cloth.h '' && put src/body/lattice.h ''
    put src/wrinkle/sculpt.h '#include "body/body.h"'
    put src/wrinkle/crease.c '#include "wrinkle/crease.h"' && put src/wrinkle/crease.h ''
    put src/wrinkle/embedded_shell.c '#include "body/lattice.h"'
    put src/cli/main.c '#include "ruga/mesh.h"' '#include <stdio.h>' && put src/cli/command.h ''
    put apps/demo/command_demo.c '#include "cli/command.h"' '#include "demo.h"' && put apps/demo/demo.h ''
    put README.md '[mesh](src/mesh/mesh.h)' '[web](https://example.org)' '[part](#part)'
}
put() {
    mkdir -p "$(dirname "$1")"
    printf '%s\n' "${@:2}" >"$1"
}

# expect TEXT COMMAND …: the command has to fail and say the text.
checks=0
expect() {
    local text=$1 said
    shift
    if said=$("$@" 2>&1); then
        echo "should have failed: $text"
        exit 1
    fi
    [[ $said == *"$text"* ]] || { echo "wanted '$text', got: $said" && exit 1; }
    checks=$((checks + 1))
    fresh_tree
}
includes() { python3 "$root/tools/check_includes.py" "$work/tree" "${1:-$root/tools/include-table.txt}"; }
text() { python3 "$root/tools/check_text.py" "$work/tree"; }
words() { python3 "$root/tools/check_words.py" "$work/tree"; }

fresh_tree
includes || { echo "a right tree was refused" && exit 1; }
text || { echo "a right tree was refused" && exit 1; }
words || { echo "a right tree was refused" && exit 1; }

# ---- Who may include whom. The tree itself keeps to the table.
python3 "$root/tools/check_includes.py" || { echo "an #include of the tree is against tools/include-table.txt" && exit 1; }
put src/base/up.c '#include "mesh/mesh.h"'
expect 'src/base/up.c:1: layer base may not include "mesh/mesh.h"' includes
put src/cli/deep.c '#include "base/memory.h"'
expect 'layer cli may not include "base/memory.h"' includes
put src/cli/sideways.c '#include "demo/demo.h"'
expect 'layer cli may not include "demo/demo.h"' includes
put apps/demo/deep.c '#include "base/memory.h"'
expect 'layer demo may not include "base/memory.h"' includes
put examples/c/deep.c '#include <base/memory.h>'
expect 'layer examples may not include "base/memory.h"' includes
put bindings/python/deep.c '#include "mesh/mesh.h"'
expect 'layer bindings may not include' includes
put studio/deep.c '#include "mesh/mesh.h"'
expect 'layer studio may not include' includes
put include/ruga/mesh.h '#include "base/memory.h"'
expect 'layer public may not include' includes
put include/ruga/mesh.h '#include <pthread.h>'
expect 'layer public may not use <pthread.h>' includes
put src/wrinkle/crease.c '#include "wrinkle/sculpt.h"'
expect 'never include each other' includes
put src/wrinkle/crease.c '#include "sculpt.h"'
expect 'never include each other' includes
put src/wrinkle/crease.c '#include "body/cloth.h"'
expect 'layer wrinkle may not include "body/cloth.h"' includes
put src/wrinkle/crease.c '#include "body/lattice.h"'
expect 'layer wrinkle may not include "body/lattice.h"' includes
put src/mesh/fast.c '  #  include <immintrin.h>'
expect 'only src/math/simd*.h may include <immintrin.h>' includes
put src/mesh/fast.c 'static __m256d twice(__m256d x) { return _mm256_add_pd(x, x); }'
expect 'src/mesh/fast.c:1: intrinsics live in' includes
put src/mesh/rays.c '#include <embree3/rtcore.h>'
expect 'may include <embree3/rtcore.h>' includes
put src/scene/picture.c '#include "ruga/render.h"'
expect 'may include <ruga/render.h>' includes
put src/scene/picture.c '#include "render/canvas.h"'
expect 'layer scene may not include "render/canvas.h"' includes
put src/plot/picture.c '#include "ruga/ruga.h"'
expect 'may include <ruga/ruga.h>' includes
put src/mesh/up.c '#include "../base/memory.h"'
expect 'no ".." here' includes
put src/new/new.c '#include "base/memory.h"'
expect 'belongs to no layer' includes
sed 's|^allow base .*|allow base mesh/*|' "$root/tools/include-table.txt" >"$work/table"
expect 'layer base stands above mesh' includes "$work/table"
put docs/architecture.md '    src/base/   memory' '    src/math/   vectors' '    src/wrinkle/   tools' '    src/mesh/   meshes'
expect 'folders in the order of the table are: base math mesh body wrinkle cli' includes
put docs/architecture.md '    src/base/   memory' '    src/math/   vectors' '    src/mesh/   meshes' '    src/body/   bodies' \
    '    src/wrinkle/   tools' '    src/cli/   commands' '`mesh/mesh` and `body/gone`'
expect 'there is no file src/body/gone.c' includes
put src/body/mesh.c ''
expect 'src/body has a file of that name, too' includes

# ---- Texts.
printf 'int x; \n' >src/mesh/blank.c
expect 'src/mesh/blank.c:1: trailing blanks' text
printf '\tint x;\n' >src/mesh/tab.c
expect 'a tab' text
printf 'int x;' >src/mesh/end.c
expect 'the last line does not end' text
put src/mesh/later.c "/* TO""DO: later */"
expect 'something left to do' text
put docs/path.md "see /wo""rk/notes"
expect 'a path of one machine' text
put docs/link.md '[gone](nowhere.md)'
expect 'docs/link.md:1: the link leads nowhere: nowhere.md' text
put docs/picture.md '<img src="gone.png">'
expect 'the link leads nowhere: gone.png' text
{ echo 'int f(void) {' && printf '    f();%.0s\n' {1..130} && echo '}'; } >src/mesh/function.c
expect 'a function of 132 lines' text
printf '%.0s\n' {1..901} >src/mesh/file.c
expect 'a file of 901 lines' text

# ---- Words and columns. The words are in pieces, so that the check does not find them here.
put src/mesh/word.c '/* The user is to''ld of it. */'
expect 'src/mesh/word.c:1: "to''ld"' words
put src/mesh/name.c 'static void is_to''ld_elsewhere(void);'
expect '"to''ld"' words
put docs/opening.md 'Wh''at lands is stopped.'
expect 'name the subject' words
put docs/split.md 'The motion go''es' 'on.'
expect '"go''es on"' words
put src/mesh/columns.c "/*$(printf ' word%.0s' {1..30}) */"
expect '155 columns' words

# ---- Public headers.
put include/ruga/mesh.h 'size_t ruga_count(void);'
expect 'size_t' "$root/tools/check_headers.sh" "$work/tree/include"
put include/ruga/mesh.h 'int ruga_new(int new);'
expect 'new' "$root/tools/check_headers.sh" "$work/tree/include"
put include/ruga/mesh.h 'typedef struct ruga_a { struct { int x; }; } ruga_a;'
expect 'anonymous' "$root/tools/check_headers.sh" "$work/tree/include"

echo "$checks faults were found"
