# deepperf_portable(): a target for the program as one file that needs no library of the machine it runs on, not even the C library. It is
# linked from the very objects of the program. Only where DEEPPERF_STATIC_LIBRARIES is a folder that packaging/static_libraries has filled;
# tools/package does both.
set(DEEPPERF_STATIC_LIBRARIES "" CACHE PATH "Where static archives are that Debian does not have")

function(deepperf_portable)
  if(NOT DEEPPERF_STATIC_LIBRARIES)
    return()
  endif()
  add_executable(deepperf_portable EXCLUDE_FROM_ALL $<TARGET_OBJECTS:deepperf>)
  set_target_properties(deepperf_portable PROPERTIES LINKER_LANGUAGE CXX)
  get_property(folders GLOBAL PROPERTY DEEPPERF_FOLDERS)
  set(own "")
  foreach(folder IN LISTS folders)
    list(APPEND own $<TARGET_FILE:deepperf_${folder}>)
    add_dependencies(deepperf_portable deepperf_${folder})
  endforeach()
  # What the libraries need in turn is named too, since an archive does not say.
  # mimalloc has an operator new of its own, which ends the program where memory is out; that of src/cli/allocation.cpp comes first and throws.
  target_link_options(deepperf_portable PRIVATE -static -s -Wl,--allow-multiple-definition -L${DEEPPERF_STATIC_LIBRARIES})
  target_link_libraries(deepperf_portable PRIVATE
    ${DEEPPERF_STATIC_LIBRARIES}/mimalloc.o -Wl,--start-group ${own}
    -lfmt -lsimdjson -ltomlplusplus -licuuc -licudata -lsqlite3 -llinear -lblas
    -larchive -lxml2 -lnettle -lacl -llzma -lzstd -llz4 -lbz2 -lz
    -lgit2 -lmbedtls -lmbedx509 -lmbedcrypto -lhttp_parser -lssh2 -lcrypto -lno_gssapi -lpcre2-8
    -Wl,--end-group)
endfunction()
