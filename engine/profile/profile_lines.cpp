// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profile_lines.h"

#include "engine/system/json_text.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array texts = {
    std::pair{"structure", &ProfileKey::structure}, std::pair{"shapes", &ProfileKey::shapes},
    std::pair{"device", &ProfileKey::device}, std::pair{"schedule", &ProfileKey::schedule}};

tl::unexpected<Error> refuse(std::string reason)
{
    return fail(Error::Kind::Usage, std::move(reason));
}

Result<double> nanoseconds(const Json &json, const char *key)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number())
        return refuse("\"" + std::string(key) + "\" is not a number");
    return found->get<double>();
}

Result<std::int64_t> integer(const Json &json, const char *key)
{
    const auto found = json.find(key);
    // The parser reads a number beyond 63 bits as unsigned, which becomes negative here.
    if (found == json.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0)
        return refuse("\"" + std::string(key) + "\" is not a whole number");
    return found->get<std::int64_t>();
}

} // namespace

std::optional<Provenance> provenanceOf(std::string_view name)
{
    for (int i = 0; i <= int(Provenance::Modelled); ++i)
        if (nameOf(Provenance(i)) == name)
            return Provenance(i);
    return std::nullopt;
}

std::string profileHeader()
{
    return R"({"graphloom":"profile","schema":1})";
}

bool isProfileHeader(std::string_view line)
{
    const Json json = orderedJsonOf(line);
    return json.is_object() && json.contains("graphloom") && json["graphloom"] == "profile" &&
           json.contains("schema") && json["schema"] == 1;
}

std::string textOf(const ProfileLine &line)
{
    Json json;
    for (const auto &[name, member] : texts)
        json[name] = line.key.*member;
    json["provenance"] = nameOf(line.samples.provenance);
    json["min_ns"] = line.samples.minNs;
    json["median_ns"] = line.samples.medianNs;
    json["count"] = line.samples.count;
    json["measured_at_ms"] = line.samples.measuredAtMs;
    json["version"] = line.samples.version;
    return jsonText(json);
}

Result<ProfileLine> parseProfileLine(std::string_view text)
{
    if (text.size() >= longestProfileLine)
        return refuse("the line is longer than 1 MiB");
    const Json json = orderedJsonOf(text);
    if (!json.is_object())
        return refuse("it is not a JSON object");
    ProfileLine line;
    const auto take = [&](const char *name, std::string &to) {
        const auto found = json.find(name);
        const bool isText = found != json.end() && found->is_string();
        if (isText)
            to = found->get<std::string>();
        return isText;
    };
    for (const auto &[name, member] : texts)
        if (!take(name, line.key.*member))
            return refuse("\"" + std::string(name) + "\" is not a string");
    std::string provenance;
    if (!take("version", line.samples.version) || !take("provenance", provenance))
        return refuse("\"version\" or \"provenance\" is not a string");
    const auto named = provenanceOf(provenance);
    if (!named)
        return refuse("unknown provenance \"" + provenance + "\"");
    line.samples.provenance = *named;
    GL_TRY_CONST(least, nanoseconds(json, "min_ns"));
    GL_TRY_CONST(median, nanoseconds(json, "median_ns"));
    GL_TRY_CONST(count, integer(json, "count"));
    GL_TRY_CONST(time, integer(json, "measured_at_ms"));
    line.samples.minNs = *least;
    line.samples.medianNs = *median;
    line.samples.count = *count;
    line.samples.measuredAtMs = *time;
    if (const auto defect = defectOf(line.samples))
        return refuse(*defect);
    return line;
}

std::optional<std::string> defectOf(const LatencySamples &samples)
{
    constexpr std::int64_t mostSamples = std::int64_t{1} << 40; // sums of counts do not overflow
    if (!std::isfinite(samples.minNs) || !std::isfinite(samples.medianNs) || samples.minNs < 0)
        return "a latency is negative or not finite";
    if (samples.minNs > samples.medianNs)
        return "the minimum is greater than the median";
    if (samples.count < 1 || samples.count > mostSamples)
        return "the number of samples is out of range";
    if (samples.measuredAtMs < 0)
        return "the time is before 1970";
    return std::nullopt;
}

std::optional<std::string> boundedLine(std::istream &stream)
{
    std::string line;
    for (int byte = stream.get(); byte != std::istream::traits_type::eof(); byte = stream.get()) {
        if (byte == '\n')
            return line;
        if (line.size() < longestProfileLine)
            line.push_back(char(byte));
    }
    return line.empty() ? std::nullopt : std::optional(std::move(line));
}

} // namespace graphloom
