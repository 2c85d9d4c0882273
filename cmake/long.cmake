# Long tests. `make test-long` may be given a cap; tests after the cap are reported as skipped, and the order rotates by
# day, so that all of it gets run. tools/within-cap.sh does the cutting; ctest starts tests by falling COST.
set_property(GLOBAL PROPERTY RUGA_LONG_TESTS "")

# add_long_test(name timeout_in_seconds processors command…): ten times what a quiet machine takes
function(add_long_test name timeout processors)
  add_test(NAME long/${name} COMMAND ${CMAKE_SOURCE_DIR}/tools/within-cap.sh ${timeout} ${ARGN}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  math(EXPR limit "${timeout} + 60")
  set_tests_properties(long/${name} PROPERTIES LABELS long TIMEOUT ${limit} PROCESSORS ${processors}
                                               SKIP_RETURN_CODE 77)
  set_property(GLOBAL APPEND PROPERTY RUGA_LONG_TESTS long/${name})
endfunction()

# Gives every long test its place of today.
function(order_long_tests)
  get_property(tests GLOBAL PROPERTY RUGA_LONG_TESTS)
  list(SORT tests)
  list(LENGTH tests count)
  string(TIMESTAMP seconds "%s" UTC)
  math(EXPR day "${seconds} / 86400")
  set(place 0)
  foreach(test ${tests})
    math(EXPR cost "1 + (${place} + ${day}) % ${count}")
    set_tests_properties(${test} PROPERTIES COST ${cost})
    math(EXPR place "${place} + 1")
  endforeach()
endfunction()
