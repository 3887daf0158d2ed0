# Outside libraries. Packages are looked for where the system keeps them and where CMAKE_PREFIX_PATH says, but not next
# to the programs in PATH: a conda or pyenv there would lend its own libraries.
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)

# ---- the layers up to scene
find_package(fmt REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
# CVODES' library holds the vectors, matrices and solvers it needs; the rest of SUNDIALS, which would bring MPI and PETSc
# along, is not linked.
find_path(MAREY_CVODES_INCLUDE cvodes/cvodes.h REQUIRED)
find_library(MAREY_CVODES_LIBRARY sundials_cvodes REQUIRED)
add_library(marey_cvodes INTERFACE)
target_include_directories(marey_cvodes SYSTEM INTERFACE ${MAREY_CVODES_INCLUDE})
target_link_libraries(marey_cvodes INTERFACE ${MAREY_CVODES_LIBRARY})
# qhull's package for CMake speaks of its programs too, which need not be here.
find_path(MAREY_QHULL_INCLUDE libqhull_r/libqhull_r.h REQUIRED)
find_library(MAREY_QHULL_LIBRARY qhull_r REQUIRED)
add_library(marey_qhull INTERFACE)
target_include_directories(marey_qhull SYSTEM INTERFACE ${MAREY_QHULL_INCLUDE})
target_link_libraries(marey_qhull INTERFACE ${MAREY_QHULL_LIBRARY})
if(MAREY_ENGINE_ONLY)
  set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH ON)
  return()
endif()

# ---- io, render and search
find_package(yaml-cpp REQUIRED)
find_package(PNG REQUIRED)
# The C interface; NLopt's package for CMake speaks of other languages.
find_path(MAREY_NLOPT_INCLUDE nlopt.h REQUIRED)
find_library(MAREY_NLOPT_LIBRARY nlopt REQUIRED)
add_library(marey_nlopt INTERFACE)
target_include_directories(marey_nlopt SYSTEM INTERFACE ${MAREY_NLOPT_INCLUDE})
target_link_libraries(marey_nlopt INTERFACE ${MAREY_NLOPT_LIBRARY})
# Debian keeps a serial and an MPI HDF5 side by side, and the MPI one comes in with other packages. Ask for the serial
# one by its folder; elsewhere take what CMake finds.
find_path(MAREY_HDF5_INCLUDE hdf5.h PATHS /usr/include/hdf5/serial NO_DEFAULT_PATH)
find_library(MAREY_HDF5_LIBRARY hdf5 PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/hdf5/serial NO_DEFAULT_PATH)
add_library(marey_hdf5 INTERFACE)
if(MAREY_HDF5_INCLUDE AND MAREY_HDF5_LIBRARY)
  target_include_directories(marey_hdf5 SYSTEM INTERFACE ${MAREY_HDF5_INCLUDE})
  target_link_libraries(marey_hdf5 INTERFACE ${MAREY_HDF5_LIBRARY})
else()
  set(HDF5_PREFER_PARALLEL OFF)
  find_package(HDF5 REQUIRED COMPONENTS C)
  target_link_libraries(marey_hdf5 INTERFACE HDF5::HDF5)
endif()

# ---- the program and the tests
if(PROJECT_IS_TOP_LEVEL)
  find_package(CLI11 REQUIRED)
  find_package(GTest)
endif()

set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH ON)
