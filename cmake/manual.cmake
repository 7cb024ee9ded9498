# At install: `program` prints supple(1) and the page of each verb into the folder `pages`, from where they go to `destination`.
function(supple_page name)
  execute_process(COMMAND ${program} manual ${ARGN} OUTPUT_FILE ${pages}/${name}.1 RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "'${program} manual ${ARGN}' failed: ${failed}")
  endif()
endfunction()

file(REMOVE_RECURSE ${pages})
file(MAKE_DIRECTORY ${pages})
supple_page(supple)
file(STRINGS ${pages}/supple.1 lines REGEX "^\\.BR supple\\\\-") # SEE ALSO lists every verb
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^\\.BR supple\\\\-([a-z]+) .*" "\\1" verb "${line}")
  supple_page(supple-${verb} ${verb})
endforeach()
file(GLOB made ${pages}/*.1)
file(INSTALL DESTINATION ${destination} TYPE FILE FILES ${made})
