// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Describes a file that belongs to the program: a helper that it starts, or a plugin that it
/// loads.
struct ProgramPart {
    enum class Kind { Helper, Pass, Target };

    Kind kind;
    std::string_view file;    // its name
    std::string_view without; // the effect if it is missing: "there is no pass ago"
};

/// Lists all parts, as the build registers them (graphloom_part() in CMakeLists.txt).
extern const std::span<const ProgramPart> programParts;

/// Returns where the part belongs, both in the installed tree and in the build tree.
std::filesystem::path placeOf(const ProgramPart &part);

/// Describes a part that is not where it belongs.
struct MissingPart {
    ProgramPart::Kind kind;
    std::filesystem::path file;
    std::string problem; // what does not work, and what to do
};

/// Returns the missing parts; empty if the program is complete.
std::vector<MissingPart> missingParts();
/// Returns the missing parts of one kind.
std::vector<MissingPart> missingParts(ProgramPart::Kind kind);

} // namespace graphloom
