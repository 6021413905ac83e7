// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/trial/trial.h"

#include <string_view>
#include <variant>

namespace graphloom {

/// Holds what graphloom-trial receives on its standard input: the job, and the first candidate to
/// measure.
struct TrialOrder {
    TrialJob job;
    std::size_t begin = 0; // the first candidate to measure
};
std::string toText(const TrialOrder &order);
/// Reads an order. Fails (Usage) if the text is none.
Result<TrialOrder> trialOrderOf(const std::string &text);

/// The answers of graphloom-trial, in lines: first that it is ready or why it cannot begin, then
/// the results.
struct TrialReady {};
struct TrialRefusal {
    std::string reason;
};
using TrialAnswer = std::variant<std::monostate, TrialReady, TrialRefusal, TrialResult>;
std::string toLine(const TrialAnswer &answer);
/// Reads an answer. Returns std::monostate if the line is something else.
TrialAnswer trialAnswerOf(const std::string &line);

} // namespace graphloom
