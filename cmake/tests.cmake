# Tests and examples. By naming alone:
#   tests/<folder>/test_<name>.c   a cmocka program, run by `make test`
#   tests/<folder>/long_<name>.c   the same, labelled `long`: run by `make test-long`
#   examples/c/<name>.c            a program of a user's, which has to end with 0
include(cmake/long.cmake)
find_library(CMOCKA cmocka REQUIRED)
find_library(RUGA_GMP gmp REQUIRED) # rational arithmetic, to hold predicates against

# A huge size in a file has to become an error, not an abort of the sanitizer's allocator.
set(RUGA_TEST_ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1" "TSAN_OPTIONS=allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1")
set(RUGA_TEST_FOLDER ${CMAKE_BINARY_DIR}/tests)
file(MAKE_DIRECTORY ${RUGA_TEST_FOLDER}/work)

file(GLOB RUGA_TEST_SUPPORT CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.c)
add_library(test_support STATIC ${RUGA_TEST_SUPPORT})
target_include_directories(test_support PUBLIC ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR})
target_link_libraries(test_support PUBLIC ruga_internal ${CMOCKA} ${RUGA_GMP})

# ---- Unit tests: every file is a program of its own.
file(GLOB_RECURSE RUGA_TEST_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/test_*.c
     ${CMAKE_SOURCE_DIR}/tests/*/long_*.c)
if(RUGA_MINIMAL)
  list(FILTER RUGA_TEST_FILES EXCLUDE REGEX "/tests/(render|cli)/")
endif()
foreach(file ${RUGA_TEST_FILES})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/tests ${file})
  string(REGEX MATCH "^(.+)/(test|long)_(.+)\\.c$" matched ${path})
  set(kind ${CMAKE_MATCH_2})
  set(name ${CMAKE_MATCH_1}/${CMAKE_MATCH_3})
  string(REPLACE "/" "_" target ${kind}_${name})
  add_executable(${target} ${file})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RUGA_TEST_FOLDER})
  target_link_libraries(${target} PRIVATE test_support)
  target_compile_definitions(${target} PRIVATE RUGA_COMMAND="$<TARGET_FILE:ruga_command>"
                                               RUGA_SOURCE_FOLDER="${CMAKE_SOURCE_DIR}")
  add_dependencies(${target} ruga_command)
  if(kind STREQUAL test)
    add_test(NAME ${RUGA_TEST_PREFIX}/${name} COMMAND ${target} WORKING_DIRECTORY ${RUGA_TEST_FOLDER}/work)
    set_tests_properties(${RUGA_TEST_PREFIX}/${name} PROPERTIES TIMEOUT 180 LABELS unit
                                                                ENVIRONMENT "${RUGA_TEST_ENVIRONMENT}")
  elseif(NOT RUGA_INSTRUMENTED)
    add_long_test(${name} 600 1 $<TARGET_FILE:${target}>)
  endif()
endforeach()

# ---- Examples: against the public headers and the library that users get.
file(GLOB RUGA_EXAMPLES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/c/*.c)
foreach(file ${RUGA_EXAMPLES})
  get_filename_component(name ${file} NAME_WE)
  add_executable(example_${name} ${file})
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  target_link_libraries(example_${name} PRIVATE ruga_static)
  set(folder ${RUGA_TEST_FOLDER}/work/example_${name})
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME ${RUGA_TEST_PREFIX}/example/${name} COMMAND example_${name} WORKING_DIRECTORY ${folder})
  set_tests_properties(${RUGA_TEST_PREFIX}/example/${name} PROPERTIES TIMEOUT 120 LABELS unit
                                                                      ENVIRONMENT "${RUGA_TEST_ENVIRONMENT}")
endforeach()

# ---- What is made of the whole tree, once, by the plain release build: the installed tree, the minimal build, the
# tools, and the long ones that build the tree in other ways.
if(NOT RUGA_INSTRUMENTED AND NOT RUGA_MINIMAL AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  function(add_tree_test name timeout)
    add_test(NAME ${RUGA_TEST_PREFIX}/${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${RUGA_TEST_PREFIX}/${name} PROPERTIES TIMEOUT ${timeout} LABELS tree)
  endfunction()
  add_tree_test(install/symbols 60 ${CMAKE_SOURCE_DIR}/tests/install/check_symbols.sh ${CMAKE_BINARY_DIR})
  add_tree_test(install/strangers 180 ${CMAKE_SOURCE_DIR}/tests/install/check_strangers.sh ${CMAKE_BINARY_DIR})
  add_tree_test(install/minimal 300 ${CMAKE_SOURCE_DIR}/tests/install/check_minimal.sh ${CMAKE_BINARY_DIR}/minimal)
  add_tree_test(tools/readme 120 ${CMAKE_SOURCE_DIR}/tests/tools/check_readme.sh ${CMAKE_BINARY_DIR})
  add_tree_test(tools/lint 60 ${CMAKE_SOURCE_DIR}/tests/tools/check_lint.sh)
  add_tree_test(tools/setup 30 ${CMAKE_SOURCE_DIR}/tests/tools/check_setup.sh)

  add_long_test(clang 900 2 ${CMAKE_SOURCE_DIR}/tools/build-and-test.sh build/clang . -DCMAKE_C_COMPILER=clang
                -DRUGA_WERROR=ON -DRUGA_BENCH=ON -DRUGA_TEST_PREFIX=clang)
  # Threads are ours in these folders; Embree's own are not compiled for the thread sanitizer.
  add_long_test(threads 900 2 ${CMAKE_SOURCE_DIR}/tools/build-and-test.sh build/tsan
                "/(base|mesh|geom|solve|body|wrinkle|system)/" -DRUGA_SANITIZE=thread -DRUGA_TEST_PREFIX=tsan)
  add_long_test(coverage 900 2 make coverage)
  file(GLOB RUGA_FUZZ_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
  foreach(file ${RUGA_FUZZ_FILES})
    string(REGEX REPLACE ".*/fuzz_(.+)\\.c$" "\\1" name ${file})
    add_long_test(fuzz/${name} 300 1 ${CMAKE_SOURCE_DIR}/tools/fuzz.sh build/fuzz ${name} -max_total_time=60)
  endforeach()
endif()
order_long_tests()
