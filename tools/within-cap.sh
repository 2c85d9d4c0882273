#!/bin/bash
# Runs a long test within its own limit and within the day's cap: tools/within-cap.sh SECONDS COMMAND …
# RUGA_TEST_END (seconds since 1970; unset: no cap) is when the day's tests end. A test without time left ends
# with 77, which ctest reports as skipped; one that takes longer than its own limit has failed.
set -u
limit=$1
shift
not_reached() {
    echo "not reached today: the cap of 'make test-long' ended before this test did"
    exit 77
}

seconds=$limit
if [ -n "${RUGA_TEST_END:-}" ]; then
    left=$((RUGA_TEST_END - $(date +%s)))
    [ "$left" -ge 5 ] || not_reached
    [ "$left" -ge "$limit" ] || seconds=$left
fi

timeout --kill-after=10 "$seconds" "$@"
code=$?
[ "$code" -ne 124 ] && [ "$code" -ne 137 ] && exit "$code"
[ "$seconds" -lt "$limit" ] && not_reached
echo "took longer than $limit s"
exit 1
