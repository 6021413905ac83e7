// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/export_jobs.h"

#include "app/graph/graphviz_layout.h"
#include "engine/base/steps.h"
#include "engine/plan/report/report.h"
#include "engine/system/atomic_file.h"

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

Result<void> writtenUnless(const std::stop_token &stop, const std::filesystem::path &path,
                           std::string_view text)
{
    return stop.stop_requested() ? stoppedError() : writeFileAtomically(path, text);
}

} // namespace

bool isDotFile(const std::filesystem::path &path)
{
    return lowerExtension(path) == ".dot" || lowerExtension(path) == ".gv";
}

bool isHtmlFile(const std::filesystem::path &path)
{
    return lowerExtension(path) == ".html" || lowerExtension(path) == ".htm";
}

Result<void> exportFile(const Plan &plan, const Drawing &drawing, const std::filesystem::path &path,
                        const ExportOptions &options)
{
    const std::string extension = lowerExtension(path);
    if (extension == ".onnx")
        return exportOnnx(plan, path, options);
    if (extension == ".json")
        return exportReport(plan, path, options.stop);
    if (isDotFile(path))
        return exportDot(drawing, path, options.stop);
    return fail(Error::Kind::Usage, "unknown file extension; expected .onnx, .json, .dot or .gv",
                path.string());
}

Result<void> exportReport(const Plan &plan, const std::filesystem::path &path,
                          const std::stop_token &stop)
{
    const auto report =
        reportOf(plan, {.environment = hostEnvironment(0), .verification = {}, .testData = {}});
    if (!report)
        return tl::unexpected(report.error());
    // File names may contain any bytes.
    return writtenUnless(
        stop, path, report->dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

Result<void> exportDot(const Drawing &drawing, const std::filesystem::path &path,
                       const std::stop_token &stop)
{
    GL_TRY_CONST(dot, dotOf(drawing));
    return writtenUnless(stop, path, *dot);
}

} // namespace graphloom
