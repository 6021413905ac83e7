// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/tolerance.h"
#include "app/batch/report/metric_rules.h"
#include "engine/plan/report/report.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graphloom {

/// A figure of an earlier report beside this one's. (Comparison is of tensors, in the engine.)
struct FigureComparison {
    enum class Outcome {
        Same,
        Better,
        Within,       // worse, but not by more than is tolerated
        Worse,        // fails, as what follows
        Missing,      // only the earlier report has it
        Incomparable, // another device, or figures of another provenance
    };

    std::string metric; // its path: "fusion.layers_after"
    graphloom::Better better = graphloom::Better::Lower;
    nlohmann::ordered_json before, now; // null where there is none
    Tolerance tolerance;
    Outcome outcome = Outcome::Same;
    std::string reason; // of what cannot be compared

    bool passed() const { return outcome < Outcome::Worse; }
    /// Relative to the earlier figure; 0 where that is 0 or no number.
    double change() const;
    /// "81, was 80 (+1.25 %); tolerance 0".
    std::string message() const;
};
std::string_view nameOf(FigureComparison::Outcome outcome);

/// Tolerance of times that were measured; that of all else is 0.
inline constexpr double measuredTolerance = 0.10;

/// Each figure of the earlier report that has a better and a worse (metric_rules.h), beside this
/// report's. Figures count as comparable only where provenance, target and device of their section
/// are the same, measured times also where processor and threads are.
std::vector<FigureComparison> compareWithBaseline(const nlohmann::ordered_json &baseline,
                                                  const nlohmann::ordered_json &report,
                                                  const std::vector<Tolerance> &tolerances = {});

/// As gates of the report.
std::vector<Gate> gatesOf(const std::vector<FigureComparison> &comparisons);
/// As a section of the report.
nlohmann::ordered_json reportOf(const std::vector<FigureComparison> &comparisons);
/// As a table in Markdown, figures in columns of equal width.
std::string tableOf(const std::vector<FigureComparison> &comparisons);
/// "18 figures: 1 worse, 2 better, 15 the same".
std::string countsOf(const std::vector<FigureComparison> &comparisons);

} // namespace graphloom
