// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/verify.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/drawn_values.h"
#include "engine/interpreter/interpreter.h"

#include <algorithm>
#include <limits>

namespace graphloom {

namespace {

/// Returns a callback for the progress of one of several runs.
std::function<void(double)> share(const VerifyOptions &options, std::size_t index,
                                  std::size_t count, const std::string &name)
{
    return [&options, index, count, name](double fraction) {
        options.progress((double(index) + fraction) / double(count), name);
    };
}

/// Returns the outputs of a run; none if it is stopped.
Result<std::optional<std::vector<DataValue>>> run(const Runnable &runnable,
                                                  const std::vector<DataValue> &inputs,
                                                  const VerifyOptions &options,
                                                  std::function<void(double)> progress)
{
    auto outputs = runnable.run
                       ? runnable.run(runnable.graph, inputs)
                       : interpretValues(runnable.graph, runnable.opsets, inputs,
                                         {options.stop, options.threads, std::move(progress)});
    if (options.stop.stop_requested())
        return std::nullopt;
    if (!outputs) {
        Error error = outputs.error();
        error.message += " (while running " + runnable.name + ")";
        return tl::unexpected(std::move(error));
    }
    return std::move(*outputs);
}

/// Returns the values of a graph's inputs, whose order may differ from the original's.
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

/// Adds a run that ended with an error, which counts as failed.
void includeFailure(Verification &verification, const Error &error)
{
    verification.maxAbsError = verification.maxRelError = std::numeric_limits<double>::infinity();
    refuse(verification, "cannot be compared: " + error.text());
}

/// Compares all outputs. `drawn` names what draws the random numbers that each depends on, if any.
void compareAll(Verification &verification, const Runnable &runnable,
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
            verification.warnings.push_back(where + " holds no finite value: that it agrees "
                                                    "says little");
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

} // namespace

Result<std::optional<Verification>> verify(std::vector<Runnable> runnables,
                                           const VerifyOptions &options)
{
    const auto filled = fillSplatWeights(runnables, {.seed = options.seed, .stop = options.stop});
    if (options.stop.stop_requested())
        return std::nullopt;
    if (!filled)
        return tl::unexpected(filled.error());
    GL_TRY_CONST(values, randomValues(runnables.front().graph, options.seed));

    Verification verification;
    verification.passed = true;
    verification.tolerance = options.tolerance;
    verification.inputs = 1;
    verification.filledWeights = *filled;
    const auto drawn =
        outputsDrawn(runnables.front().graph, runnables.front().opsets, Draws::WithoutSeed);
    std::vector<DataValue> expected;
    for (std::size_t k = 0; k < runnables.size(); ++k) {
        const Runnable &runnable = runnables[k];
        GL_TRY_CONST(inputs, inputsFor(runnable, runnables.front().graph, *values));
        auto outputs =
            run(runnable, *inputs, options, share(options, k, runnables.size(), runnable.name));
        if (!outputs && (k == 0 || outputs.error().kind != Error::Kind::Model))
            return tl::unexpected(outputs.error());
        if (!outputs)
            includeFailure(verification, outputs.error());
        else if (!*outputs)
            return std::nullopt;
        else if (k == 0)
            expected = std::move(**outputs);
        else
            compareAll(verification, runnable, expected, **outputs, drawn,
                       [&](const Comparison &c) { return c.maxRelError <= options.tolerance; });
    }
    return verification;
}

Result<std::optional<Verification>> verifyOutputs(const Runnable &runnable,
                                                  const std::vector<DataValue> &inputs,
                                                  const std::vector<DataValue> &expected,
                                                  const VerifyOptions &options)
{
    GL_TRY_RESULT(outputs, run(runnable, inputs, options, share(options, 0, 1, runnable.name)));
    if (!*outputs)
        return std::nullopt;
    Verification verification;
    verification.passed = true;
    verification.tolerance = backendTolerance;
    verification.inputs = 1;
    compareAll(verification, runnable, expected, **outputs,
               outputsDrawn(runnable.graph, runnable.opsets, Draws::All),
               [](const Comparison &c) { return c.withinBackendTolerance; });
    return verification;
}

} // namespace graphloom
