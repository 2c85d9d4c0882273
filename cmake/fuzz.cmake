# Fuzz targets: every tests/fuzz/fuzz_<name>.c, with its seeds in tests/fuzz/corpus/<name>/ and, if there is one, the
# dictionary tests/fuzz/<name>.dict. The tests replay the seeds and then make a fixed number of seeded runs.
set(RUGA_FUZZ_RUNS 20000 CACHE STRING "Runs of each fuzz target in the tests")

add_custom_target(fuzz_targets)
file(GLOB RUGA_FUZZ_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(file ${RUGA_FUZZ_FILES})
  get_filename_component(target ${file} NAME_WE)
  string(REPLACE "fuzz_" "" name ${target})
  add_executable(${target} ${file})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ruga_internal)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${target})
  add_test(NAME fuzz/${name} COMMAND ${CMAKE_SOURCE_DIR}/tools/fuzz.sh ${CMAKE_BINARY_DIR} ${name}
                                     -runs=${RUGA_FUZZ_RUNS} -seed=1)
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 300 LABELS fuzz)
endforeach()
