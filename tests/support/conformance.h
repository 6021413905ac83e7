// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graphloom::test {

/// Holds the outcome of one of ONNX's backend tests: a folder with model.onnx and test_data_set_*.
struct ConformanceOutcome {
    enum class Kind {
        Passed,
        Unsupported, // no description or kernel here for a part of the model: `reason`
        Wrong,       // refused, failed or gave other results: `reason`
    };
    Kind kind = Kind::Wrong;
    std::string reason;
};

/// Returns the folder in which the distribution's package installs the backend tests.
std::filesystem::path conformanceRoot();
/// Returns the tests below the root, in groups that come with complete models, sorted:
/// "node/test_abs"…
std::vector<std::string> conformanceTests(const std::filesystem::path &root);

/// Imports the model, runs it on the stored inputs and compares with the stored outputs.
ConformanceOutcome runConformanceTest(const std::filesystem::path &folder);

} // namespace graphloom::test
