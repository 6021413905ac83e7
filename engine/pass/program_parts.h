// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// A file that belongs to the program: a helper that it starts, or a plugin that it loads.
struct ProgramPart {
    enum class Kind { Helper, Pass, Target };

    Kind kind;
    std::string_view file;    // its name
    std::string_view without; // what does not work without it: "there is no pass ago"
};

/// All of them, as the build registers them (graphloom_part() in CMakeLists.txt).
extern const std::span<const ProgramPart> programParts;

/// Where the part belongs, in the installed tree as in the build tree.
std::filesystem::path placeOf(const ProgramPart &part);

/// A part that is not where it belongs.
struct MissingPart {
    ProgramPart::Kind kind;
    std::filesystem::path file;
    std::string problem; // what does not work, and what to do
};

/// The parts that are not there; empty for a program that is whole.
std::vector<MissingPart> missingParts();
/// The same of one kind.
std::vector<MissingPart> missingParts(ProgramPart::Kind kind);

} // namespace graphloom
