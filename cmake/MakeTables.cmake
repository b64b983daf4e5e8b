# The tables of frameworks (src/frameworks/*.txt) become data of the program when it is built: names go into deepperf_base,
# where symbols are, and what is known of them into deepperf_frameworks. A wrong line is an error of the build.

add_executable(deepperf_make_tables
  tools/make_tables/make_tables.cpp src/base/name_hash.cpp src/frameworks/words.cpp)
target_link_libraries(deepperf_make_tables PRIVATE deepperf_options)
target_compile_options(deepperf_make_tables PRIVATE -O0) # everything else waits for it

file(GLOB tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/frameworks/*.txt)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/deepperf_preset_names.cpp ${CMAKE_CURRENT_BINARY_DIR}/deepperf_preset_apis.cpp)
add_custom_command(
  OUTPUT ${generated}
  COMMAND deepperf_make_tables ${generated} ${tables}
  DEPENDS deepperf_make_tables ${tables}
  COMMENT "Making the tables of frameworks"
  VERBATIM)
add_custom_target(deepperf_tables DEPENDS ${generated})
list(GET generated 0 names)
list(GET generated 1 apis)
target_sources(deepperf_base PRIVATE ${names})
target_sources(deepperf_frameworks PRIVATE ${apis})
add_dependencies(deepperf_base deepperf_tables)
add_dependencies(deepperf_frameworks deepperf_tables)
