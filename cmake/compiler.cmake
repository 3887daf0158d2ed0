# Compiler flags of every target of this folder; none of them reaches a program that uses the package (cmake/install.cmake).

find_program(ccache ccache)
if(PROJECT_IS_TOP_LEVEL AND ccache AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are only cached when their own macros and times do not count.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ccache})
endif()

# CUDA's compiler takes none of these.
function(marey_cxx_options)
  foreach(option IN LISTS ARGN)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${option}>)
  endforeach()
endfunction()

# Warnings are for those who work on Marey. Within another project it is compiled with that one's type of build; where
# none is set, optimised all the same.
if(PROJECT_IS_TOP_LEVEL)
  marey_cxx_options(-Wall -Wextra -Werror)
elseif(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  marey_cxx_options(-O2)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # gcc 12 takes its own AVX-512 headers for uninitialised reads, wherever a sanitizer is inlined.
  # It also takes the joining of short strings for overlapping copies.
  marey_cxx_options(-Wno-maybe-uninitialized -Wno-restrict)
endif()
# A fused multiply-add is one rounding instead of two; it is not fast-math, and it is the same in every run of a build. Which
# products are fused depends on what stands in one file, so that moving code changes last bits: the preset "exact" does
# without, for comparing motions before and after (tools/motion_digests).
if(MAREY_EXACT)
  marey_cxx_options(-ffp-contract=off)
else()
  marey_cxx_options(-ffp-contract=fast)
endif()
# Nobody reads errno after sqrt; without this gcc keeps a call beside the instruction.
marey_cxx_options(-fno-math-errno)

# gcc collects its garbage whenever its heap has doubled beyond 128 MiB: a tenth of the time of the larger units. From 512 MiB
# on it does so still, which bounds what one needs.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  marey_cxx_options("SHELL:--param ggc-min-heapsize=524288")
endif()

# Nobody puts another function in the place of one of ours while the program starts, so that calls within a shared
# library may be inlined.
marey_cxx_options(-fno-semantic-interposition)

# "native" means another thing on another processor while the command line stays the same. Naming the processor in a
# definition makes Ninja and ccache see the difference, when a build folder or a cache travels.
if(NOT MAREY_PORTABLE)
  execute_process(COMMAND grep -m1 -E "^(flags|Features)" /proc/cpuinfo OUTPUT_VARIABLE processor ERROR_QUIET)
  string(SHA1 processor "${processor}")
  string(SUBSTRING ${processor} 0 12 processor)
  marey_cxx_options(-march=native -DMAREY_PROCESSOR="${processor}")
endif()

if(MAREY_DEBUG_FILL)
  add_compile_definitions(MAREY_DEBUG_FILL)
endif()

# Build type "Sanitize": fast enough to run the unit tests, asserts kept. -Og takes two thirds of the time of -O1 to compile, and the tests
# take a tenth longer. Reports name functions; for line numbers, which cost another tenth: cmake --preset asan -DCMAKE_CXX_FLAGS=-g1.
set(CMAKE_CXX_FLAGS_SANITIZE "-Og")
if(MAREY_SANITIZE)
  add_compile_definitions(MAREY_NO_PACKS)
  marey_cxx_options(-fsanitize=${MAREY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MAREY_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    marey_cxx_options(-Wno-uninitialized)  # the same alarm as above has this name at -O1
  endif()
  if(MAREY_SANITIZE MATCHES undefined)
    # These cost more than a third of the compile time; the address sanitizer, or the processor, notices the same mistakes
    # where such a pointer is used.
    marey_cxx_options(-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  endif()
endif()

# For the files around the engine, which hold heavy headers and no hot loops: a third less time to compile. (gcc 12's alarms
# over its own AVX-512 headers have another name at -O1.)
set(marey_quick_build -O1)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND marey_quick_build -Wno-uninitialized)
  # With precompiled headers it also raises alarms over strings that it keeps to itself in system headers.
  list(APPEND marey_quick_build -Wno-array-bounds -Wno-stringop-overflow)
endif()

# The same for tests; sanitized ones, which nearly all of their time call into the layers, are not optimised at all: half
# the time to compile.
set(marey_test_build ${marey_quick_build})
if(MAREY_SANITIZE)
  list(APPEND marey_test_build -O0)
endif()
