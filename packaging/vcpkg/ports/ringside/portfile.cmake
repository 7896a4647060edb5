# The libraries from the source tree or archive that this port is in: vcpkg install ringside --overlay-ports=packaging/vcpkg/ports.
# consumerd and the tools are not in it.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

# Programs with debug information also log through the optimised library.
set(VCPKG_BUILD_TYPE release)
# The files of CMake find the library from where they are.
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled)
set(VCPKG_POLICY_SKIP_MISPLACED_CMAKE_FILES_CHECK enabled)

set(reader disabled)
if("reader" IN_LIST FEATURES)
  set(reader enabled)
endif()

vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -Dprograms=disabled -Dtests=false -Dperf=false -Dwerror=false -Dreader=${reader}
)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()

# Meson builds both kinds; a triplet has one.
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
  file(GLOB unwanted "${CURRENT_PACKAGES_DIR}/lib/*.so*")
else()
  file(GLOB unwanted "${CURRENT_PACKAGES_DIR}/lib/*.a")
endif()
file(REMOVE ${unwanted})

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
