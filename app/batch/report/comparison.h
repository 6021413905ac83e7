// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/tolerance.h"
#include "app/batch/report/metric_rules.h"
#include "engine/plan/report/report.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graphloom {

/// Holds a figure of an earlier report beside that of this one. (The class Comparison of the engine
/// compares tensors.)
struct FigureComparison {
    enum class Outcome {
        Same,
        Better,
        Within,       // worse, but within the tolerance
        Worse,        // fails, as do the following
        Missing,      // only the earlier report has it
        Incomparable, // another device, or figures of another provenance
    };

    std::string metric; // its path: "fusion.layers_after"
    graphloom::Better better = graphloom::Better::Lower;
    nlohmann::ordered_json before, now; // null if there is none
    Tolerance tolerance;
    Outcome outcome = Outcome::Same;
    std::string reason; // why it cannot be compared

    bool passed() const { return outcome < Outcome::Worse; }
    /// Returns the change relative to the earlier figure; 0 if that is 0 or no number.
    double change() const;
    /// Returns a message: "81, was 80 (+1.25 %); tolerance 0".
    std::string message() const;
};
std::string_view nameOf(FigureComparison::Outcome outcome);

/// Tolerance of measured times; that of all other figures is 0.
inline constexpr double measuredTolerance = 0.10;

/// Compares each figure of the earlier report that can be better or worse (metric_rules.h) with
/// that of this report. Figures are comparable only if provenance, target and device of their
/// sections are the same; measured times only if processor and threads are the same, too.
std::vector<FigureComparison> compareWithBaseline(const nlohmann::ordered_json &baseline,
                                                  const nlohmann::ordered_json &report,
                                                  const std::vector<Tolerance> &tolerances = {});

/// Returns the comparisons as gates of the report.
std::vector<Gate> gatesOf(const std::vector<FigureComparison> &comparisons);
/// Returns the comparisons as a section of the report.
nlohmann::ordered_json reportOf(const std::vector<FigureComparison> &comparisons);
/// Returns the comparisons as a Markdown table with columns of equal width.
std::string tableOf(const std::vector<FigureComparison> &comparisons);
/// Returns the counts in one line: "18 figures: 1 worse, 2 better, 15 the same".
std::string countsOf(const std::vector<FigureComparison> &comparisons);

} // namespace graphloom
