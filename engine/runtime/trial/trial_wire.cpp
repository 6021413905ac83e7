// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial/trial_wire.h"

#include "engine/system/json_text.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace graphloom {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialBuffer, bytes, fill, itemBytes, below, file, isRecent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialPhase, symbol, tasks, buffers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialOutput, buffer, file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialCandidate, phases, buffers, outputs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialJob, libraries, buffers, candidates, seed, threads,
                                   scratchBytes, otherBytes, rounds, seconds, limitSeconds,
                                   hopeless, bestSeconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialOrder, job, begin)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialResult, candidate, problem, least, median, p95, samples,
                                   callsPerSample)

namespace {

std::string lineOf(const Json &json)
{
    return jsonText(json);
}

/// Escapes a path, which may hold any bytes, for JSON: what is not printable ASCII, and "%",
/// becomes "%" and two hexadecimal digits.
std::filesystem::path escaped(const std::filesystem::path &path)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char character : path.native()) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte > ' ' && byte < 0x7f && byte != '%')
            text += character;
        else
            text += {'%', digits[byte / 16], digits[byte % 16]};
    }
    return text;
}

std::filesystem::path unescaped(const std::filesystem::path &path)
{
    const std::string &text = path.native();
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = static_cast<unsigned char>(text[i]);
        if (text[i] == '%' && i + 2 < text.size()) {
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
            i += 2;
        }
        bytes += char(byte);
    }
    return bytes;
}

template <class Change> void changePaths(TrialJob &job, Change change)
{
    for (std::filesystem::path &library : job.libraries)
        library = change(library);
    for (TrialBuffer &buffer : job.buffers)
        buffer.file = change(buffer.file);
    for (TrialCandidate &candidate : job.candidates)
        for (TrialOutput &output : candidate.outputs)
            output.file = change(output.file);
}

} // namespace

std::string toText(const TrialOrder &order)
{
    TrialOrder sent = order;
    changePaths(sent.job, escaped);
    return lineOf(sent);
}

Result<TrialOrder> trialOrderOf(const std::string &text)
{
    try {
        const Json json = jsonOf(text);
        if (json.is_discarded())
            return fail(Error::Kind::Usage, "the order is not JSON", "trial");
        auto order = json.get<TrialOrder>();
        changePaths(order.job, unescaped);
        return order;
    } catch (const Json::exception &error) {
        return fail(Error::Kind::Usage, error.what(), "trial");
    }
}

std::string toLine(const TrialAnswer &answer)
{
    if (const auto *refusal = std::get_if<TrialRefusal>(&answer))
        return lineOf({{"refusal", refusal->reason}});
    if (const auto *result = std::get_if<TrialResult>(&answer))
        return lineOf(*result);
    return lineOf({{"ready", std::holds_alternative<TrialReady>(answer)}});
}

TrialAnswer trialAnswerOf(const std::string &line)
{
    const Json json = jsonOf(line);
    if (!json.is_object())
        return {};
    if (json.contains("ready"))
        return TrialReady{};
    try {
        if (json.contains("refusal"))
            return TrialRefusal{json["refusal"].get<std::string>()};
        return json.get<TrialResult>();
    } catch (const Json::exception &) {
        return {};
    }
}

} // namespace graphloom
