// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executable.h"

#include "engine/interpreter/interpreter.h"
#include "engine/runtime/executable_content.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphloom {

using Clock = std::chrono::steady_clock;

TensorData Executable::Content::dataOf(TensorId id, const std::byte *place) const
{
    const Tensor &tensor = plan.graph.tensor(id);
    TensorData::Extents extents;
    for (const Dim &dim : *tensor.shape)
        extents.push_back(dim.value());
    std::int64_t elements = 1;
    for (const std::int64_t extent : extents)
        elements *= extent;
    const auto bytes = std::size_t(bytesOf(tensor.type, std::uint64_t(elements)));
    return TensorData::fromBytes(tensor.type, std::move(extents), {place, place + bytes});
}

std::byte *Executable::Content::placeOf(TensorId id) const
{
    for (const auto *list : {&places, &borderPlaces})
        if (const auto found = list->find(id); found != list->end())
            return found->second;
    return nullptr;
}

Result<void> Executable::Content::interpretStep(const ExecutionStep &step)
{
    for (const NodeGraph &node : step.interpreted) {
        std::vector<DataValue> inputs;
        for (const TensorId id : node.inputs) {
            if (const std::byte *place = placeOf(id))
                inputs.emplace_back(dataOf(id, place));
            else if (values[id.index])
                inputs.push_back(*values[id.index]);
            else
                return fail(Error::Kind::Fault, "the tensor has not been computed",
                            plan.graph.tensor(id).name);
        }
        InterpreterOptions options;
        options.threads = team.threads();
        GL_TRY_RESULT(outputs, interpretValues(node.graph, opsets, inputs, options));
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
            const TensorId id = node.outputs[k];
            std::byte *place = placeOf(id);
            const TensorData *data = (*outputs)[k].tensor();
            if (place && data) {
                const auto bytes = data->bytes();
                for (std::uint64_t at = 0; at < data->storedBytes();
                     at += std::max<std::size_t>(bytes.size(), 1))
                    std::memcpy(place + at, bytes.data(), bytes.size());
            } else {
                values[id.index] = std::move((*outputs)[k]);
            }
        }
    }
    for (const TensorId id : step.released)
        values[id.index].reset();
    return {};
}

Result<void> Executable::Content::run(StepIndex number, Team::Session &session)
{
    const ExecutionStep &step = plan.steps[number];
    const Run &run = runs[number];
    if (!step.isKernel())
        return interpretStep(step);
    run.fillMargins();
    const auto body = [&](std::int64_t first, std::int64_t last, unsigned worker) {
        const auto start = traces.empty() ? Clock::time_point() : Clock::now();
        run.function(run.buffers.data(),
                     reinterpret_cast<char *>(scratch) + worker * plan.scratchBytes, first, last,
                     &statuses[worker].value);
        if (traces.empty())
            return;
        Trace &trace = traces[worker];
        trace.last = Clock::now();
        trace.tasks += last - first;
        if (!std::exchange(trace.used, true))
            trace.first = start;
    };
    if (step.tasks == 1)
        body(0, 1, 0);
    else
        session.parallel(step.tasks, body);
    return {};
}

void Executable::Content::runTogether(const ExecutionPlan::Wave &wave, Team::Session &session)
{
    std::int64_t tasks = 0;
    for (const StepIndex i : wave.steps()) {
        runs[i].fillMargins();
        tasks += plan.steps[i].tasks;
    }
    const auto body = [&](std::int64_t first, std::int64_t last, unsigned worker) {
        std::int64_t begin = 0; // first task of the step in the wave
        for (const StepIndex i : wave.steps()) {
            const Run &run = runs[i];
            const std::int64_t from = std::max(first, begin) - begin;
            const std::int64_t to = std::min(last, begin + plan.steps[i].tasks) - begin;
            if (from < to)
                run.function(run.buffers.data(),
                             reinterpret_cast<char *>(scratch) + worker * plan.scratchBytes, from,
                             to, &statuses[worker].value);
            begin += plan.steps[i].tasks;
        }
    };
    session.parallel(tasks, body);
}

Result<void> Executable::Content::checkStatuses(const ExecutionPlan::Wave &wave)
{
    bool left = false;
    for (Status &status : statuses)
        left = std::exchange(status.value, 0) != 0 || left;
    if (!left)
        return {};
    std::string where;
    for (const StepIndex i : wave.steps())
        where += (where.empty() ? "" : ", ") + plan.steps[i].text;
    return fail(Error::Kind::Model, "an index is out of range for the tensor that it selects from",
                where);
}

Executable::Executable(std::unique_ptr<Content> content) : m(std::move(content)) {}
Executable::~Executable() = default;

const IndexedVector<StepIndex, Executable::Step> &Executable::steps() const
{
    return m->plan.steps;
}
const BlockKernels &Executable::kernels() const
{
    return m->plan.kernels;
}
std::int64_t Executable::arenaBytes() const
{
    return m->plan.arenaBytes;
}
std::int64_t Executable::leastArenaBytes() const
{
    return m->plan.leastArenaBytes;
}
std::int64_t Executable::constantBytes() const
{
    return m->plan.constantBytes();
}
std::int64_t Executable::borderBytes() const
{
    return m->plan.borderBytes();
}
unsigned Executable::threads() const
{
    return m->team.threads();
}

Result<void> Executable::setInputs(const std::vector<TensorData> &inputs)
{
    const auto declared = m->plan.graph.inputs();
    if (inputs.size() != declared.size())
        return fail(Error::Kind::Usage, "the graph takes " + std::to_string(declared.size()) +
                                            " inputs, " + std::to_string(inputs.size()) +
                                            " were given");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const TensorId id = declared[i];
        const Tensor &tensor = m->plan.graph.tensor(id);
        const TensorData &given = inputs[i];
        bool fits = given.type() == tensor.type && tensor.shape &&
                    tensor.shape->size() == given.extents().size();
        for (std::size_t d = 0; fits && d < given.extents().size(); ++d)
            fits =
                !(*tensor.shape)[d].isConstant() || (*tensor.shape)[d] == Dim(given.extents()[d]);
        if (!fits)
            return fail(Error::Kind::Usage, "the input does not have the declared type and shape",
                        "input \"" + tensor.name + "\"");
        const auto place = m->borderPlaces.find(id);
        if (place == m->borderPlaces.end()) {
            m->values[id.index] = DataValue(given);
            continue;
        }
        const auto bytes = given.bytes();
        for (std::uint64_t at = 0; at < given.storedBytes();
             at += std::max<std::size_t>(bytes.size(), 1))
            std::memcpy(place->second + at, bytes.data(), bytes.size());
    }
    return {};
}

Result<void> Executable::runOnce()
{
    Team::Session session(m->team);
    for (const ExecutionPlan::Wave &wave : m->plan.waves) {
        if (wave.count > 1)
            m->runTogether(wave, session);
        else if (auto done = m->run(wave.first, session); !done)
            return done;
        GL_TRY(m->checkStatuses(wave));
    }
    return {};
}

Result<std::vector<double>> Executable::timeSteps()
{
    std::vector<double> seconds;
    Team::Session session(m->team);
    for (const StepIndex step : m->plan.steps.indices()) {
        const auto start = Clock::now();
        GL_TRY(m->run(step, session));
        seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return seconds;
}

Result<std::vector<TraceSlice>> Executable::trace()
{
    std::vector<TraceSlice> slices;
    const auto secondsBetween = [](Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    };
    Team::Session session(m->team);
    const auto begin = Clock::now();
    for (const StepIndex i : m->plan.steps.indices()) {
        m->traces.assign(m->team.threads(), {});
        const auto start = Clock::now();
        const auto done = m->run(i, session);
        const auto end = Clock::now();
        const std::vector<Content::Trace> traces = std::exchange(m->traces, {});
        if (!done)
            return tl::unexpected(done.error());
        const auto step = std::uint32_t(i.number());
        if (!m->plan.steps[i].isKernel())
            slices.push_back(
                {step, 0, secondsBetween(begin, start), secondsBetween(start, end), 0});
        for (unsigned thread = 0; thread < traces.size(); ++thread)
            if (const Content::Trace &trace = traces[thread]; trace.used)
                slices.push_back({step, thread, secondsBetween(begin, trace.first),
                                  secondsBetween(trace.first, trace.last), trace.tasks});
    }
    return slices;
}

Result<std::vector<TensorData>> Executable::outputs() const
{
    std::vector<TensorData> outputs;
    for (const TensorId id : m->plan.graph.outputs()) {
        const Tensor &tensor = m->plan.graph.tensor(id);
        if (tensor.constant)
            outputs.push_back(*tensor.constant);
        else if (const auto place = m->borderPlaces.find(id); place != m->borderPlaces.end())
            outputs.push_back(m->dataOf(id, place->second));
        else if (m->values[id.index] && m->values[id.index]->tensor())
            outputs.push_back(*m->values[id.index]->tensor());
        else
            return fail(Error::Kind::Model, "the output is not a tensor",
                        "output \"" + tensor.name + "\"");
    }
    return outputs;
}

Result<std::vector<TensorData>> Executable::run(const std::vector<TensorData> &inputs)
{
    GL_TRY(setInputs(inputs));
    GL_TRY(runOnce());
    return outputs();
}

} // namespace graphloom
