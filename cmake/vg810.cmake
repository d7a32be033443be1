# SPDX-License-Identifier: Apache-2.0
# The house rules of the build: language, warnings, the folders' allowed dependencies, and how a test is registered.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(VG810_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(VG810_COVERAGE "Count executed branches for gcov" OFF)

# Packages that the launcher unpacked because the distribution's own are too old (Catch2 v3 on Debian 12).
if(DEFINED ENV{VG810_CACHE})
    list(APPEND CMAKE_PREFIX_PATH "$ENV{VG810_CACHE}/deps/usr")
elseif(DEFINED ENV{XDG_CACHE_HOME})
    list(APPEND CMAKE_PREFIX_PATH "$ENV{XDG_CACHE_HOME}/vg810/deps/usr")
else()
    list(APPEND CMAKE_PREFIX_PATH "$ENV{HOME}/.cache/vg810/deps/usr")
endif()

find_program(VG810_CCACHE ccache)
if(VG810_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${VG810_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${VG810_CCACHE})
endif()

# Assertions stay on in every build: the model checks its own invariants in the field, too.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1")

add_library(vg810_options INTERFACE)
add_library(vg810::options ALIAS vg810_options)
target_compile_options(vg810_options INTERFACE -Wall -Wextra -Werror)
if(VG810_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
    # GCC's own manual: the sanitizers' instrumentation makes this warning wrong (here within std::regex).
    target_compile_options(vg810_options INTERFACE -Wno-maybe-uninitialized)
    target_compile_options(vg810_options INTERFACE ${sanitizers} -fno-omit-frame-pointer -O1 -D_GLIBCXX_ASSERTIONS)
    target_link_options(vg810_options INTERFACE ${sanitizers})
endif()
if(VG810_COVERAGE)
    target_compile_options(vg810_options INTERFACE --coverage -O0)
    target_link_options(vg810_options INTERFACE --coverage)
endif()

find_package(Threads REQUIRED)
include(systemc)
find_package(Catch2 3 REQUIRED)

# Which folder may know which. A folder's headers are reachable (as "folder/header.h") only through its target, so an
# include in the wrong direction does not compile.
set(VG810_MAY_USE_core "")
set(VG810_MAY_USE_model core)
set(VG810_MAY_USE_fabric core)
set(VG810_MAY_USE_qemu core model)
set(VG810_MAY_USE_scenarios core model fabric qemu)

# vg810_add_library(vg810_<folder> SOURCES file... [LIBRARIES target...])
#
# The one library of a folder. LIBRARIES are linked PUBLIC; another folder's library must be one that
# VG810_MAY_USE_<folder> names, or configuring stops.
function(vg810_add_library target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "vg810_add_library(${target}): what is '${arg_UNPARSED_ARGUMENTS}'?")
    endif()
    string(REGEX REPLACE "^vg810_" "" folder "${target}")
    if(NOT DEFINED VG810_MAY_USE_${folder})
        message(FATAL_ERROR "vg810_add_library(${target}): no rule in cmake/vg810.cmake says what it may use")
    endif()
    foreach(library IN LISTS arg_LIBRARIES)
        string(REGEX REPLACE "^vg810_" "" used "${library}")
        if(DEFINED VG810_MAY_USE_${used} AND NOT used IN_LIST VG810_MAY_USE_${folder})
            message(FATAL_ERROR "${target} may not use ${library}: allowed are '${VG810_MAY_USE_${folder}}' "
                                "(cmake/vg810.cmake)")
        endif()
    endforeach()

    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
    set(includes ${PROJECT_BINARY_DIR}/include/${name})
    file(MAKE_DIRECTORY ${includes})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${includes}/${name} SYMBOLIC)

    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC ${includes})
    target_link_libraries(${target} PUBLIC vg810::options Threads::Threads ${arg_LIBRARIES})
endfunction()

# vg810_add_test(<target> LABEL <unit|model|validation|system|long> SOURCES file... [LIBRARIES target...]
#                [TIMEOUT seconds])
#
# A Catch2 executable that CTest runs under the given label. TIMEOUT (wall seconds) defaults to 60 for unit, 120 for
# model, 600 for validation, 1800 otherwise. A SystemC warning or error fails the test.
function(vg810_add_test target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "SOURCES;LIBRARIES")
    set(timeouts_unit 60)
    set(timeouts_model 120)
    set(timeouts_validation 600)
    set(timeouts_system 1800)
    set(timeouts_long 1800)
    if(NOT DEFINED timeouts_${arg_LABEL})
        message(FATAL_ERROR "vg810_add_test(${target}): LABEL '${arg_LABEL}' is none of unit model validation system long")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT ${timeouts_${arg_LABEL}})
    endif()
    add_executable(${target} ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} vg810::options Catch2::Catch2WithMain)
    add_test(NAME ${target} COMMAND ${target} --rng-seed 1)
    set_tests_properties(
        ${target}
        PROPERTIES LABELS ${arg_LABEL}
                   TIMEOUT ${arg_TIMEOUT}
                   ENVIRONMENT SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
                   FAIL_REGULAR_EXPRESSION "\n(Warning|Error|Fatal): \\([WEF][0-9]+\\)")
endfunction()
