// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/trial_wire.h"

#include <nlohmann/json.hpp>

namespace graphloom {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialBuffer, bytes, fill, itemBytes, below, file, isRecent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialPhase, symbol, tasks, buffers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialOutput, buffer, file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialCandidate, phases, buffers, outputs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialJob, library, buffers, candidates, seed, threads,
                                   scratchBytes, otherBytes, rounds, seconds, limitSeconds,
                                   hopeless, bestSeconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialOrder, job, begin)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialResult, candidate, problem, least, median, p95, samples,
                                   callsPerSample)

namespace {

/// One line. A name that is no UTF-8 becomes one that does not exist, and its reader says so.
std::string lineOf(const Json &json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

std::string toText(const TrialOrder &order)
{
    return lineOf(order);
}

Result<TrialOrder> trialOrderOf(const std::string &text)
{
    try {
        return Json::parse(text).get<TrialOrder>();
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
    const Json json = Json::parse(line, nullptr, false);
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
