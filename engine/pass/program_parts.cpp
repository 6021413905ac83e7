// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/program_parts.h"

#include "engine/pass/plugin_library.h"
#include "engine/system/child_process.h"

namespace graphloom {

std::filesystem::path placeOf(const ProgramPart &part)
{
    switch (part.kind) {
    case ProgramPart::Kind::Pass:
        return pluginFolder(passFolder) / part.file;
    case ProgramPart::Kind::Target:
        return pluginFolder(targetFolder) / part.file;
    case ProgramPart::Kind::Helper:
        break;
    }
    return companionProgram(std::string(part.file));
}

std::vector<MissingPart> missingParts()
{
    std::vector<MissingPart> missing;
    for (const ProgramPart &part : programParts) {
        const auto place = placeOf(part);
        std::error_code ignored;
        if (std::filesystem::exists(place, ignored))
            continue;
        missing.push_back({part.kind, place,
                           "is missing, so " + std::string(part.without) +
                               "; reinstall Graphloom, or build its target \"program\""});
    }
    return missing;
}

std::vector<MissingPart> missingParts(ProgramPart::Kind kind)
{
    std::vector<MissingPart> missing = missingParts();
    std::erase_if(missing, [&](const MissingPart &part) { return part.kind != kind; });
    return missing;
}

} // namespace graphloom
