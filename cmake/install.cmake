# `make install` installs the libraries, the headers, the command with its manual pages and completions, the examples,
# the schema of scenes, pkg-config files and a CMake package.
# The tree can be moved: nothing in it holds the prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(RUGA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ruga)
foreach(name ruga ruga_render ruga_decode)
  install(TARGETS ${name}_shared EXPORT ${name}Targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS ${name}_static EXPORT ${name}StaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${name}Targets NAMESPACE ruga:: DESTINATION ${RUGA_CMAKE_DIR})
  install(EXPORT ${name}StaticTargets NAMESPACE ruga:: DESTINATION ${RUGA_CMAKE_DIR})
endforeach()
# An installed libruga_render or libruga_decode finds the libruga beside it.
set_target_properties(ruga_render_shared ruga_decode_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS ruga_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ruga DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ruga)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ruga)
install(FILES ${CMAKE_SOURCE_DIR}/docs/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ruga)

# ---- Manual pages and completions: the command writes them from its tables whenever it is built, where it can run.
set(RUGA_SHARE ${CMAKE_BINARY_DIR}/share)
set(RUGA_BASH_FOLDER bash-completion/completions)
set(RUGA_ZSH_FOLDER zsh/site-functions)
if(NOT RUGA_INSTRUMENTED AND NOT CMAKE_CROSSCOMPILING)
  file(MAKE_DIRECTORY ${RUGA_SHARE}/${RUGA_BASH_FOLDER} ${RUGA_SHARE}/${RUGA_ZSH_FOLDER})
  add_custom_command(TARGET ruga_command POST_BUILD VERBATIM
                     COMMAND ruga_command help --man -o ${RUGA_SHARE}/man/man1
                     COMMAND ruga_command completion bash -o ${RUGA_SHARE}/${RUGA_BASH_FOLDER}/ruga
                     COMMAND ruga_command completion zsh -o ${RUGA_SHARE}/${RUGA_ZSH_FOLDER}/_ruga)
  install(DIRECTORY ${RUGA_SHARE}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  foreach(folder ${RUGA_BASH_FOLDER} ${RUGA_ZSH_FOLDER})
    install(DIRECTORY ${RUGA_SHARE}/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  endforeach()
endif()

# ---- pkg-config: `ruga`, `ruga-render` and `ruga-decode` are the shared libraries; `ruga-static` and the like name the
# static ones and all that they need.
if(NOT RUGA_MINIMAL)
  set(RUGA_PC_RENDER_LIBS "-lembree3 -lpng")
endif()
file(RELATIVE_PATH RUGA_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
# add_pc(NAME DESCRIPTION LIBS LIBS_PRIVATE REQUIRES)
function(add_pc name description libs libs_private requires)
  foreach(field name description libs libs_private requires)
    string(TOUPPER ${field} FIELD)
    set(RUGA_PC_${FIELD} "${${field}}")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/ruga.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(RUGA_PC_PICTURES "Pictures, films and plots as PNG for Ruga")
add_pc(ruga "${PROJECT_DESCRIPTION}" "-L\${libdir} -lruga" "-lm -pthread" "")
add_pc(ruga-static "${PROJECT_DESCRIPTION} (static library)" "\${libdir}/libruga.a -lm -pthread" "" "")
add_pc(ruga-render "${RUGA_PC_PICTURES}" "-L\${libdir} -lruga_render" "${RUGA_PC_RENDER_LIBS} -lm"
       "ruga = ${PROJECT_VERSION}")
add_pc(ruga-render-static "${RUGA_PC_PICTURES} (static library)" "\${libdir}/libruga_render.a ${RUGA_PC_RENDER_LIBS}" ""
       "ruga-static = ${PROJECT_VERSION}")
set(RUGA_PC_DECODERS "Decoders of compressed glTF for Ruga")
add_pc(ruga-decode "${RUGA_PC_DECODERS}" "-L\${libdir} -lruga_decode" "${RUGA_DECODE_FLAGS}"
       "ruga = ${PROJECT_VERSION}")
add_pc(ruga-decode-static "${RUGA_PC_DECODERS} (static library)" "\${libdir}/libruga_decode.a ${RUGA_DECODE_FLAGS}" ""
       "ruga-static = ${PROJECT_VERSION}")

# ---- CMake: find_package(ruga), then ruga::ruga, ruga::ruga_render, ruga::ruga_decode, or one of these with _static.
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/rugaConfig.cmake.in ${CMAKE_BINARY_DIR}/rugaConfig.cmake
                              INSTALL_DESTINATION ${RUGA_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/rugaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/rugaConfig.cmake ${CMAKE_BINARY_DIR}/rugaConfigVersion.cmake
        DESTINATION ${RUGA_CMAKE_DIR})
