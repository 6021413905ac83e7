// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/report/diagnostic.h"

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graphloom {

/// One run of the program as SARIF 2.1.0 sees it.
struct SarifRun {
    std::filesystem::path model;
    std::optional<std::uint64_t> modelBytes; // where the file could be read
    std::vector<Diagnostic> diagnostics;
    int exitCode = 0;
    std::string problem; // why the run did not come to its end; of no file
    std::chrono::system_clock::time_point start;
    nlohmann::ordered_json properties = nlohmann::ordered_json::object();
};

/// The log file (OASIS SARIF 2.1.0). All rules are described, whether they were found or not.
std::string sarifOf(const SarifRun &run);

/// The path as a URI reference (RFC 3986): relative ones stay relative, as CI systems want them.
std::string uriOf(const std::filesystem::path &path);

} // namespace graphloom
