// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/output_comparison.h"

#include <algorithm>
#include <limits>

namespace graphloom {

namespace {

/// Marks the verification as failed, and therefore as comparable; keeps the first reason.
void refuse(Verification &verification, std::string reason)
{
    if (verification.passed)
        verification.message = std::move(reason);
    verification.passed = false;
    verification.comparable = true;
}

/// Adds the comparison of one output to the verification.
void include(Verification &verification, const Comparison &comparison, bool accepted,
             const std::string &where)
{
    verification.maxAbsError = std::max(verification.maxAbsError, comparison.maxAbsError);
    verification.maxRelError = std::max(verification.maxRelError, comparison.maxRelError);
    if (!accepted)
        refuse(verification, where + ": " + comparison.worst);
}

bool isEmpty(const DataValue &value)
{
    return value.tensor() ? value.tensor()->elements() == 0
                          : std::ranges::all_of(value.elements(), isEmpty);
}

} // namespace

Result<std::vector<DataValue>> inputsFor(const Runnable &runnable, const Graph &original,
                                         const std::vector<DataValue> &values)
{
    std::vector<DataValue> inputs;
    for (const TensorId id : runnable.graph.inputs()) {
        const std::string &name = runnable.graph.tensor(id).name;
        const auto found = std::ranges::find_if(original.inputs(), [&](TensorId candidate) {
            return original.tensor(candidate).name == name;
        });
        if (found == original.inputs().end())
            return fail(Error::Kind::Fault, "has an input \"" + name + "\" that the original lacks",
                        runnable.name);
        inputs.push_back(values[std::size_t(found - original.inputs().begin())]);
    }
    return inputs;
}

void includeFailure(Verification &verification, const Error &error)
{
    verification.maxAbsError = verification.maxRelError = std::numeric_limits<double>::infinity();
    refuse(verification, "cannot be compared: " + error.text());
}

void compareOutputs(Verification &verification, const Runnable &runnable,
                    const std::vector<DataValue> &expected, const std::vector<DataValue> &actual,
                    const std::vector<std::string> &drawn,
                    const std::function<bool(const Comparison &)> &accepts)
{
    if (expected.size() != actual.size()) {
        refuse(verification, runnable.name + " has " + std::to_string(actual.size()) +
                                 " outputs, expected " + std::to_string(expected.size()));
        return;
    }
    std::vector<std::string> left;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::string where = runnable.name + ", output \"" +
                                  runnable.graph.tensor(runnable.graph.outputs()[i]).name + "\"";
        const Comparison comparison = compare(expected[i], actual[i]);
        if (!drawn[i].empty() && !accepts(comparison)) {
            const std::string how = differenceOfForm(expected[i], actual[i]);
            if (!how.empty())
                include(verification, {.worst = how}, false, where);
            left.push_back(where + " depends on the random numbers of " + drawn[i]);
            continue;
        }
        include(verification, comparison, accepts(comparison), where);
        if (!isEmpty(expected[i]) && comparison.finite == 0 && comparison.worst.empty())
            verification.warnings.push_back(where +
                                            " has no finite values, so the match proves little");
    }
    if (left.empty())
        return;
    if (left.size() == expected.size() && verification.passed) {
        verification.comparable = false;
        verification.message = left.front();
        return;
    }
    for (const std::string &output : left)
        verification.warnings.push_back(output + ": only type and shape were compared");
}

} // namespace graphloom
