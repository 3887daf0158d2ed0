# How the parts of the tree become targets. Files are found by pattern, so adding one touches no list.

# Outside libraries a layer uses, beside the layer before it.
set(marey_core_uses fmt::fmt Threads::Threads)
set(marey_shape_uses marey_qhull)
set(marey_integrate_uses marey_cvodes)
set(marey_sim_uses nlohmann_json::nlohmann_json)
set(marey_io_uses yaml-cpp marey_hdf5)
set(marey_render_uses PNG::PNG)
set(marey_search_uses marey_nlopt)

# Files that are compiled by themselves; all others of a layer are compiled several to a unit, since most of what a file
# costs to compile is the headers it shares with its neighbours. The solvers are hot and heavy, and each has helpers of
# its own under the same names, as shapes have.
set(marey_alone "/src/(dynamics|closed_form|shape)/[^/]*$|/src/contact/(cone_|factors|friction_cone)[^/]*$")
# Of tests and programs more go into one: their headers, GoogleTest's macros and CLI11 are nearly all they are made of.
set(marey_files_per_unit 5)
set(marey_files_per_outer_unit 12)
if(MAREY_SANITIZE)
  set(marey_files_per_unit 12)  # nobody changes a file here and there in these builds: the fewest headers count
endif()

# Layers of heavy headers and no hot loops, which read and make what others compute with: the sanitizers need not have them optimised,
# which takes half of the time to compile them.
set(marey_layers_without_loops spec scene io)
# Under the address sanitizer clang compiles them, where there is one, as it does the tests (docs/decisions/0036).

set(marey_convex_queries box_axes.cpp box_contact.cpp clip.cpp distance.cpp expanding_polytope.cpp gjk.cpp manifold.cpp
                         patch.cpp)
# Quaternions one by one: gcc makes vectors of their products, which cost more to put together than they save.
set_source_files_properties(src/integrate/advance.cpp PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
# The same with vectors in space, in queries about two convex solids: 5 % of their time.
list(TRANSFORM marey_convex_queries PREPEND src/shape/)
set_source_files_properties(${marey_convex_queries} PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize
                            SKIP_PRECOMPILE_HEADERS ON)

# Sums that are exact only where each operation is rounded by itself, and sheared corners that must be the same bits
# everywhere.
set_source_files_properties(src/shape/predicates.cpp src/shape/ray_cast.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off
                            SKIP_PRECOMPILE_HEADERS ON)

# The launcher by which clang takes the compiler's place: for tests, and under the address sanitizer for layers without loops.
set(marey_calling_launcher "")
if(NOT MAREY_SANITIZE OR MAREY_SANITIZE MATCHES address)
  find_program(marey_clang clang++)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND marey_clang)
    set(marey_calling_launcher ${CMAKE_SOURCE_DIR}/tools/by_clang ${marey_clang} ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()

function(marey_unite target files_per_unit)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_per_unit})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "${marey_alone}")
  if(sources)
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# The standard library's headers, read once for the files that are compiled by themselves: half a second of each. What a file
# includes it must say all the same (tests/lint/alone), and the instructions are the same (docs/decisions/0028). Units of several files gain
# little, and gcc 12 raises false alarms over strings in some of them.
function(marey_layer_headers)
  file(WRITE ${CMAKE_BINARY_DIR}/layer_headers.cpp "")
  add_library(marey_layer_headers OBJECT ${CMAKE_BINARY_DIR}/layer_headers.cpp)
  set_target_properties(marey_layer_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(marey_layer_headers PRIVATE -fvisibility-inlines-hidden)
  target_precompile_headers(marey_layer_headers PRIVATE <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory>
                            <numbers> <numeric> <optional> <set> <span> <stdexcept> <string> <string_view> <utility> <variant>
                            <vector>)
endfunction()

# A layer's objects are compiled once and put together twice: as a static library for the program and the benches, and as
# a shared one for the tests, which are linked in no time then, and take a changed layer (tests/mutants) without being
# linked again.
function(marey_layer layer previous)
  file(GLOB sources CONFIGURE_DEPENDS src/${layer}/*.cpp src/${layer}/*/*.cpp)
  set(previous_shared "")
  if(previous)
    set(previous_shared ${previous}_shared)
  endif()
  if(NOT sources)
    foreach(form "" _shared)
      add_library(marey_${layer}${form} INTERFACE)
      target_include_directories(marey_${layer}${form} INTERFACE include)
      target_link_libraries(marey_${layer}${form} INTERFACE ${previous${form}} ${marey_${layer}_uses})
    endforeach()
    return()
  endif()
  add_library(marey_${layer}_objects OBJECT ${sources})
  target_include_directories(marey_${layer}_objects PUBLIC include PRIVATE src)
  target_link_libraries(marey_${layer}_objects PUBLIC ${previous} ${marey_${layer}_uses})
  set_target_properties(marey_${layer}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(marey_${layer}_objects PRIVATE -fvisibility-inlines-hidden)  # why: cmake/install.cmake
  marey_unite(marey_${layer}_objects ${marey_files_per_unit})
  if(MAREY_SANITIZE)
    target_compile_options(marey_${layer}_objects PRIVATE -w)  # what a release build has read with all warnings
  endif()
  if(MAREY_SANITIZE AND layer IN_LIST marey_layers_without_loops)
    target_compile_options(marey_${layer}_objects PRIVATE -O0)
    if(marey_calling_launcher)
      set_target_properties(marey_${layer}_objects PROPERTIES CXX_COMPILER_LAUNCHER "${marey_calling_launcher}")
    endif()
  endif()
  if("/src/${layer}/" MATCHES "${marey_alone}")
    target_precompile_headers(marey_${layer}_objects REUSE_FROM marey_layer_headers)
  endif()
  add_library(marey_${layer} STATIC $<TARGET_OBJECTS:marey_${layer}_objects>)
  add_library(marey_${layer}_shared SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:marey_${layer}_objects>)
  foreach(form "" _shared)
    set_target_properties(marey_${layer}${form} PROPERTIES LINKER_LANGUAGE CXX)
    target_include_directories(marey_${layer}${form} PUBLIC include)
    target_link_libraries(marey_${layer}${form} PUBLIC ${previous${form}} ${marey_${layer}_uses})
  endforeach()
endfunction()

# apps/cli/*.cpp is the program marey.
function(marey_programs)
  file(GLOB sources CONFIGURE_DEPENDS apps/cli/*.cpp)
  if(sources)
    add_executable(marey ${sources})
    marey_unite(marey ${marey_files_per_outer_unit})
    target_link_libraries(marey PRIVATE marey_all CLI11::CLI11)
    target_compile_options(marey PRIVATE ${marey_quick_build})
    target_compile_definitions(marey PRIVATE MAREY_SOURCE_DIR="${CMAKE_SOURCE_DIR}" MAREY_VERSION="${PROJECT_VERSION}")
  endif()
endfunction()

# bench/NAME_bench.cpp, with bench/NAME/*.cpp where there are any, is a program bench_NAME, bench/peers/peer_NAME.cpp a
# program peer_NAME that links its rival and nothing of another (bench/shape_peers: shapes_NAME, bench/cone_peers: cones_NAME, bench/lying_peers: lying_NAME, bench/heap_peers: heap_NAME, bench/crowd_peers: crowd_NAME), bench/NAME.cu a CUDA program bench_NAME. All of them
# together are the target bench_programs, which ./marey bench and ./test --all build; of Marey's own ones only those that
# tests start (marey_tested_benches) are part of every build.
set(marey_tested_benches dynamics finger integrators)
function(marey_bench_waits name)
  if(name IN_LIST marey_tested_benches)
    add_dependencies(tested_benches bench_${name})
  else()
    set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  add_dependencies(bench_programs bench_${name})
endfunction()
function(marey_benches)
  add_custom_target(bench_programs)
  add_custom_target(tested_benches)
  file(GLOB sources CONFIGURE_DEPENDS bench/*_bench.cpp)
  list(FILTER sources EXCLUDE REGEX "growth_bench")
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "_bench$" "" name ${name})
    file(GLOB parts CONFIGURE_DEPENDS bench/${name}/*.cpp)
    add_executable(bench_${name} ${source} ${parts})
    marey_unite(bench_${name} ${marey_files_per_unit})
    target_include_directories(bench_${name} PRIVATE src bench tests)
    target_link_libraries(bench_${name} PRIVATE marey_all)
    target_compile_definitions(bench_${name} PRIVATE MAREY_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                               MAREY_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    marey_bench_waits(${name})
  endforeach()
  marey_growth_bench()
  marey_peers()
  marey_peers_of(shape_peers shapes bullet fcl)
  if(TARGET shapes_fcl)  # tests/cross asks it, too
    add_dependencies(tested_benches shapes_fcl)
  endif()
  marey_cone_peers()
  marey_peers_of(lying_peers lying mujoco bullet dart)
  marey_peers_of(heap_peers heap bullet ode mujoco)
  marey_peers_of(crowd_peers crowd bullet mujoco)
  marey_cuda_benches()
endfunction()

# Counted by valgrind, which does not know AVX-512: its own copy of the solvers it counts, for an older processor.
set(marey_growth_solvers aba.cpp armstrong.cpp baraff.cpp kinematics.cpp maximal.cpp multipliers.cpp rnea.cpp)
function(marey_growth_bench)
  file(GLOB sources CONFIGURE_DEPENDS src/core/*.cpp src/spec/*.cpp src/model/*.cpp src/model/*/*.cpp src/shape/*.cpp src/scalar/*.cpp)
  list(TRANSFORM marey_growth_solvers PREPEND src/dynamics/ OUTPUT_VARIABLE solvers)
  add_executable(bench_growth bench/growth_bench.cpp ${solvers} ${sources})
  marey_unite(bench_growth ${marey_files_per_unit})
  target_include_directories(bench_growth PRIVATE include src bench tests)
  target_compile_options(bench_growth PRIVATE -march=x86-64-v3)
  target_compile_definitions(bench_growth PRIVATE MAREY_ONLY_DOUBLE)
  target_link_libraries(bench_growth PRIVATE ${marey_core_uses} marey_qhull)
  marey_bench_waits(growth)
endfunction()

function(marey_cuda_benches)
  file(GLOB sources CONFIGURE_DEPENDS bench/*.cu)
  if(NOT MAREY_CUDA OR NOT sources)
    return()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "nvcc not found: the CUDA programs of bench/ are left out")
    return()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(bench_${name} ${source})
    set_target_properties(bench_${name} PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON)
    # A division or root to one or two units in the last place instead of half a unit: a twentieth to a fifth of the time.
    target_compile_options(bench_${name} PRIVATE --prec-div=false --prec-sqrt=false)
    target_include_directories(bench_${name} PRIVATE include src bench tests)
    target_link_libraries(bench_${name} PRIVATE marey_batch)
    marey_bench_waits(${name})
  endforeach()
endfunction()

# The test files of a folder are one program: tests/unit/force/*_test.cpp are unit_force_tests, tests/physics/*_test.cpp
# physics_tests. For ctest each file is a test of its own, <kind>/NAME_test, that runs the file's share of the program; a
# NAME_long_test also has the label "long". Unit tests need only the library, so that sanitized builds stay small (target
# unit_tests); of the other kinds cross, papers and program may also run the programs.
function(marey_tests)
  add_custom_target(unit_tests)
  if(NOT GTest_FOUND)
    message(STATUS "GoogleTest not found: no tests")
    return()
  endif()
  marey_test_headers(test_headers marey_test_options)
  if(marey_calling_tests)
    marey_test_headers(calling_test_headers marey_calling_options)
  endif()
  file(GLOB folders RELATIVE ${CMAKE_SOURCE_DIR}/tests CONFIGURE_DEPENDS tests/unit/*)
  foreach(folder oracle physics cross papers program ${folders})
    file(GLOB sources CONFIGURE_DEPENDS tests/${folder}/*_test.cpp)
    if(sources)
      marey_test_program(${folder} ${sources})
    endif()
  endforeach()
  get_property(table GLOBAL PROPERTY marey_test_table)
  file(WRITE ${CMAKE_BINARY_DIR}/tests.txt "${table}")
  add_test(NAME mutants/runner COMMAND ${CMAKE_SOURCE_DIR}/tests/mutants/selftest)
  set_tests_properties(mutants/runner PROPERTIES LABELS mutants TIMEOUT 300)
endfunction()

# Tests that call into the layers and compute next to nothing by themselves: optimising them takes longer than it saves.
# (Sanitized ones are not optimised anyway.) Where there is a clang it compiles them, in half of the time of g++ (docs/decisions/0030);
# those under the address sanitizer, too, whose checks call the same functions from either compiler. They are linked by g++, with its
# libraries.
set(marey_calling_tests "")
if(marey_calling_launcher OR NOT MAREY_SANITIZE)
  set(marey_calling_tests cross physics program unit/batch unit/constraint unit/contact unit/core unit/force unit/integrate unit/io
                          unit/model unit/render unit/rows unit/sim)
endif()
function(marey_calling_options name)
  marey_test_options(${name} -O0)
  if(marey_calling_launcher)
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "${marey_calling_launcher}")
  endif()
endfunction()

# marey_test_options(TARGET OPTION…): what every test is compiled with, and these options.
function(marey_test_options name)
  target_include_directories(${name} PRIVATE src tests)
  target_link_libraries(${name} PRIVATE marey_all_shared GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${marey_test_build} ${ARGN})
  target_compile_definitions(${name} PRIVATE MAREY_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             MAREY_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endfunction()

# GoogleTest and the standard library's headers, read once for all tests with the options that this function gives.
function(marey_test_headers name give_options)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  cmake_language(CALL ${give_options} ${name})
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <algorithm> <array> <cmath> <filesystem> <fstream>
                            <functional> <memory> <optional> <random> <span> <sstream> <string> <variant> <vector>)
endfunction()

function(marey_test_program folder)
  string(REPLACE "/" "_" program ${folder})
  string(REGEX REPLACE "/.*" "" kind ${folder})
  set(program ${program}_tests)
  add_executable(${program} ${ARGN})
  if(folder IN_LIST marey_calling_tests)
    marey_calling_options(${program})
    target_precompile_headers(${program} REUSE_FROM calling_test_headers)
  else()
    marey_test_options(${program})
    target_precompile_headers(${program} REUSE_FROM test_headers)
  endif()
  marey_unite(${program} ${marey_files_per_outer_unit})
  set(all_filters "")
  foreach(source IN LISTS ARGN)
    marey_test(${kind} ${program} ${source})
    string(APPEND all_filters ":${filter}")
  endforeach()
  # A case that no file's share holds would never run.
  add_test(NAME ${kind}/${program}_complete
           COMMAND ${CMAKE_SOURCE_DIR}/tests/support/every_case_runs $<TARGET_FILE:${program}> "${all_filters}")
  set_tests_properties(${kind}/${program}_complete PROPERTIES LABELS ${kind})
  marey_tell_program(${kind}/${program}_complete ${program})
  if(kind STREQUAL unit)
    add_dependencies(unit_tests ${program})
  elseif(kind MATCHES "^(cross|papers|program)$")
    add_dependencies(${program} tested_benches)
    if("${kind}" STREQUAL "program")  # without quotes it would be the variable
      add_dependencies(${program} package_libraries)
    endif()
    if(TARGET marey)
      add_dependencies(${program} marey)
    endif()
  endif()
endfunction()

# tests.txt in the build folder says which program a test needs: ctest does not know it before it is built.
function(marey_tell_program test program)
  set_property(GLOBAL APPEND_STRING PROPERTY marey_test_table "${test} ${program}\n")
endfunction()

# In a fresh clone ctest does not know what takes long, and one of these might begin when the others are done: seconds, roughly.
set(marey_long_tests package_test:41 agreement_test:38 motion_kill_test:33 marey_kill_test:24 scene_gallery_test:20
                     particle_plant_test:20 composition_test:15 drives_general_test:12 recorder_test:10 scene_bad_test:10)

# One file's share of its program: the cases of its suites, plain, with parameters or with types. Sets filter.
function(marey_test kind program source)
  get_filename_component(name ${source} NAME_WE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} cases REGEX "^(TEST|TEST_F|TEST_P|TYPED_TEST)\\(")
  list(TRANSFORM cases REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+),.*" "\\1")
  list(REMOVE_DUPLICATES cases)
  foreach(suite IN LISTS cases)
    get_property(other GLOBAL PROPERTY marey_suite_${suite})
    if(other)
      message(FATAL_ERROR "the suite ${suite} is in ${source} and in ${other}: a suite belongs to one file")
    endif()
    set_property(GLOBAL PROPERTY marey_suite_${suite} ${source})
  endforeach()
  list(TRANSFORM cases REPLACE "(.+)" "\\1.*:\\1/*:*/\\1.*:*/\\1/*")
  list(JOIN cases ":" filter)
  add_test(NAME ${kind}/${name}
           COMMAND ${program} --gtest_filter=${filter} --gtest_output=xml:${CMAKE_BINARY_DIR}/reports/${kind}/${name}.xml)
  marey_tell_program(${kind}/${name} ${program})
  set_tests_properties(${kind}/${name} PROPERTIES LABELS ${kind} TIMEOUT 300)
  set(cost ${marey_long_tests})
  list(FILTER cost INCLUDE REGEX "^${name}:")
  if(cost)
    string(REGEX REPLACE ".*:" "" cost ${cost})
    set_tests_properties(${kind}/${name} PROPERTIES COST ${cost})
  endif()
  if(name MATCHES "_long_test$")
    set_tests_properties(${kind}/${name} PROPERTIES LABELS "${kind};long" TIMEOUT 14400)
  endif()
  set(filter "${filter}" PARENT_SCOPE)
endfunction()
