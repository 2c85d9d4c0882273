# The objects and the libraries made of them:
#   ruga, ruga_static                  the core, which needs libm and threads alone
#   ruga_render, ruga_render_static    pictures, films and plots as PNG, over the core
#   ruga_decode, ruga_decode_static    decoders of compressed glTF, over the core
#   ruga_internal, ruga_render_internal, ruga_decode_internal
#                                      the same with every symbol in reach, for tests and benchmarks

set(RUGA_LIBRARY_WARNINGS -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith)

# ---- Examples that the command has in it: one copy, embedded here.
function(embed_examples header prefix what) # FILES...
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${header} -DPREFIX=${prefix} "-DFILES=${ARGN}" -P
            ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${what}"
    VERBATIM)
endfunction()

# The example scenes are the templates of `ruga new`.
file(GLOB RUGA_TEMPLATES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/scenes/*.json)
set(RUGA_TEMPLATE_HEADER ${CMAKE_BINARY_DIR}/generated/templates.h)
embed_examples(${RUGA_TEMPLATE_HEADER} template_ "the example scenes" ${RUGA_TEMPLATES})

# The demo folds the example pattern, and draws the example strokes.
set(RUGA_PATTERN_HEADER ${CMAKE_BINARY_DIR}/generated/patterns.h)
embed_examples(${RUGA_PATTERN_HEADER} pattern_ "the example pattern" ${CMAKE_SOURCE_DIR}/examples/fold/miura.fold)
set(RUGA_STROKES_HEADER ${CMAKE_BINARY_DIR}/generated/strokes.h)
embed_examples(${RUGA_STROKES_HEADER} strokes_ "the example strokes" ${CMAKE_SOURCE_DIR}/examples/strokes/face.json)

# The demo's pages: their style, the 3D viewer, and the figures of the papers.
set(RUGA_PAGE_HEADER ${CMAKE_BINARY_DIR}/generated/page.h)
embed_examples(${RUGA_PAGE_HEADER} page_ "the demo's pages" ${CMAKE_SOURCE_DIR}/apps/demo/page/style.css
               ${CMAKE_SOURCE_DIR}/apps/demo/page/view.js ${CMAKE_SOURCE_DIR}/docs/figures.md ${CMAKE_SOURCE_DIR}/LICENSE)

function(add_ruga_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR})
  target_compile_definitions(${name} PRIVATE RUGA_VERSION_TEXT="${PROJECT_VERSION}")
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C>:${RUGA_LIBRARY_WARNINGS}>)
endfunction()

add_ruga_objects(ruga_objects ${RUGA_SOURCES} ${RUGA_TEMPLATE_HEADER})
target_link_libraries(ruga_objects PRIVATE ${RUGA_LIBS})
set(RUGA_OBJECTS $<TARGET_OBJECTS:ruga_objects>)
if(RUGA_SANITIZE) # little time is spent in these folders; with sanitizers, -O1 takes three times as long to compile
  set(RUGA_LIGHT ${RUGA_SOURCES})
  list(FILTER RUGA_LIGHT INCLUDE REGEX "/src/(io|plot|run|scene|system)/")
  set_property(SOURCE ${RUGA_LIGHT} APPEND PROPERTY COMPILE_OPTIONS -O0)
endif()
add_ruga_objects(ruga_render_objects ${RUGA_RENDER_SOURCES})
target_link_libraries(ruga_render_objects PRIVATE ${RUGA_LIBS} ${RUGA_RENDER_LIBS})
add_ruga_objects(ruga_decode_objects ${RUGA_DECODE_SOURCES})
target_compile_definitions(ruga_decode_objects PRIVATE ${RUGA_DECODE_DEFINITIONS})

# ---- Kernels, once per instruction set. Only static functions may be shared through headers, so that no linker ever
# takes one set's copy of a function for another's.
if(RUGA_FUZZ)
  # The search is guided by code that reads; counting in solvers would only slow them down.
  set(RUGA_READERS ${RUGA_SOURCES})
  list(FILTER RUGA_READERS INCLUDE REGEX "/src/(base|field|mesh|io|scene|run)/|/curve[^/]*$|_state\\.c$")
  set_property(SOURCE ${RUGA_READERS} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
  # Sizes in files are multiplied and added: a sum that wraps is a hole in a check. WRAPS marks functions that may.
  set(RUGA_IO_SOURCES ${RUGA_SOURCES} ${RUGA_KERNELS})
  list(FILTER RUGA_IO_SOURCES INCLUDE REGEX "/src/io/")
  set_property(SOURCE ${RUGA_IO_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=unsigned-integer-overflow)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(RUGA_ISAS scalar sse4 avx2 avx512)
  if(RUGA_SANITIZE AND NOT RUGA_SANITIZE_ALL) # the same source: `make test-long` has all four with sanitizers
    set(RUGA_ISAS scalar avx2)
    add_compile_definitions(RUGA_TWO_ISAS)
  endif()
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

# ---- Internal: every symbol can be reached. With sanitizers or coverage these are shared libraries, since linking the
# large objects of such a build into each test program takes long.
set(RUGA_INTERNAL_KIND STATIC)
if(RUGA_INSTRUMENTED AND UNIX AND NOT APPLE)
  set(RUGA_INTERNAL_KIND SHARED)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,-Bsymbolic>)
endif()
add_library(ruga_internal ${RUGA_INTERNAL_KIND} ${RUGA_OBJECTS})
target_include_directories(ruga_internal PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(ruga_internal PUBLIC ${RUGA_LIBS})
if(RUGA_INTERNAL_KIND STREQUAL SHARED) # programs refer to the library's tables, rather than to copies of their own
  target_compile_options(ruga_internal INTERFACE -fPIC)
endif()
add_library(ruga_render_internal ${RUGA_INTERNAL_KIND} $<TARGET_OBJECTS:ruga_render_objects>)
target_link_libraries(ruga_render_internal PUBLIC ruga_internal ${RUGA_RENDER_LIBS})
add_library(ruga_decode_internal ${RUGA_INTERNAL_KIND} $<TARGET_OBJECTS:ruga_decode_objects>)
set_target_properties(ruga_decode_internal PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(ruga_decode_internal PUBLIC ruga_internal ${RUGA_DECODE_LIBS})

# ---- The libraries for users: add_ruga_libraries(NAME LIBS OBJECTS…) makes NAME_static and NAME_shared.
# In the static one all objects are linked into one, whose other symbols become local, so that only ruga_* is exported:
# hidden ones, and what C++ instantiates of its own library.
# Instrumented builds keep their objects apart, since the instrumentation has symbols of its own.
function(add_ruga_libraries name libs)
  if(CMAKE_OBJCOPY AND UNIX AND NOT APPLE AND NOT RUGA_INSTRUMENTED)
    set(merged ${CMAKE_BINARY_DIR}/${name}_merged.o)
    add_custom_command(
      OUTPUT ${merged}
      COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${merged} ${ARGN}
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard --keep-global-symbol=ruga_* ${merged}
      DEPENDS ${ARGN}
      COMMENT "Linking the object of ${name}_static"
      COMMAND_EXPAND_LISTS
      VERBATIM)
    add_library(${name}_static STATIC ${merged})
    set_target_properties(${name}_static PROPERTIES LINKER_LANGUAGE C)
  else()
    add_library(${name}_static STATIC ${ARGN})
  endif()
  target_link_libraries(${name}_static INTERFACE ${libs})

  add_library(${name}_shared SHARED ${ARGN})
  target_link_libraries(${name}_shared PRIVATE ${libs})
  set_target_properties(${name}_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                                  EXPORT_NAME ${name})
  set_target_properties(${name}_shared PROPERTIES LINKER_LANGUAGE C)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT RUGA_INSTRUMENTED)
    target_link_options(${name}_shared PRIVATE -Wl,-z,defs
                        -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/exported.map)
  endif()
  if(RUGA_INSTRUMENTED)
    set_target_properties(${name}_shared PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  foreach(library ${name}_static ${name}_shared)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME ${name})
    target_include_directories(
      ${library} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  endforeach()
endfunction()

add_ruga_libraries(ruga "${RUGA_LIBS}" ${RUGA_OBJECTS})
add_ruga_libraries(ruga_render "${RUGA_RENDER_LIBS}" $<TARGET_OBJECTS:ruga_render_objects>)
target_link_libraries(ruga_render_static INTERFACE ruga_static)
target_link_libraries(ruga_render_shared PUBLIC ruga_shared PRIVATE m)
add_ruga_libraries(ruga_decode "${RUGA_DECODE_LIBS}" $<TARGET_OBJECTS:ruga_decode_objects>)
target_link_libraries(ruga_decode_static INTERFACE ruga_static)
target_link_libraries(ruga_decode_shared PUBLIC ruga_shared)
