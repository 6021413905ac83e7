// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/profile/profile_database.h"

#include <istream>
#include <optional>
#include <string>
#include <string_view>

/// This header defines the format in which profile databases are exchanged: JSON Lines.
namespace graphloom {

/// Returns the first line of an export.
std::string profileHeader();
/// Tells whether this is the first line of an export that this version reads. Later versions only
/// add keys.
bool isProfileHeader(std::string_view line);

struct ProfileLine {
    ProfileKey key;
    LatencySamples samples;
};
std::string textOf(const ProfileLine &line);
/// Parses a line. Fails (Usage) with what is wrong with it.
Result<ProfileLine> parseProfileLine(std::string_view line);

std::optional<Provenance> provenanceOf(std::string_view name);

/// Tells why no measurement can have given these figures; returns nothing if one can.
std::optional<std::string> defectOf(const LatencySamples &samples);

/// Returns the next line without its line break; nothing at the end of the stream. Of a line longer
/// than longestProfileLine only the beginning is kept.
std::optional<std::string> boundedLine(std::istream &stream);
inline constexpr std::size_t longestProfileLine = std::size_t{1} << 20;

} // namespace graphloom
