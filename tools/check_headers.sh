#!/bin/bash
# Every public header compiles alone: as C17 without extensions, and as C++11, 14, 17 and 20. check_headers.sh [INCLUDE]
set -euo pipefail
include=${1:-$(cd "$(dirname "$0")/.." && pwd)/include}
cd "$include"
strict="-fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror -I."
failed=0
for header in ruga/*.h; do
    echo "#include \"$header\"" | ${CC:-cc} -x c -std=c17 $strict - || failed=1
    for standard in 11 14 17 20; do
        echo "#include \"$header\"" | ${CXX:-c++} -x c++ -std=c++$standard ${strict/-Wstrict-prototypes/} - || failed=1
    done
done
exit "$failed"
