# What makes a bug in the program harder to use for whoever wrote the file that it reads: addresses that nobody can foretell, tables of calls that
# cannot be overwritten, checks of stack frames and of sizes that are known, no variable with what was in memory before.
# docs/security.md has the cost.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT DEEPPERF_SANITIZE)
  target_compile_options(deepperf_options INTERFACE -fPIE) # not -fPIC, which costs more: nothing here is a library to share
  target_link_options(deepperf_options INTERFACE -pie)
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero)
    string(MAKE_C_IDENTIFIER DEEPPERF_HAS${flag} known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(deepperf_options INTERFACE ${flag})
    endif()
  endforeach()
  target_compile_options(deepperf_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  target_link_options(deepperf_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
