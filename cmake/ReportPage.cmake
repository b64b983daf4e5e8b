# deepperf_report_pages(target function): the pages of `check --format html` and `shapes --format html` go into the program. npm installs what web/
# needs into the build folder, esbuild bundles it. That is done again when a file of web/ changes, and never else.
#
# Where that cannot be done the build goes on with a warning. Each page then is one line that says why, and the program
# repeats it to whoever asks for it.
#
# Run as a script (cmake -DNPM=… -DNODE=… -DSOURCE=… -DFOLDER=… -DOUTPUT=… -DSHAPES=… -P ReportPage.cmake) this file makes
# the pages.

if(CMAKE_SCRIPT_MODE_FILE)
  function(do_without reason)
    message(WARNING "there will be no HTML report: ${reason}. The rest of the program is not affected. To try again, delete ${OUTPUT}.")
    file(WRITE ${OUTPUT} "${reason}\n")
    file(WRITE ${SHAPES} "${reason}\n")
  endfunction()

  set(lock_hash "")
  file(SHA256 ${SOURCE}/package-lock.json lock_hash)
  set(node_version "")
  if(NODE)
    execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX REPLACE "^v" "" node_version "${node_version}")
  endif()
  if(NOT NPM OR NOT NODE)
    do_without("npm was not there when it was built")
    return()
  elseif(node_version VERSION_LESS 18)
    do_without("it was built with Node.js ${node_version}, which is older than 18")
    return()
  endif()

  file(REMOVE_RECURSE ${FOLDER}/src)
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/build.mjs ${SOURCE}/src DESTINATION ${FOLDER})
  set(stamp ${FOLDER}/node_modules/.installed)
  set(installed "")
  if(EXISTS ${stamp})
    file(READ ${stamp} installed)
  endif()
  if(NOT installed STREQUAL lock_hash)
    # Of the packages only esbuild has a script to run at installation, and it works without.
    execute_process(
      COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1
              --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 --fetch-timeout=60000
      WORKING_DIRECTORY ${FOLDER}
      TIMEOUT 300
      RESULT_VARIABLE result
      OUTPUT_QUIET
      ERROR_VARIABLE problem)
    if(NOT result EQUAL 0)
      message(NOTICE "${problem}")
      do_without("npm could not install its packages")
      return()
    endif()
    file(WRITE ${stamp} ${lock_hash})
  endif()
  execute_process(COMMAND ${NODE} build.mjs ${OUTPUT} ${SHAPES} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "web/ cannot be bundled")
  endif()
  return()
endif()

set(DEEPPERF_REPORT_PAGE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(deepperf_report_pages target function)
  find_program(DEEPPERF_NPM npm)
  find_program(DEEPPERF_NODE NAMES node nodejs)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/report_page.html)
  set(shapes ${CMAKE_CURRENT_BINARY_DIR}/shapes_page.html)
  set(texts ${CMAKE_CURRENT_BINARY_DIR}/${target}_texts.cpp)
  # In one go: Ninja would begin the second half only when nothing else is left, and who includes the report would wait for it.
  add_custom_command(
    OUTPUT ${output} ${shapes} ${texts}
    COMMAND ${CMAKE_COMMAND} -DNPM=${DEEPPERF_NPM} -DNODE=${DEEPPERF_NODE} -DSOURCE=${PROJECT_SOURCE_DIR}/web
            -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/web -DOUTPUT=${output} -DSHAPES=${shapes} -P
            ${DEEPPERF_REPORT_PAGE_SCRIPT}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${texts} -DFUNCTION=${function} "-DFILES=${output};${shapes}" -P ${DEEPPERF_EMBED_SCRIPT}
    DEPENDS ${sources} ${DEEPPERF_REPORT_PAGE_SCRIPT} ${DEEPPERF_EMBED_SCRIPT}
    COMMENT "Bundling the HTML pages"
    VERBATIM)
  deepperf_use_texts(${target} ${texts})
endfunction()
