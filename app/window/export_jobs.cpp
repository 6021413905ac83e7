// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/export_jobs.h"

#include "app/window/graphviz_layout.h"
#include "engine/base/atomic_file.h"
#include "engine/onnx/export.h"
#include "engine/plan/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace graphloom {

namespace {

std::string lowerExtension(const std::filesystem::path &path)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return extension;
}

} // namespace

bool isDotFile(const std::filesystem::path &path)
{
    return lowerExtension(path) == ".dot" || lowerExtension(path) == ".gv";
}

Result<void> exportFile(const Plan &plan, const Drawing &drawing, const std::filesystem::path &path)
{
    const std::string extension = lowerExtension(path);
    if (extension == ".onnx")
        return exportOnnx(plan, path);
    if (extension == ".json")
        return exportReport(plan, path);
    if (isDotFile(path))
        return exportDot(drawing, path);
    return fail(Error::Kind::Usage, "the extension says what to write: .onnx, .json, .dot or .gv",
                path.string());
}

Result<void> exportReport(const Plan &plan, const std::filesystem::path &path)
{
    const auto report =
        reportOf(plan, {.environment = hostEnvironment(0), .verification = {}, .testData = {}});
    if (!report)
        return tl::unexpected(report.error());
    // Names of files may hold any bytes.
    return writeFileAtomically(
        path, report->dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

Result<void> exportDot(const Drawing &drawing, const std::filesystem::path &path)
{
    const auto dot = dotOf(drawing);
    if (!dot)
        return tl::unexpected(dot.error());
    return writeFileAtomically(path, *dot);
}

} // namespace graphloom
