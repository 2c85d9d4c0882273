# Fuzz targets: every tests/fuzz/fuzz_<name>.c, with its seeds in tests/fuzz/corpus/<name>/ and, if there is one, the
# dictionary tests/fuzz/<name>.dict. The tests replay the seeds and then make a fixed number of seeded runs: fewer for
# targets that build scenes, whose runs take milliseconds, so that none takes more than a few
# seconds; `make test-long` searches with each for a minute.
set(RUGA_FUZZ_RUNS 10000 CACHE STRING "Runs of each fuzz target in the tests")
set(RUGA_FUZZ_SLOW build restore wrinkle_load strokes)
set(RUGA_FUZZ_SLOW_RUNS 1500 CACHE STRING "The same for slow targets")

add_custom_target(fuzz_targets)
add_library(fuzz_support STATIC ${CMAKE_SOURCE_DIR}/tests/support/file_memory.c)
target_include_directories(fuzz_support PUBLIC ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR})
target_link_libraries(fuzz_support PUBLIC ruga_internal)
file(GLOB RUGA_FUZZ_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(file ${RUGA_FUZZ_FILES})
  get_filename_component(target ${file} NAME_WE)
  string(REPLACE "fuzz_" "" name ${target})
  add_executable(${target} ${file})
  target_link_libraries(${target} PRIVATE fuzz_support)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  if(name STREQUAL gltf) # compressed files, too
    target_link_libraries(${target} PRIVATE ruga_decode_internal)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  endif()
  add_dependencies(fuzz_targets ${target})
  set(runs ${RUGA_FUZZ_RUNS})
  if(name IN_LIST RUGA_FUZZ_SLOW)
    set(runs ${RUGA_FUZZ_SLOW_RUNS})
  endif()
  add_test(NAME fuzz/${name} COMMAND ${CMAKE_SOURCE_DIR}/tools/fuzz.sh ${CMAKE_BINARY_DIR} ${name}
                                     -runs=${runs} -seed=1)
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 600 LABELS fuzz)
endforeach()
