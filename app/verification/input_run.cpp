// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/input_run.h"

#include "engine/base/steps.h"
#include "engine/interpreter/interpreter.h"
#include "engine/interpreter/spill.h"
#include "engine/ops/derive/infer.h"
#include "engine/verify/output_comparison.h"

#include <QCoreApplication>

#include <exception>

namespace graphloom {

namespace {

struct InputRunText {
    Q_DECLARE_TR_FUNCTIONS(InputRun)
};

std::size_t uniformWeightsOf(const Graph &graph)
{
    std::size_t count = 0;
    for (std::uint32_t t = 0; t < graph.tensorBound(); ++t)
        if (const TensorId id{t}; graph.contains(id) && !graph.uses(id).empty())
            count += isFillable(graph.tensor(id), FillOptions().leastElements);
    return count;
}

} // namespace

bool InputRun::isOf(const Plan &plan) const
{
    return isSameGraph(*m_plan, plan);
}

std::shared_ptr<const TensorData> InputRun::valuesOf(const Snapshot &snapshot, TensorId id) const
{
    if (snapshot.nested || !isOf(*snapshot.plan))
        return nullptr;
    const auto found = m_values.find(id);
    return found == m_values.end() ? nullptr : found->second;
}

void InputRun::keep(TensorId id, const DataValue &value, std::uint64_t most)
{
    if (!value.tensor())
        return; // the inspector shows tensors
    TensorData data = *value.tensor();
    const std::uint64_t bytes = value.bytes();
    if (!data.isMapped() && memoryBytes + bytes > most)
        data = spilled(std::move(data));
    if (data.isMapped())
        fileBytes += data.storedBytes();
    else if (memoryBytes + bytes > most && bytes >= leastSpilled) {
        ++dropped;
        return;
    } else
        memoryBytes += bytes;
    m_values.insert_or_assign(id, std::make_shared<const TensorData>(std::move(data)));
}

Result<InputRunPointer> runOnInputs(std::shared_ptr<const Plan> plan,
                                    const std::vector<InputSource> &inputs, std::uint64_t seed,
                                    std::stop_token stop,
                                    std::function<void(double, std::string_view)> progress,
                                    std::uint64_t mostBytes)
try {
    progress(0, "reading inputs");
    const Opsets opsets = opsetsOf(*plan->model);
    GL_TRY_CONST(given, readInputs(plan->model->graph, inputs, seed));
    GL_TRY_CONST(own,
                 inputsFor({"the plan", plan->graph, opsets}, plan->model->graph, given->values));
    const auto run =
        std::make_shared<InputRun>(plan, InputRunText::tr("a run on %1").arg(given->title));
    run->uniformWeights = uniformWeightsOf(plan->graph);
    for (std::size_t i = 0; i < own->size(); ++i)
        run->keep(plan->graph.inputs()[i], (*own)[i], mostBytes);
    InterpreterOptions options;
    options.stop = stop;
    options.progress = [&progress](double done) { progress(done, "running the plan"); };
    options.computed = [&](TensorId id, const DataValue &value) {
        run->keep(id, value, mostBytes);
    };
    const auto outputs = interpretValues(plan->graph, opsets, *own, options);
    if (stop.stop_requested())
        return stoppedError();
    if (!outputs)
        return tl::unexpected(outputs.error());
    return run;
} catch (const std::exception &exception) { // such as out of memory, which must not end the session
    return fail(Error::Kind::Fault, exception.what());
}

} // namespace graphloom
