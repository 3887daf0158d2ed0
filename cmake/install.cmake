# The package: what another program gets by find_package(marey) or add_subdirectory().
#
#   marey::engine  libmarey_engine.so, the layers core … scene: models, dynamics, forces, time, simulations
#   marey::marey   libmarey.so on top of it: scenes, motion files, pictures
#
# The engine is compiled for the processor it runs on, its client as the client likes. Both compile the inline functions
# and templates of the public headers, each its own copy under the same name, and the linker would keep one of the two
# for both: the client's slow copy in the solvers, or AVX-512 in a client that has asked for none. So that they stay apart
# (docs/decisions/0019-package.md):
#   -fvisibility-inlines-hidden  (on the layers' objects) the library does not offer its copies of inline functions
#   version script               nor those of templates of the standard library and fmt
#   -Bsymbolic                   and calls its own functions, whatever a client defines under the same name
# Nothing but the include folder and C++20 reaches the client.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(marey_exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)

# marey_package_library(TARGET EXPORTED-NAME LAYER…): one shared library of the layers' objects. Nobody waits for it in the
# usual build: it is linked from what is compiled anyway when somebody asks for it.
function(marey_package_library target name)
  set(objects "")
  set(uses "")
  foreach(layer IN LISTS ARGN)
    list(APPEND uses ${marey_${layer}_uses})
    if(TARGET marey_${layer}_objects)
      list(APPEND objects $<TARGET_OBJECTS:marey_${layer}_objects>)
    endif()
  endforeach()
  add_library(${target} SHARED EXCLUDE_FROM_ALL ${objects})
  add_library(marey::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${marey_exports}
                        INSTALL_RPATH $ORIGIN)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${uses})
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic -Wl,--version-script=${marey_exports})
  if(NOT MAREY_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  add_dependencies(package_libraries ${target})
endfunction()

function(marey_package)
  add_custom_target(package_libraries)
  marey_package_library(marey_engine engine ${marey_engine_layers})
  set(libraries marey_engine)
  if(marey_outer_layers)
    marey_package_library(marey_with_files marey ${marey_outer_layers})
    set_target_properties(marey_with_files PROPERTIES OUTPUT_NAME marey)  # the name of the target is the program's
    target_link_libraries(marey_with_files PUBLIC marey_engine PRIVATE fmt::fmt)
    list(APPEND libraries marey_with_files)
  endif()
  if(MAREY_INSTALL)
    marey_install(${libraries})
  endif()
endfunction()

# cmake --build BUILD --target package_libraries; cmake --install BUILD --prefix PREFIX
function(marey_install)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/marey)
  install(TARGETS ${ARGN} EXPORT marey LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(absent "")
  if(NOT marey_outer_layers)
    set(absent PATTERN io EXCLUDE PATTERN render EXCLUDE PATTERN render.h EXCLUDE PATTERN search.h EXCLUDE)
  endif()
  install(DIRECTORY include/marey DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.inl" ${absent})
  install(EXPORT marey NAMESPACE marey:: FILE marey-targets.cmake DESTINATION ${folder})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/marey-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/marey-config.cmake ${PROJECT_BINARY_DIR}/marey-config-version.cmake
          DESTINATION ${folder})
endfunction()

# The reference of the public headers, in reference/html of the build folder. What Doxygen warns of is in
# reference/warnings.txt.
function(marey_reference)
  find_program(MAREY_DOXYGEN doxygen)
  if(MAREY_DOXYGEN)
    add_custom_target(reference
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/reference
      COMMAND ${CMAKE_COMMAND} -E env MAREY_REFERENCE=${PROJECT_BINARY_DIR}/reference MAREY_VERSION=${PROJECT_VERSION}
              ${MAREY_DOXYGEN} docs/Doxyfile
      COMMAND ${CMAKE_COMMAND} -E cat ${PROJECT_BINARY_DIR}/reference/warnings.txt
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  else()
    add_custom_target(reference
      COMMAND ${CMAKE_COMMAND} -E echo "doxygen is not installed (packages.txt, group docs)"
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  endif()
endfunction()
