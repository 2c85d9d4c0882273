# Tests and examples. By naming alone:
#   tests/<folder>/test_<name>.c   a cmocka program, run by `make test` as build/tests/test_<folder> <name>
#   tests/<folder>/long_<name>.c   the same, labelled `long`: run by `make test-long`, a program by itself
#   examples/c/<name>.c            a program of a user's, which has to end with 0
include(cmake/long.cmake)
find_library(CMOCKA cmocka REQUIRED)
find_library(RUGA_GMP gmp REQUIRED) # rational arithmetic, to hold predicates against

# A huge size in a file has to become an error, not an abort of the sanitizer's allocator.
set(RUGA_TEST_ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1" "TSAN_OPTIONS=allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1")
if(RUGA_SANITIZE_ALL OR RUGA_COVERAGE) # tests that skip_unless_long() has in `make test-long` alone
  list(APPEND RUGA_TEST_ENVIRONMENT "RUGA_LONG_CASES=1")
endif()
set(RUGA_TEST_FOLDER ${CMAKE_BINARY_DIR}/tests)
file(MAKE_DIRECTORY ${RUGA_TEST_FOLDER}/work)

file(GLOB RUGA_TEST_SUPPORT CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.c)
# Under sanitizers some long tests are skipped: see skip_when_sanitized of tests/support/support.h.
if(RUGA_SANITIZE AND NOT RUGA_SANITIZE_ALL)
  add_compile_definitions(RUGA_SANITIZED)
endif()
add_library(test_support STATIC ${RUGA_TEST_SUPPORT})
target_include_directories(test_support PUBLIC ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR})
target_link_libraries(test_support PUBLIC ruga_render_internal ${CMOCKA} ${RUGA_GMP})
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(test_support INTERFACE -Wl,--as-needed) # most tests draw nothing and need not load Embree
  # Hundreds of programs: the linker of LLVM takes half as long.
  find_program(RUGA_LLD ld.lld)
  if(RUGA_LLD)
    target_link_options(test_support INTERFACE -fuse-ld=lld -Wl,--threads=1)
  endif()
endif()

# Seconds after which a test has failed: at least ten times what a test may take on a quiet machine (CONTRIBUTING.md),
# so that a busy one does not matter.
set(RUGA_UNIT_LIMIT 300)
if(RUGA_INSTRUMENTED)
  set(RUGA_UNIT_LIMIT 900)
endif()

# ---- Unit tests. Their own code is compiled quickly rather than to be quick: -O1
# takes more than twice as long as -O0. Checked calls of the C library need optimisation.
set(RUGA_TEST_OPTIMISATION -O0 -U_FORTIFY_SOURCE)
file(GLOB_RECURSE RUGA_TEST_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/test_*.c
     ${CMAKE_SOURCE_DIR}/tests/*/long_*.c)
if(RUGA_MINIMAL)
  list(FILTER RUGA_TEST_FILES EXCLUDE REGEX "/tests/(render|cli)/")
endif()
if(RUGA_INSTRUMENTED) # long tests are run by the release alone
  list(FILTER RUGA_TEST_FILES EXCLUDE REGEX "/long_")
endif()
# A case that begins with skip_unless_long() is run by `make test-long`, as long/<folder>/<name>/cases.
# `make test` runs these in the release alone: whole scenes, commands and pictures over code that the other tests of
# their folders run with sanitizers. `make test-long` runs them with sanitizers, too.
set(RUGA_RELEASE_ALONE
    body/cloth_drape body/cloth_fabric body/flesh_simulated body/lattice_muscles
    cli/cloth cli/crease cli/manual cli/meshes cli/pictures cli/scenes cli/sculpt cli/shell cli/sweep cli/terminal cli/wrinkle
    contact/broad contact/repulsion_rest
    linalg/lanczos linalg/two_level
    model/head model/mannequin model/model model/sculptures
    render/picture
    run/contact_report
    scene/contact_scenes scene/crease_changes scene/crease_contact scene/crease_scenes scene/crease_sewing
    scene/examples scene/pile scene/pleats scene/recovery scene/scene_crease scene/scene_shell scene/sewing
    scene/strokes scene/tight_scenes
    solve/preconditioner
    wrinkle/crease_integrators wrinkle/crease_random wrinkle/embedded_shell wrinkle/shell_contact
    wrinkle/shell_coupling wrinkle/shell_spectral wrinkle/shell_surfaces wrinkle/spline_waves
    wrinkle/wrinkle_mesh_control
    wrinkle/wrinkle_mesh_waves)
foreach(name ${RUGA_RELEASE_ALONE})
  string(REGEX REPLACE "/([^/]+)$" "/test_\\1.c" file ${CMAKE_SOURCE_DIR}/tests/${name})
  if(NOT EXISTS ${file}) # one that was renamed would come back with sanitizers
    message(FATAL_ERROR "cmake/tests.cmake: RUGA_RELEASE_ALONE has ${name}, but there is no ${file}")
  endif()
  if(RUGA_SANITIZE AND NOT RUGA_SANITIZE_ALL)
    list(REMOVE_ITEM RUGA_TEST_FILES ${file})
  endif()
endforeach()
add_custom_target(long_tests) # built by `make test-long` alone

# add_test_program(target kind folder name…): the files <kind>_<name>.c of a folder as a program that takes the name of
# one of them, over the library with every symbol in reach.
function(add_test_program target kind folder)
  set(rows "")
  set(files "")
  foreach(short ${ARGN})
    string(APPEND rows "ROW(${short})\n")
    list(APPEND files ${CMAKE_SOURCE_DIR}/tests/${folder}/${kind}_${short}.c)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/${folder}/${kind}_${short}.c
                                PROPERTIES COMPILE_DEFINITIONS main=main_of_${short})
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${target}.h CONTENT "${rows}")
  add_executable(${target} ${files} ${CMAKE_SOURCE_DIR}/tests/support/program/main.c)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
  target_compile_definitions(${target} PRIVATE RUGA_TESTS_OF_PROGRAM="${target}.h" RUGA_TEST_KIND="${kind}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RUGA_TEST_FOLDER})
  target_link_libraries(${target} PRIVATE test_support)
  target_compile_options(${target} PRIVATE ${RUGA_TEST_OPTIMISATION})
  target_compile_definitions(${target} PRIVATE RUGA_COMMAND="$<TARGET_FILE:ruga_command>"
                                               RUGA_SOURCE_FOLDER="${CMAKE_SOURCE_DIR}")
  # Linked after the command, which tests run, but compiled before: add_dependencies would wait with both.
  set_target_properties(${target} PROPERTIES LINK_DEPENDS $<TARGET_FILE:ruga_command>)
endfunction()

# The files of a folder are one program, which takes the name of a file: test_<folder> <name>. A program per file takes
# as long to link as to compile.
set(RUGA_TEST_FOLDERS "")
foreach(file ${RUGA_TEST_FILES})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/tests ${file})
  string(REGEX MATCH "^(.+)/(test|long)_(.+)\\.c$" matched ${path})
  set(kind ${CMAKE_MATCH_2})
  set(folder ${CMAKE_MATCH_1})
  set(short ${CMAKE_MATCH_3})
  set(name ${folder}/${short})
  if(kind STREQUAL long)
    string(REPLACE "/" "_" target long_${name})
    add_test_program(${target} long ${folder} ${short})
    add_long_test(${name} 6000 1 $<TARGET_FILE:${target}> ${short})
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(long_tests ${target})
    continue()
  endif()
  list(APPEND RUGA_TEST_FOLDERS ${folder})
  list(APPEND RUGA_TESTS_OF_${folder} ${short})
  set(target test_${folder})
  add_test(NAME ${RUGA_TEST_PREFIX}/${name} COMMAND ${target} ${short} WORKING_DIRECTORY ${RUGA_TEST_FOLDER}/work)
  set_tests_properties(${RUGA_TEST_PREFIX}/${name} PROPERTIES TIMEOUT ${RUGA_UNIT_LIMIT} LABELS unit
                                                              ENVIRONMENT "${RUGA_TEST_ENVIRONMENT}")
  file(STRINGS ${file} long_cases REGEX "skip_unless_long|every_allocation_may_fail" LIMIT_COUNT 1)
  if(long_cases AND NOT RUGA_INSTRUMENTED)
    add_long_test(${name}/cases 3000 1 ${CMAKE_COMMAND} -E env RUGA_LONG_CASES=1 $<TARGET_FILE:${target}> ${short})
    set_tests_properties(long/${name}/cases PROPERTIES WORKING_DIRECTORY ${RUGA_TEST_FOLDER}/work)
  endif()
endforeach()
list(REMOVE_DUPLICATES RUGA_TEST_FOLDERS)
foreach(folder ${RUGA_TEST_FOLDERS})
  add_test_program(test_${folder} test ${folder} ${RUGA_TESTS_OF_${folder}})
endforeach()
# Tests of compressed glTF make their own files, with the encoders of the libraries that decode them.
target_link_libraries(test_io PRIVATE ruga_decode_internal)
target_compile_definitions(test_io PRIVATE ${RUGA_DECODE_DEFINITIONS})
set_target_properties(test_io PROPERTIES LINKER_LANGUAGE C)
if(RUGA_DRACO_SOURCE)
  set(encoder ${CMAKE_SOURCE_DIR}/tests/support/draco_encode.cpp)
  target_sources(test_io PRIVATE ${encoder})
  target_link_libraries(test_io PRIVATE stdc++)
  set_property(SOURCE ${encoder} APPEND PROPERTY COMPILE_OPTIONS -std=c++17)
  if(RUGA_SANITIZE) # as the decoder in decoders.cmake
    set_property(SOURCE ${encoder} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
  endif()
endif()
# Eigenvectors are held against those of ARPACK; without it that test is skipped.
find_path(RUGA_ARPACK_FOLDER arpack/arpack.h)
find_library(RUGA_ARPACK arpack)
if(RUGA_ARPACK_FOLDER AND RUGA_ARPACK)
  foreach(target test_linalg test_wrinkle)
    target_include_directories(${target} SYSTEM PRIVATE ${RUGA_ARPACK_FOLDER})
    target_link_libraries(${target} PRIVATE ${RUGA_ARPACK})
    target_compile_definitions(${target} PRIVATE TEST_ARPACK)
  endforeach()
endif()

# ---- Examples: against the public headers and the library that users get.
file(GLOB RUGA_EXAMPLES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/c/*.c)
foreach(file ${RUGA_EXAMPLES})
  get_filename_component(name ${file} NAME_WE)
  add_executable(example_${name} ${file})
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  target_link_libraries(example_${name} PRIVATE ruga_render_static)
  set(folder ${RUGA_TEST_FOLDER}/work/example_${name})
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME ${RUGA_TEST_PREFIX}/example/${name} COMMAND example_${name} WORKING_DIRECTORY ${folder})
  set_tests_properties(${RUGA_TEST_PREFIX}/example/${name} PROPERTIES TIMEOUT ${RUGA_UNIT_LIMIT} LABELS unit
                                                                      ENVIRONMENT "${RUGA_TEST_ENVIRONMENT}")
endforeach()

# ---- Tests of the whole tree, once, by the plain release build: the installed tree, the minimal build, the tools, and
# long ones that build the tree with other options.
if(NOT RUGA_INSTRUMENTED AND NOT RUGA_MINIMAL AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # The command as a minimal build has it: the core of such a build is the same, so that only pictures and decoders are
  # exchanged.
  add_library(ruga_no_pictures STATIC ${RUGA_NO_PICTURES} ${RUGA_NO_DECODERS})
  target_include_directories(ruga_no_pictures PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(ruga_no_pictures PUBLIC ruga_static)
  add_executable(ruga_minimal $<TARGET_OBJECTS:ruga_command_objects>)
  set_target_properties(ruga_minimal PROPERTIES LINKER_LANGUAGE C)
  target_link_libraries(ruga_minimal PRIVATE ruga_no_pictures)

  function(add_tree_test name timeout)
    add_test(NAME ${RUGA_TEST_PREFIX}/${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${RUGA_TEST_PREFIX}/${name} PROPERTIES TIMEOUT ${timeout} LABELS tree)
  endfunction()
  add_tree_test(install/symbols 120 ${CMAKE_SOURCE_DIR}/tests/install/check_symbols.sh ${CMAKE_BINARY_DIR})
  add_tree_test(install/hardening 60 ${CMAKE_SOURCE_DIR}/tests/install/check_hardening.sh ${CMAKE_BINARY_DIR})
  add_tree_test(install/strangers 300 ${CMAKE_SOURCE_DIR}/tests/install/check_strangers.sh ${CMAKE_BINARY_DIR})
  add_tree_test(install/minimal 300 ${CMAKE_SOURCE_DIR}/tests/install/check_minimal.sh $<TARGET_FILE:ruga_minimal>
                $<TARGET_FILE:ruga_shared>)
  add_tree_test(tools/readme 600 ${CMAKE_SOURCE_DIR}/tests/tools/check_readme.sh ${CMAKE_BINARY_DIR})
  add_tree_test(tools/setup 60 ${CMAKE_SOURCE_DIR}/tests/tools/check_setup.sh)

  add_long_test(clang 9000 2 ${CMAKE_SOURCE_DIR}/tools/build-and-test.sh build/clang . -DCMAKE_C_COMPILER=clang
                -DRUGA_WERROR=ON -DRUGA_BENCH=ON -DRUGA_TEST_PREFIX=clang)
  # Threads are ours in these folders; Embree's own are not compiled for the thread sanitizer.
  add_long_test(threads 9000 2 ${CMAKE_SOURCE_DIR}/tools/build-and-test.sh build/tsan
                "/(base|mesh|model|geom|solve|body|wrinkle|system)/" -DRUGA_SANITIZE=thread -DRUGA_TEST_PREFIX=tsan)
  add_long_test(sanitizers 18000 2 ${CMAKE_SOURCE_DIR}/tools/build-and-test.sh build/sanitizers .
                -DRUGA_SANITIZE=address,undefined -DRUGA_SANITIZE_ALL=ON -DRUGA_TEST_PREFIX=sanitizers)
  add_long_test(minimal 3000 2 ${CMAKE_SOURCE_DIR}/tests/install/check_minimal.sh --build ${CMAKE_BINARY_DIR}/minimal)
  add_long_test(lint 300 1 ${CMAKE_SOURCE_DIR}/tests/tools/check_lint.sh)
  add_long_test(pages 3000 2 ${CMAKE_SOURCE_DIR}/tests/tools/check_pages.sh ${CMAKE_BINARY_DIR})
  add_long_test(slurm 3000 2 ${CMAKE_SOURCE_DIR}/tests/tools/check_slurm.sh $<TARGET_FILE:ruga_command>)
  add_long_test(coverage 9000 2 make coverage)
  file(GLOB RUGA_FUZZ_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
  foreach(file ${RUGA_FUZZ_FILES})
    string(REGEX REPLACE ".*/fuzz_(.+)\\.c$" "\\1" name ${file})
    # One seed for all days: what lands must not depend on the date. `make fuzz` searches elsewhere every day.
    add_long_test(fuzz/${name} 700 1 ${CMAKE_SOURCE_DIR}/tools/fuzz.sh build/asan ${name} -seed=2 -max_total_time=60)
  endforeach()
endif()
order_long_tests()
