# What `make install` gives: both libraries, the headers, the command, pkg-config files and a CMake package.
# The tree can be moved: nothing in it holds the prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ruga_shared EXPORT rugaTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ruga_static EXPORT rugaStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ruga_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ruga DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ruga)

# ---- pkg-config: `ruga` is the shared library, `ruga-static` names the static one and all that it needs.
set(RUGA_STATIC_LIBS "-lm -pthread")
if(NOT RUGA_MINIMAL)
  string(PREPEND RUGA_STATIC_LIBS "-lembree3 -lpng ")
endif()
file(RELATIVE_PATH RUGA_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(pc ruga ruga-static)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${pc}.pc.in ${CMAKE_BINARY_DIR}/${pc}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# ---- CMake: find_package(ruga), then ruga::ruga or ruga::ruga_static.
set(RUGA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ruga)
install(EXPORT rugaTargets NAMESPACE ruga:: DESTINATION ${RUGA_CMAKE_DIR})
install(EXPORT rugaStaticTargets NAMESPACE ruga:: DESTINATION ${RUGA_CMAKE_DIR})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/rugaConfig.cmake.in ${CMAKE_BINARY_DIR}/rugaConfig.cmake
                              INSTALL_DESTINATION ${RUGA_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/rugaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/rugaConfig.cmake ${CMAKE_BINARY_DIR}/rugaConfigVersion.cmake
        DESTINATION ${RUGA_CMAKE_DIR})
