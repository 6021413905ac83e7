// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_plan.h"

#include "engine/base/steady_clock.h"
#include "engine/interpreter/interpreter.h"
#include "engine/target/plan_steps.h"

#include <algorithm>

namespace graphloom::opencl {

namespace {

/// Returns all elements of data that may be stored as one.
std::vector<std::byte> wholeBytes(const TensorData &data)
{
    std::vector<std::byte> whole(data.storedBytes());
    const auto bytes = data.bytes();
    for (std::size_t at = 0; at < whole.size(); at += std::max<std::size_t>(bytes.size(), 1))
        std::ranges::copy(bytes, whole.begin() + std::ptrdiff_t(at));
    return whole;
}

} // namespace

OpenclPlan::OpenclPlan(ExecutionPlan plan, Opsets opsets, std::shared_ptr<OpenclQueue> queue,
                       const Device *described, int units)
    : m_plan(std::move(plan)), m_opsets(std::move(opsets)), m_queue(std::move(queue)),
      m_described(described), m_units(units), m_steps(planStepsOf(m_plan.steps, m_plan.kernels)),
      m_values(m_plan.graph.tensorBound())
{
}

Result<std::shared_ptr<OpenclPlan>> OpenclPlan::make(ExecutionPlan plan, Opsets opsets,
                                                     const Programs &programs,
                                                     std::shared_ptr<OpenclQueue> queue,
                                                     const Device *described, int units)
{
    std::shared_ptr<OpenclPlan> made(
        new OpenclPlan(std::move(plan), std::move(opsets), std::move(queue), described, units));
    GL_TRY(made->takeMemory());
    GL_TRY(made->takeKernels(programs));
    return made;
}

Result<void> OpenclPlan::takeMemory()
{
    const auto take = [&](std::int64_t bytes, Memory &to) -> Result<void> {
        GL_TRY_RESULT(made, m_queue->memory(std::uint64_t(bytes)));
        to = *std::move(made);
        return {};
    };
    GL_TRY(take(m_plan.arenaBytes, m_whole));
    for (const ExecutionPlan::ArenaTensor &tensor : m_plan.arena) {
        GL_TRY_RESULT(part, m_queue->part(m_whole, std::uint64_t(tensor.offset),
                                          std::uint64_t(tensor.bytes)));
        m_arena.push_back(*std::move(part));
        if (tensor.tensor.valid())
            m_places[tensor.tensor] = m_arena.back();
    }
    for (const ExecutionPlan::BorderTensor &tensor : m_plan.border) {
        GL_TRY(take(tensor.bytes, m_border.emplace_back()));
        m_places[tensor.tensor] = m_border.back();
    }
    std::vector<std::byte> bytes;
    for (const ConstantIndex constant : m_plan.constants.indices()) {
        bytes.assign(std::size_t(m_plan.constants[constant].bytes), std::byte{0});
        writeConstant(m_plan, constant, bytes);
        GL_TRY(take(std::int64_t(bytes.size()), m_constants.emplace_back()));
        GL_TRY(m_queue->write(m_constants.back(), bytes));
    }
    GL_TRY(take(sizeof(cl_int), m_status));
    const cl_int none = 0;
    return m_queue->write(m_status, std::as_bytes(std::span(&none, 1)));
}

Result<void> OpenclPlan::takeKernels(const Programs &programs)
{
    m_partsAreImages = m_queue->partsCanBeImages();
    for (const ExecutionStep &step : m_plan.steps) {
        Run &run = m_runs.emplace_back();
        if (!step.isKernel())
            continue;
        const BlockKernel::Phase &phase = m_plan.kernels[step.block]->phases[step.phase];
        GL_TRY_RESULT(kernel, m_queue->kernel(programs.at(step.symbol), step.symbol));
        run.kernel = *std::move(kernel);
        run.items = phase.items;
        cl_uint argument = 0;
        for (const BufferIndex b : phase.buffers.indices()) {
            const BufferPlace &place = step.buffers[std::size_t(b.number())];
            const KernelBuffer &buffer = phase.buffers[b];
            if (!buffer.isImage) {
                GL_TRY(m_queue->set(run.kernel, argument++, at(place)));
                continue;
            }
            const BlockTensors &tensors = m_plan.kernels[step.block]->block.tensors;
            GL_TRY(setImage(run.kernel, argument, place, tensors[buffer.tensor].type));
            argument += 2;
        }
        if (phase.scratchBytes > 0)
            GL_TRY(m_queue->setLocal(run.kernel, argument++, std::size_t(phase.scratchBytes)));
        GL_TRY(m_queue->set(run.kernel, argument, m_status));
    }
    return {};
}

const Memory &OpenclPlan::at(const BufferPlace &place) const
{
    return place.arena.isValid()    ? m_arena[place.arena]
           : place.border.isValid() ? m_border[place.border]
                                    : m_constants[place.constant];
}

Result<void> OpenclPlan::setImage(const Kernel &kernel, cl_uint argument, const BufferPlace &place,
                                  DataType type)
{
    const bool isOfAll = place.arena.isValid() && !m_partsAreImages;
    const Memory &memory = isOfAll ? m_whole : at(place);
    Memory &image = m_images[{memory.get(), type}];
    if (!image) {
        const std::int64_t bytes = isOfAll ? m_plan.arenaBytes : m_plan.bytesAt(place);
        GL_TRY_RESULT(made, m_queue->image(memory, type, std::uint64_t(bytes)));
        image = *std::move(made);
    }
    const std::int64_t begin = isOfAll ? m_plan.arena[place.arena].offset : 0;
    GL_TRY(m_queue->set(kernel, argument, image));
    return m_queue->setNumber(kernel, argument + 1, cl_int(begin / std::int64_t(bytesOf(type, 1))));
}

PlanMemory OpenclPlan::memory() const
{
    return {m_plan.arenaBytes, m_plan.leastArenaBytes, m_plan.borderBytes(),
            m_plan.constantBytes()};
}

Provenance OpenclPlan::provenance() const
{
    return m_described               ? Provenance::Modelled
           : m_queue->device().isCpu ? Provenance::Host
                                     : Provenance::Device;
}

Result<TensorData> OpenclPlan::dataOf(TensorId id, const Memory &memory) const
{
    const Tensor &tensor = m_plan.graph.tensor(id);
    TensorData::Extents extents;
    std::uint64_t elements = 1;
    for (const Dim &dim : *tensor.shape) {
        extents.push_back(dim.value());
        elements *= std::uint64_t(dim.value());
    }
    std::vector<std::byte> bytes(std::size_t(bytesOf(tensor.type, elements)));
    GL_TRY(m_queue->read(memory, bytes));
    return TensorData::fromBytes(tensor.type, std::move(extents), std::move(bytes));
}

Result<void> OpenclPlan::setInputs(const std::vector<TensorData> &inputs)
{
    const auto declared = m_plan.graph.inputs();
    if (inputs.size() != declared.size())
        return fail(Error::Kind::Usage, "the graph takes " + std::to_string(declared.size()) +
                                            " inputs, " + std::to_string(inputs.size()) +
                                            " were given");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const TensorId id = declared[i];
        const Tensor &tensor = m_plan.graph.tensor(id);
        GL_TRY(checkInput(tensor, DataValue(inputs[i])));
        if (const auto place = m_places.find(id); place != m_places.end())
            GL_TRY(m_queue->write(place->second, wholeBytes(inputs[i])));
        else
            m_values[id.index] = DataValue(inputs[i]);
    }
    return {};
}

Result<void> OpenclPlan::interpretStep(const ExecutionStep &step)
{
    for (const NodeGraph &node : step.interpreted) {
        std::vector<DataValue> inputs;
        for (const TensorId id : node.inputs) {
            if (const auto place = m_places.find(id); place != m_places.end()) {
                GL_TRY_RESULT(data, dataOf(id, place->second));
                inputs.emplace_back(*std::move(data));
            } else if (m_values[id.index]) {
                inputs.push_back(*m_values[id.index]);
            } else {
                return fail(Error::Kind::Fault, "the tensor has not been computed",
                            m_plan.graph.tensor(id).name);
            }
        }
        GL_TRY_RESULT(outputs, interpretValues(node.graph, m_opsets, inputs));
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
            const TensorId id = node.outputs[k];
            const auto place = m_places.find(id);
            const TensorData *data = (*outputs)[k].tensor();
            if (place != m_places.end() && data)
                GL_TRY(m_queue->write(place->second, wholeBytes(*data)));
            else
                m_values[id.index] = std::move((*outputs)[k]);
        }
    }
    for (const TensorId id : step.released)
        m_values[id.index].reset();
    return {};
}

Result<void> OpenclPlan::checkStatus()
{
    cl_int status = 0;
    GL_TRY(m_queue->read(m_status, std::as_writable_bytes(std::span(&status, 1))));
    if (status == 0)
        return {};
    status = 0;
    GL_TRY(m_queue->write(m_status, std::as_bytes(std::span(&status, 1))));
    return fail(Error::Kind::Model, "an index is out of range for the tensor that it selects from");
}

Result<void> OpenclPlan::runOnce()
{
    for (const StepIndex step : m_plan.steps.indices())
        if (m_runs[step].kernel)
            GL_TRY(m_queue->run(m_runs[step].kernel, m_runs[step].items));
        else
            GL_TRY(interpretStep(m_plan.steps[step]));
    return checkStatus(); // waits for all
}

Result<std::vector<TensorData>> OpenclPlan::outputs() const
{
    std::vector<TensorData> outputs;
    for (const TensorId id : m_plan.graph.outputs()) {
        const Tensor &tensor = m_plan.graph.tensor(id);
        if (tensor.constant) {
            outputs.push_back(*tensor.constant);
        } else if (const auto place = m_places.find(id); place != m_places.end()) {
            GL_TRY_RESULT(data, dataOf(id, place->second));
            outputs.push_back(*std::move(data));
        } else if (m_values[id.index] && m_values[id.index]->tensor()) {
            outputs.push_back(*m_values[id.index]->tensor());
        } else {
            return fail(Error::Kind::Model, "the output is not a tensor",
                        "output \"" + tensor.name + "\"");
        }
    }
    return outputs;
}

std::vector<double> OpenclPlan::modelledSeconds() const
{
    std::vector<double> seconds;
    for (const ExecutionStep &step : m_plan.steps)
        seconds.push_back(
            step.isKernel()
                ? kernelSeconds(*m_described, workOf(*m_plan.kernels[step.block], step.phase))
                : 0);
    return seconds;
}

Measurement OpenclPlan::modelled() const
{
    Measurement measurement;
    measurement.provenance = Provenance::Modelled;
    measurement.runs = 1;
    double whole = 0;
    for (const double step : modelledSeconds()) {
        measurement.steps.push_back(timesOf({1e3 * step}));
        whole += step;
    }
    measurement.whole = timesOf({1e3 * whole});
    return measurement;
}

Result<std::vector<double>> OpenclPlan::timeSteps()
{
    if (m_described)
        return modelledSeconds();
    std::vector<double> seconds(m_plan.steps.size(), 0);
    std::vector<Event> events(m_plan.steps.size());
    for (const StepIndex step : m_plan.steps.indices()) {
        const auto at = std::size_t(step.number());
        if (m_runs[step].kernel) {
            GL_TRY(m_queue->run(m_runs[step].kernel, m_runs[step].items, &events[at]));
            continue;
        }
        GL_TRY(m_queue->finish());
        const double start = steadySeconds();
        GL_TRY(interpretStep(m_plan.steps[step]));
        seconds[at] = steadySeconds() - start;
    }
    GL_TRY(checkStatus());
    for (std::size_t i = 0; i < events.size(); ++i)
        if (events[i]) {
            GL_TRY_CONST(time, m_queue->secondsOf(events[i]));
            seconds[i] = *time;
        }
    return seconds;
}

Result<std::vector<TraceSlice>> OpenclPlan::trace()
{
    GL_TRY_CONST(seconds, timeSteps());
    std::vector<TraceSlice> slices;
    double start = 0;
    for (const StepIndex step : m_plan.steps.indices()) {
        const double time = (*seconds)[std::size_t(step.number())];
        slices.push_back({std::uint32_t(step.number()), 0, start, time, m_plan.steps[step].tasks});
        start += time;
    }
    return slices;
}

} // namespace graphloom::opencl
