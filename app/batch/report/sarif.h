// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/report/diagnostic.h"

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graphloom {

/// Holds one run of the program as SARIF 2.1.0 describes it.
struct SarifRun {
    std::filesystem::path model;
    std::optional<std::uint64_t> modelBytes; // none if the file could not be read
    std::vector<Diagnostic> diagnostics;
    int exitCode = 0;
    std::string problem; // why the run ended early, if no file is the cause
    std::chrono::system_clock::time_point start;
    nlohmann::ordered_json properties = nlohmann::ordered_json::object();
};

/// Returns the log file (OASIS SARIF 2.1.0). It describes all rules, whether there are findings or
/// not.
std::string sarifOf(const SarifRun &run);

/// Returns the path as a URI reference (RFC 3986): relative paths stay relative, as CI systems
/// expect.
std::string uriOf(const std::filesystem::path &path);

} // namespace graphloom
