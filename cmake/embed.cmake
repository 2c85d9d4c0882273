# Writes text files as strings of a C header, at build time:
#   cmake -DOUTPUT=templates.h -DPREFIX=template_ "-DFILES=flag.json;drape.json" -P embed.cmake
# gives `static const char template_flag[]` and `template_drape[]`.
set(header "/* Written by cmake/embed.cmake. */\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  string(APPEND header "\nstatic const char ${PREFIX}${name}[] =\n    \"${text}\";\n")
endforeach()
file(WRITE ${OUTPUT} "${header}")
