# The objects, and the three libraries made of them: internal (tests, benchmarks), static and shared (users).

set(RUGA_LIBRARY_WARNINGS -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith)

add_library(ruga_objects OBJECT ${RUGA_SOURCES})
target_include_directories(ruga_objects PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(ruga_objects PRIVATE RUGA_VERSION_TEXT="${PROJECT_VERSION}")
target_compile_options(ruga_objects PRIVATE ${RUGA_LIBRARY_WARNINGS})
target_link_libraries(ruga_objects PRIVATE ${RUGA_LIBS})
set(RUGA_OBJECTS $<TARGET_OBJECTS:ruga_objects>)

# ---- Kernels, once per instruction set. Only static functions may be shared through headers, so that no linker ever
# takes one set's copy of a function for another's.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(RUGA_ISAS scalar sse4 avx2 avx512)
else()
  set(RUGA_ISAS scalar)
endif()
set(RUGA_FLAGS_scalar "")
set(RUGA_FLAGS_sse4 -msse4.2)
set(RUGA_FLAGS_avx2 -mavx2 -mfma)
set(RUGA_FLAGS_avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mprefer-vector-width=512)
if(RUGA_KERNELS)
  foreach(isa ${RUGA_ISAS})
    string(TOUPPER ${isa} ISA)
    add_library(ruga_kernels_${isa} OBJECT ${RUGA_KERNELS})
    target_include_directories(ruga_kernels_${isa} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_compile_definitions(ruga_kernels_${isa} PRIVATE ISA_SUFFIX=${isa} ISA_IS_${ISA}=1)
    target_compile_options(ruga_kernels_${isa} PRIVATE ${RUGA_FLAGS_${isa}} ${RUGA_LIBRARY_WARNINGS})
    list(APPEND RUGA_OBJECTS $<TARGET_OBJECTS:ruga_kernels_${isa}>)
    # Vectors as arrays, inlined, are so many checked accesses in one function that GCC would take minutes over them.
    if(RUGA_SANITIZE AND isa STREQUAL "scalar")
      target_compile_options(ruga_kernels_${isa} PRIVATE -fno-inline)
    endif()
  endforeach()
endif()

# ---- Internal: every symbol can be reached.
add_library(ruga_internal STATIC ${RUGA_OBJECTS})
target_include_directories(ruga_internal PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(ruga_internal PUBLIC ${RUGA_LIBS})

# ---- Static: the objects are linked into one, whose hidden symbols become local, so that only ruga_* is seen.
# Instrumented builds keep their objects apart, since the instrumentation has symbols of its own.
if(CMAKE_OBJCOPY AND UNIX AND NOT APPLE AND NOT RUGA_INSTRUMENTED)
  set(RUGA_MERGED ${CMAKE_BINARY_DIR}/ruga_merged.o)
  add_custom_command(
    OUTPUT ${RUGA_MERGED}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${RUGA_MERGED} ${RUGA_OBJECTS}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${RUGA_MERGED}
    DEPENDS ${RUGA_OBJECTS}
    COMMENT "Linking the static library's object"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  add_library(ruga_static STATIC ${RUGA_MERGED})
  set_target_properties(ruga_static PROPERTIES LINKER_LANGUAGE C)
else()
  add_library(ruga_static STATIC ${RUGA_OBJECTS})
endif()
set_target_properties(ruga_static PROPERTIES OUTPUT_NAME ruga)
target_include_directories(
  ruga_static INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_link_libraries(ruga_static INTERFACE ${RUGA_LIBS})

# ---- Shared.
add_library(ruga_shared SHARED ${RUGA_OBJECTS})
set_target_properties(ruga_shared PROPERTIES OUTPUT_NAME ruga EXPORT_NAME ruga VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR})
target_include_directories(
  ruga_shared INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_link_libraries(ruga_shared PRIVATE ${RUGA_LIBS})
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT RUGA_INSTRUMENTED)
  target_link_options(ruga_shared PRIVATE -Wl,-z,defs)
endif()
