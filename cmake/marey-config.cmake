# find_package(marey): marey::engine, and marey::marey where it was built with files and pictures. Neither asks for another
# package: the public headers include the standard library alone, and what the libraries need they find by themselves.
include(${CMAKE_CURRENT_LIST_DIR}/marey-targets.cmake)
foreach(component IN LISTS marey_FIND_COMPONENTS)
  if(NOT TARGET marey::${component} AND marey_FIND_REQUIRED_${component})
    set(marey_FOUND FALSE)
    set(marey_NOT_FOUND_MESSAGE "this installation of Marey has no marey::${component}")
  endif()
endforeach()
