// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/argument_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace graphloom {

namespace {

Result<std::pair<std::string, std::vector<std::int64_t>>> inputShapeOf(const std::string &text)
{
    const auto refuse = [&](const std::string &why) {
        return fail(Error::Kind::Usage,
                    why + "; expected NAME:1x3x224x224, or NAME:scalar for rank 0",
                    "--input " + text);
    };
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        return refuse("name or shape is missing");
    std::vector<std::int64_t> extents;
    std::string_view shape(text);
    shape.remove_prefix(colon + 1);
    if (shape == "scalar")
        return std::pair{text.substr(0, colon), extents};
    for (;;) {
        const auto end = shape.find('x');
        const auto extent = numberOf<std::int64_t>(shape.substr(0, end));
        if (!extent || *extent <= 0 || *extent > largestExtent)
            return refuse("\"" + std::string(shape.substr(0, end)) + "\" is not a valid extent");
        extents.push_back(*extent);
        if (end == std::string_view::npos)
            return std::pair{text.substr(0, colon), extents};
        shape.remove_prefix(end + 1);
    }
}

/// Returns the names of a list with commas between them.
Result<std::vector<std::string>> namesIn(const std::string &list, const std::string &option)
{
    std::vector<std::string> names;
    for (std::size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
        end = list.find(',', start);
        names.push_back(list.substr(start, end - start));
        if (names.back().empty())
            return fail(Error::Kind::Usage, "expected names separated by commas",
                        option + " " + list);
    }
    return names;
}

/// Reads NAME or NAME:DEVICE.
Result<BatchOptions::TargetName> targetNameOf(const std::string &text)
{
    const auto colon = text.find(':');
    const BatchOptions::TargetName target{text.substr(0, colon),
                                          colon == std::string::npos ? "" : text.substr(colon + 1)};
    if (target.target.empty() || (colon != std::string::npos && target.device.empty()))
        return fail(Error::Kind::Usage, "expected NAME or NAME:DEVICE, such as host",
                    "--target " + text);
    return target;
}

} // namespace

Result<InputShapes> inputShapesOf(const std::vector<std::string> &texts)
{
    InputShapes shapes;
    for (const std::string &text : texts) {
        GL_TRY_RESULT(input, inputShapeOf(text));
        if (!shapes.insert(std::move(*input)).second)
            return fail(Error::Kind::Usage, "the shape of this input is given twice",
                        "--input " + text);
    }
    return shapes;
}

Result<BatchOptions::Setting> settingOf(const std::string &text)
{
    const auto equals = text.find('=');
    const auto dot = text.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 >= equals)
        return fail(Error::Kind::Usage, "expected PASS.PARAMETER=VALUE, such as ago.threshold=600",
                    "--set " + text);
    return BatchOptions::Setting{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1),
                                 text.substr(equals + 1)};
}

Result<Budget> budgetOf(const std::string &text)
{
    constexpr double mostSeconds = 30 * 24 * 3600, mostTrials = 1e9;
    if (text == "0")
        return Budget{};
    for (const auto &[suffix, unit] : {std::pair{std::string_view("trials"), Budget::Unit::Trials},
                                       std::pair{std::string_view("s"), Budget::Unit::Seconds}}) {
        if (!text.ends_with(suffix))
            continue;
        const std::string_view digits(text.data(), text.size() - suffix.size());
        const auto amount = numberOf<double>(digits);
        const bool isTime = unit == Budget::Unit::Seconds;
        if (amount && *amount > 0 && *amount <= (isTime ? mostSeconds : mostTrials) &&
            (isTime || std::floor(*amount) == *amount))
            return Budget{*amount, unit};
    }
    return fail(
        Error::Kind::Usage,
        "expected a time greater than 0 and up to 2592000s (30 days), such as 180s, a whole "
        "number of trials up to 1000000000, such as 2000trials, or 0",
        "--budget " + text);
}

Result<double> verifyToleranceOf(const std::string &text)
{
    if (text.empty())
        return 1e-4;
    const auto tolerance = numberOf<double>(text);
    if (!tolerance || !std::isfinite(*tolerance) || *tolerance < 0)
        return fail(Error::Kind::Usage,
                    "RTOL must be a number of at least 0, such as 1e-4; put MODEL before --verify",
                    "--verify " + text);
    return *tolerance;
}

Result<std::vector<BatchOptions::TargetName>> targetNamesOf(const std::string &list)
{
    std::vector<BatchOptions::TargetName> targets;
    GL_TRY_CONST(names, namesIn(list, "--target"));
    for (const std::string &name : *names) {
        GL_TRY_RESULT(target, targetNameOf(name));
        targets.push_back(*std::move(target));
    }
    return targets;
}

Result<std::vector<std::string>> passNamesOf(const std::vector<std::string> &lists)
{
    std::vector<std::string> all;
    for (const std::string &list : lists) {
        GL_TRY_RESULT(names, namesIn(list, "--passes"));
        std::ranges::move(*names, std::back_inserter(all));
    }
    return all;
}

} // namespace graphloom
