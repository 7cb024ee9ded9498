# Writes OUTPUT, a header with a digest of all sources that decide what a bake gives: two programs of one digest give the same bits,
# whatever compiled them.
file(GLOB_RECURSE sources RELATIVE ${SOURCE} ${SOURCE}/src/* ${SOURCE}/include/* ${SOURCE}/scenes/* ${SOURCE}/apps/supple/*.[ch])
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${SOURCE}/${source} digest)
  string(APPEND all "${source} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define SUPPLE_BUILD_ID \"${digest}\"\n")
