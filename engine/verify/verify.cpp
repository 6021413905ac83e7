// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.h"

#include "engine/interpreter/drawn_values.h"
#include "engine/interpreter/interpreter.h"
#include "engine/verify/output_comparison.h"

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
            compareOutputs(verification, runnable, expected, **outputs, drawn,
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
    compareOutputs(verification, runnable, expected, **outputs,
                   outputsDrawn(runnable.graph, runnable.opsets, Draws::All),
                   [](const Comparison &c) { return c.withinBackendTolerance; });
    return verification;
}

} // namespace graphloom
