// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/profile/profile_database.h"

#include <istream>
#include <optional>
#include <string>
#include <string_view>

/// The form in which profile databases are exchanged: JSON Lines.
namespace graphloom {

/// The first line of an export.
std::string profileHeader();
/// Whether it is the first line of an export that this version reads. Later forms only add keys.
bool isProfileHeader(std::string_view line);

struct ProfileLine {
    ProfileKey key;
    LatencySamples samples;
};
std::string textOf(const ProfileLine &line);
/// Fails (Usage) with what is wrong with the line.
Result<ProfileLine> parseProfileLine(std::string_view line);

std::optional<Provenance> provenanceOf(std::string_view name);

/// Why no measurement can have given these figures; none when one can.
std::optional<std::string> defectOf(const LatencySamples &samples);

/// The next line without its end; none at the end of the stream. Of a line longer than any of
/// ours only the beginning is kept.
std::optional<std::string> boundedLine(std::istream &stream);
inline constexpr std::size_t longestProfileLine = std::size_t{1} << 20;

} // namespace graphloom
