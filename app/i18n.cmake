# SPDX-License-Identifier: GPL-3.0-or-later
# Translations of the window: resources/i18n/graphloom_<language>.ts, of which lrelease makes what
# the program reads. The target `update_translations` brings the files up to date with the sources.
# Without Qt's Linguist tools (Debian: qt6-l10n-tools) the program is built all the same, and speaks
# English.
get_target_property(qmake Qt6::qmake IMPORTED_LOCATION)
get_filename_component(tools ${qmake} DIRECTORY)
find_program(LRELEASE lrelease HINTS ${tools} /usr/lib/qt6/bin NO_DEFAULT_PATH)
find_program(LUPDATE lupdate HINTS ${tools} /usr/lib/qt6/bin NO_DEFAULT_PATH)
if(NOT LRELEASE OR NOT LUPDATE)
  message(STATUS "Qt's Linguist tools were not found: the window is not translated")
  return()
endif()
file(GLOB translations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/resources/i18n/*.ts)
set(folder ${CMAKE_INSTALL_DATADIR}/graphloom/i18n)
set(compiled)
foreach(file ${translations})
  get_filename_component(name ${file} NAME_WE)
  set(output ${PROJECT_BINARY_DIR}/${folder}/${name}.qm)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/${folder}
    COMMAND ${LRELEASE} -silent ${file} -qm ${output}
    DEPENDS ${file} VERBATIM)
  list(APPEND compiled ${output})
endforeach()
add_custom_target(translations ALL DEPENDS ${compiled})
add_dependencies(graphloom translations)
install(FILES ${compiled} DESTINATION ${folder})

# English has only what depends on numbers; other languages have all texts.
add_custom_target(update_translations
  COMMAND ${LUPDATE} -silent -no-obsolete -locations none -I ${PROJECT_SOURCE_DIR}
    ${CMAKE_CURRENT_SOURCE_DIR} -pluralonly
    -ts ${PROJECT_SOURCE_DIR}/resources/i18n/graphloom_en.ts
  VERBATIM)
