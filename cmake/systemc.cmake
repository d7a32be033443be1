# SPDX-License-Identifier: Apache-2.0
# Finds SystemC 2.3.4 (Debian 12, Ubuntu 24.04) or 3.0 (Debian 13) and offers it as vg810::systemc.
#
# Neither distribution's package has a CMake configuration of its own. The library exports a symbol named after the
# language level that it was built with, and every program must claim the same level (SC_CPLUSPLUS) or it does not link;
# the level is found by trying.

include(CheckCXXSourceCompiles)

find_path(VG810_SYSTEMC_INCLUDE_DIR systemc.h REQUIRED)
find_library(VG810_SYSTEMC_LIBRARY systemc REQUIRED)

set(CMAKE_REQUIRED_INCLUDES ${VG810_SYSTEMC_INCLUDE_DIR})
set(CMAKE_REQUIRED_LIBRARIES ${VG810_SYSTEMC_LIBRARY} Threads::Threads)
set(CMAKE_REQUIRED_FLAGS -std=c++20)
set(CMAKE_REQUIRED_QUIET ON)
set(probe "#include <systemc>\nint sc_main(int, char**) { return int(sc_core::sc_time_stamp().value()); }")
set(sc_level none)
foreach(level IN ITEMS default 201703L 202002L)
    unset(CMAKE_REQUIRED_DEFINITIONS)
    if(NOT level STREQUAL default)
        set(CMAKE_REQUIRED_DEFINITIONS -DSC_CPLUSPLUS=${level})
    endif()
    check_cxx_source_compiles("${probe}" VG810_SYSTEMC_LINKS_${level})
    if(VG810_SYSTEMC_LINKS_${level})
        set(sc_level ${level})
        break()
    endif()
endforeach()
if(sc_level STREQUAL none)
    message(FATAL_ERROR "SystemC in ${VG810_SYSTEMC_INCLUDE_DIR} does not link with ${CMAKE_CXX_COMPILER} in C++20; "
                        "see CMakeFiles/CMakeError.log or CMakeConfigureLog.yaml")
endif()
message(STATUS "SystemC: ${VG810_SYSTEMC_LIBRARY}, SC_CPLUSPLUS ${sc_level}")

# libsystemc refers to sc_main, which programs with a main() of their own do not have.
add_library(vg810_sc_main STATIC ${CMAKE_CURRENT_LIST_DIR}/sc_main.cpp)

add_library(vg810_systemc INTERFACE)
add_library(vg810::systemc ALIAS vg810_systemc)
target_include_directories(vg810_systemc SYSTEM INTERFACE ${VG810_SYSTEMC_INCLUDE_DIR})
target_link_libraries(vg810_systemc INTERFACE ${VG810_SYSTEMC_LIBRARY} vg810_sc_main Threads::Threads)
if(NOT sc_level STREQUAL default)
    target_compile_definitions(vg810_systemc INTERFACE SC_CPLUSPLUS=${sc_level})
endif()

foreach(variable IN ITEMS INCLUDES LIBRARIES FLAGS QUIET DEFINITIONS)
    unset(CMAKE_REQUIRED_${variable})
endforeach()
