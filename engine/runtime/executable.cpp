// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executable.h"

#include "engine/codegen/kernel_rehearsal.h"
#include "engine/plan/arena.h"
#include "engine/runtime/interpreter.h"
#include "engine/runtime/margin_fill.h"
#include "engine/runtime/stage_runner.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <set>
#include <utility>

namespace graphloom {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t alignment = 64;

struct AlignedDelete {
    void operator()(std::byte *bytes) const
    {
        ::operator delete[](bytes, std::align_val_t{alignment});
    }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

AlignedBytes alignedBytes(std::int64_t bytes)
{
    return AlignedBytes(static_cast<std::byte *>(::operator new[](
        std::size_t(std::max<std::int64_t>(bytes, 1)), std::align_val_t{alignment})));
}

std::int64_t bytesPerElement(DataType type)
{
    return std::max(bitsOf(type) / 8, 1);
}

/// One node as a graph of its own, which the interpreter runs.
struct NodeGraph {
    Graph graph;
    std::vector<TensorId> inputs, outputs; // of the whole graph, in its inputs' and outputs' order
};

Result<NodeGraph> graphOf(const Graph &whole, NodeId id)
{
    GraphEditor editor;
    NodeGraph result;
    Node node = whole.node(id);
    std::map<TensorId, TensorId> known;
    std::vector<TensorId> inputs, outputs;
    const auto translate = [&](TensorId &tensor, bool output) {
        if (!tensor.valid())
            return;
        const auto [at, isNew] = known.try_emplace(tensor);
        if (isNew) {
            at->second = editor.addTensor(whole.tensor(tensor));
            if (output) {
                outputs.push_back(at->second);
                result.outputs.push_back(tensor);
            } else if (!whole.tensor(tensor).constant) {
                inputs.push_back(at->second);
                result.inputs.push_back(tensor);
            }
        }
        tensor = at->second;
    };
    for (auto *list : {&node.inputs, &node.captures})
        for (TensorId &tensor : *list)
            translate(tensor, false);
    for (TensorId &tensor : node.outputs)
        translate(tensor, true);
    editor.addNode(std::move(node));
    editor.setInputs(std::move(inputs));
    editor.setOutputs(std::move(outputs));
    auto graph = std::move(editor).finish();
    if (!graph)
        return tl::unexpected(graph.error());
    result.graph = std::move(*graph);
    return result;
}

} // namespace

struct Executable::Content {
    struct Run {
        KernelFunction function = nullptr;
        std::vector<void *> buffers;
        std::int64_t tasks = 0;
        struct Fill {
            float *first;
            std::int64_t count;
            float value;
        };
        std::vector<Fill> fills;
        std::vector<NodeGraph> interpreted;
        std::vector<TensorId> released; // values that nobody reads afterwards
    };
    struct Place {
        std::byte *data = nullptr;
        const Storage *storage = nullptr;
    };

    explicit Content(const ExecutableOptions &options)
        : team(options.threads, options.pinning), statuses(std::max(options.threads, 1U))
    {
    }

    Graph graph;
    Opsets opsets;
    std::vector<Step> steps;
    std::vector<Run> runs;
    std::vector<std::optional<BlockKernel>> kernels;
    PlanStorages storages;
    ArenaLayout layout;
    AlignedBytes arena;
    AlignedBytes scratch;          // of all threads
    std::int64_t scratchBytes = 0; // of one
    std::vector<AlignedBytes> constants, borders, separate;
    std::int64_t constantBytes = 0, borderBytes = 0;
    CompiledKernels compiled;
    Team team;
    struct alignas(64) Status {
        std::int32_t value = 0;
    };
    std::vector<Status> statuses;
    /// What a thread did of the step that runs, while a run is traced.
    struct alignas(64) Trace {
        Clock::time_point first, last;
        std::int64_t tasks = 0;
        bool used = false;
    };
    std::vector<Trace> traces;                    // by thread; empty: no run is traced
    std::map<TensorId, Place> places;             // of tensors that kernels touch
    std::map<TensorId, Place> borderPlaces;       // of the graph's inputs and outputs, row-major
    std::vector<std::optional<DataValue>> values; // by tensor: of the others

    std::byte *addConstant(std::int64_t bytes)
    {
        constants.push_back(alignedBytes(bytes));
        constantBytes += bytes;
        return constants.back().get();
    }
    Result<void> run(Run &run, Team::Session &session);
    Result<void> interpretStep(Run &run);
    TensorData dataOf(TensorId id, const Place &place) const;
};

TensorData Executable::Content::dataOf(TensorId id, const Place &place) const
{
    const Tensor &tensor = graph.tensor(id);
    TensorData::Extents extents;
    for (const Dim &dim : *tensor.shape)
        extents.push_back(dim.value());
    std::int64_t elements = 1;
    for (const std::int64_t extent : extents)
        elements *= extent;
    const auto bytes = std::size_t(bytesOf(tensor.type, std::uint64_t(elements)));
    return TensorData::fromBytes(tensor.type, std::move(extents), {place.data, place.data + bytes});
}

Result<void> Executable::Content::interpretStep(Run &run)
{
    for (const NodeGraph &node : run.interpreted) {
        std::vector<DataValue> inputs;
        for (const TensorId id : node.inputs) {
            if (const auto place = places.find(id); place != places.end())
                inputs.emplace_back(dataOf(id, place->second));
            else if (const auto border = borderPlaces.find(id); border != borderPlaces.end())
                inputs.emplace_back(dataOf(id, border->second));
            else if (values[id.index])
                inputs.push_back(*values[id.index]);
            else
                return fail(Error::Kind::Fault, "nothing has computed the tensor",
                            graph.tensor(id).name);
        }
        InterpreterOptions options;
        options.threads = team.threads();
        auto outputs = interpretValues(node.graph, opsets, inputs, options);
        if (!outputs)
            return tl::unexpected(outputs.error());
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
            const TensorId id = node.outputs[k];
            std::byte *place = nullptr;
            if (const auto inArena = places.find(id); inArena != places.end())
                place = inArena->second.data;
            else if (const auto border = borderPlaces.find(id); border != borderPlaces.end())
                place = border->second.data;
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
    for (const TensorId id : run.released)
        values[id.index].reset();
    return {};
}

Result<void> Executable::Content::run(Run &step, Team::Session &session)
{
    if (!step.function)
        return interpretStep(step);
    for (const Run::Fill &fill : step.fills)
        std::fill_n(fill.first, fill.count, fill.value);
    const auto body = [&](std::int64_t first, std::int64_t last, unsigned worker) {
        const auto start = traces.empty() ? Clock::time_point() : Clock::now();
        step.function(step.buffers.data(),
                      reinterpret_cast<char *>(scratch.get()) + worker * scratchBytes, first, last,
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

Executable::Executable(std::unique_ptr<Content> content) : m(std::move(content)) {}
Executable::~Executable() = default;

const std::vector<Executable::Step> &Executable::steps() const
{
    return m->steps;
}
const std::vector<std::optional<BlockKernel>> &Executable::kernels() const
{
    return m->kernels;
}
std::int64_t Executable::arenaBytes() const
{
    return m->layout.bytes;
}
std::int64_t Executable::leastArenaBytes() const
{
    return m->layout.lowerBound;
}
std::int64_t Executable::constantBytes() const
{
    return m->constantBytes;
}
std::int64_t Executable::borderBytes() const
{
    return m->borderBytes;
}
unsigned Executable::threads() const
{
    return m->team.threads();
}

Result<void> Executable::setInputs(const std::vector<TensorData> &inputs)
{
    const auto declared = m->graph.inputs();
    if (inputs.size() != declared.size())
        return fail(Error::Kind::Usage, "the graph takes " + std::to_string(declared.size()) +
                                            " inputs, " + std::to_string(inputs.size()) +
                                            " were given");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const TensorId id = declared[i];
        const Tensor &tensor = m->graph.tensor(id);
        const TensorData &given = inputs[i];
        bool fits = given.type() == tensor.type && tensor.shape &&
                    tensor.shape->size() == given.extents().size();
        for (std::size_t d = 0; fits && d < given.extents().size(); ++d)
            fits =
                !(*tensor.shape)[d].isConstant() || (*tensor.shape)[d] == Dim(given.extents()[d]);
        if (!fits)
            return fail(Error::Kind::Usage,
                        "the input does not have the type and shape that the "
                        "graph declares",
                        "input \"" + tensor.name + "\"");
        const auto place = m->borderPlaces.find(id);
        if (place == m->borderPlaces.end()) {
            m->values[id.index] = DataValue(given);
            continue;
        }
        const auto bytes = given.bytes();
        for (std::uint64_t at = 0; at < given.storedBytes();
             at += std::max<std::size_t>(bytes.size(), 1))
            std::memcpy(place->second.data + at, bytes.data(), bytes.size());
    }
    return {};
}

Result<void> Executable::runOnce()
{
    Team::Session session(m->team);
    for (std::size_t i = 0; i < m->runs.size(); ++i) {
        if (auto done = m->run(m->runs[i], session); !done)
            return done;
        for (Content::Status &status : m->statuses)
            if (status.value != 0) {
                for (Content::Status &other : m->statuses)
                    other.value = 0;
                return fail(Error::Kind::Model, "an index leaves the tensor that it looks into",
                            m->steps[i].text);
            }
    }
    return {};
}

Result<std::vector<double>> Executable::timeSteps()
{
    std::vector<double> seconds;
    Team::Session session(m->team);
    for (Content::Run &run : m->runs) {
        const auto start = Clock::now();
        if (auto done = m->run(run, session); !done)
            return tl::unexpected(done.error());
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
    for (std::size_t i = 0; i < m->runs.size(); ++i) {
        m->traces.assign(m->team.threads(), {});
        const auto start = Clock::now();
        const auto done = m->run(m->runs[i], session);
        const auto end = Clock::now();
        const std::vector<Content::Trace> traces = std::exchange(m->traces, {});
        if (!done)
            return tl::unexpected(done.error());
        const auto step = std::uint32_t(i);
        if (!m->runs[i].function)
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
    for (const TensorId id : m->graph.outputs()) {
        const Tensor &tensor = m->graph.tensor(id);
        if (tensor.constant)
            outputs.push_back(*tensor.constant);
        else if (const auto place = m->borderPlaces.find(id); place != m->borderPlaces.end())
            outputs.push_back(m->dataOf(id, place->second));
        else if (m->values[id.index] && m->values[id.index]->tensor())
            outputs.push_back(*m->values[id.index]->tensor());
        else
            return fail(Error::Kind::Model, "the output is no tensor",
                        "output \"" + tensor.name + "\"");
    }
    return outputs;
}

Result<std::vector<TensorData>> Executable::run(const std::vector<TensorData> &inputs)
{
    if (auto set = setInputs(inputs); !set)
        return tl::unexpected(set.error());
    if (auto ran = runOnce(); !ran)
        return tl::unexpected(ran.error());
    return outputs();
}

Result<std::shared_ptr<Executable>> Executable::build(const Graph &given, const Opsets &opsets,
                                                      const std::vector<std::vector<NodeId>> &parts,
                                                      const ExecutableOptions &options)
{
    options.progress(0, "generating kernels");
    auto generated =
        generateKernels(given, opsets, parts,
                        {options.target, options.schedules, options.refused, options.stop,
                         [&](double done) { options.progress(0.3 * done, "generating kernels"); }});
    if (!generated)
        return tl::unexpected(generated.error());
    options.progress(0.3, "compiling kernels");
    auto compiled = compileKernels(
        generated->kernels, {options.target.lanes, options.compiler, options.cache, options.threads,
                             options.compileSeconds, options.stop, options.flags});
    if (!compiled)
        return tl::unexpected(compiled.error());
    RefusedBlocks &failed = compiled->failed;
    if (failed.empty() && options.rehearse) {
        options.progress(0.8, "trying kernels");
        auto tried = rehearseKernels(generated->kernels, *compiled, {.stop = options.stop});
        if (!tried)
            return tl::unexpected(tried.error());
        failed = std::move(*tried);
    }
    if (!failed.empty()) {
        ExecutableOptions again = options;
        for (const auto &[block, reason] : failed) {
            const auto part = generated->part(block);
            if (!part)
                return fail(Error::Kind::Fault, reason, "copy of an input");
            again.refused.emplace(*part, reason);
        }
        return build(given, opsets, parts, again);
    }
    auto content = std::make_unique<Content>(options);
    Content &made = *content;
    const std::vector<std::vector<NodeId>> &blocks = generated->blocks;
    made.graph = generated->graph;
    const Graph &graph = made.graph;
    made.opsets = opsets;
    made.values.resize(graph.tensorBound());
    made.kernels = std::move(generated->kernels);
    made.storages = std::move(generated->storages);
    made.compiled = std::move(*compiled);

    // Steps, and when each tensor is needed.
    options.progress(0.9, "laying out memory");
    struct Life {
        std::uint32_t first = ~0U, last = 0;
        std::int64_t bytes = 0;
        void use(std::uint32_t step)
        {
            first = std::min(first, step);
            last = std::max(last, step);
        }
    };
    std::map<TensorId, Life> lives;
    std::map<std::pair<std::size_t, int>, Life> scratchLives;
    const auto isBorder = [&](TensorId id) { return graph.isInput(id) || graph.isOutput(id); };
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (!made.kernels[b]) {
            Step step;
            step.block = std::uint32_t(b);
            step.part = generated->part(b);
            step.reason = generated->reasons[b];
            Content::Run run;
            for (const NodeId id : blocks[b]) {
                auto node = graphOf(graph, id);
                if (!node)
                    return tl::unexpected(node.error());
                for (const auto *list : {&node->inputs, &node->outputs})
                    for (const TensorId tensor : *list)
                        if (made.storages.tensors.contains(tensor) && !isBorder(tensor))
                            lives[tensor].use(std::uint32_t(made.steps.size()));
                step.text += (step.text.empty() ? "" : ", ") + graph.node(id).label();
                run.interpreted.push_back(std::move(*node));
            }
            made.steps.push_back(std::move(step));
            made.runs.push_back(std::move(run));
            continue;
        }
        const BlockKernel &kernel = *made.kernels[b];
        for (std::size_t p = 0; p < kernel.phases.size(); ++p) {
            if (kernel.phases[p].tasks == 0)
                continue;
            for (const KernelBuffer &buffer : kernel.phases[p].buffers) {
                if (buffer.kind != KernelBuffer::Kind::Tensor)
                    continue;
                const BlockTensor &tensor = kernel.block.tensors[std::size_t(buffer.tensor)];
                Life &life = tensor.role == BlockTensor::Role::Scratch
                                 ? scratchLives[{b, buffer.tensor}]
                                 : lives[tensor.id];
                life.use(std::uint32_t(made.steps.size()));
                life.bytes = kernel.storages[std::size_t(buffer.tensor)].elements *
                             bytesPerElement(tensor.type);
            }
            const NestGroup &group = kernel.groups[p];
            Step step{std::uint32_t(b),
                      generated->part(b),
                      std::uint32_t(p),
                      kernel.phases[p].symbol,
                      {},
                      {},
                      {}};
            for (int n = group.first; n < group.first + group.count; ++n) {
                step.text +=
                    (step.text.empty() ? "" : "; ") + kernel.block.nests[std::size_t(n)].name;
                step.schedule +=
                    (step.schedule.empty() ? "" : " | ") + kernel.schedules[std::size_t(n)].text();
            }
            made.scratchBytes = std::max(made.scratchBytes, kernel.phases[p].scratchBytes);
            made.steps.push_back(std::move(step));
            Content::Run run;
            const auto function = made.compiled.function(kernel.phases[p].symbol);
            if (!function)
                return tl::unexpected(function.error());
            run.function = *function;
            run.tasks = kernel.phases[p].tasks;
            made.runs.push_back(std::move(run));
        }
    }
    std::vector<ArenaRequest> requests;
    std::vector<std::function<void(std::byte *)>> assign;
    std::map<std::pair<std::size_t, int>, std::byte *> scratchPlaces;
    for (auto &[id, life] : lives) {
        const Storage &storage = made.storages.tensors.at(id);
        if (life.bytes == 0)
            life.bytes = storage.elements * bytesPerElement(graph.tensor(id).type);
        if (isBorder(id))
            continue;
        requests.push_back({life.bytes, life.first, life.last});
        assign.push_back([&made, id, &storage](std::byte *at) {
            made.places[id] = {at, &storage};
        });
    }
    for (const auto &[key, life] : scratchLives) {
        requests.push_back({life.bytes, life.first, life.last});
        assign.push_back([&scratchPlaces, key](std::byte *at) { scratchPlaces[key] = at; });
    }
    made.layout = planArena(requests, alignment);
    if (!options.separateTensors)
        made.arena = alignedBytes(made.layout.bytes);
    made.scratchBytes = (made.scratchBytes + 4095) / 4096 * 4096;
    made.scratch = alignedBytes(made.scratchBytes * std::int64_t(std::max(options.threads, 1U)));
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (options.separateTensors)
            made.separate.push_back(alignedBytes(requests[i].bytes));
        assign[i](options.separateTensors ? made.separate.back().get()
                                          : made.arena.get() + made.layout.offsets[i]);
    }
    const auto addBorder = [&](TensorId id) {
        const Tensor &tensor = graph.tensor(id);
        if (made.borderPlaces.contains(id) || tensor.constant || !tensor.shape ||
            !isStatic(*tensor.shape) || bitsOf(tensor.type) < 8)
            return;
        const auto bytes =
            std::int64_t(bytesOf(tensor.type, std::uint64_t(*staticElements(*tensor.shape))));
        made.borders.push_back(alignedBytes(bytes));
        made.borderBytes += bytes;
        made.borderPlaces[id] = {made.borders.back().get(), nullptr};
    };
    for (const TensorId id : graph.inputs())
        addBorder(id);
    for (const TensorId id : graph.outputs())
        addBorder(id);

    // Pointers.
    std::map<std::pair<const void *, std::string>, std::byte *> constantPlaces;
    std::size_t next = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (!made.kernels[b]) {
            ++next;
            continue;
        }
        const BlockKernel &kernel = *made.kernels[b];
        for (std::size_t p = 0; p < kernel.phases.size(); ++p) {
            if (kernel.phases[p].tasks == 0)
                continue;
            Content::Run &run = made.runs[next++];
            std::set<int> stores;
            const NestGroup &group = kernel.groups[p];
            for (int n = group.first; n < group.first + group.count; ++n)
                for (const NestStore &store : kernel.block.nests[std::size_t(n)].stores)
                    stores.insert(store.tensor);
            for (const KernelBuffer &buffer : kernel.phases[p].buffers) {
                const BlockTensor &tensor = kernel.block.tensors[std::size_t(buffer.tensor)];
                const Storage &storage = kernel.storages[std::size_t(buffer.tensor)];
                std::byte *at = nullptr;
                switch (buffer.kind) {
                case KernelBuffer::Kind::Tensor:
                    if (tensor.role == BlockTensor::Role::Scratch)
                        at = scratchPlaces.at({b, buffer.tensor});
                    else if (const auto border = made.borderPlaces.find(tensor.id);
                             border != made.borderPlaces.end())
                        at = border->second.data;
                    else
                        at = made.places.at(tensor.id).data;
                    if (stores.contains(buffer.tensor))
                        for (const auto &[first, count] : marginRuns(storage, tensor.extents))
                            run.fills.push_back({reinterpret_cast<float *>(at) + first, count,
                                                 float(storage.marginValue)});
                    break;
                case KernelBuffer::Kind::Constant: {
                    std::byte *&place = constantPlaces[{tensor.constant.get(), "whole"}];
                    if (!place) {
                        const TensorData data = tensor.derive ? tensor.derive() : *tensor.constant;
                        place = made.addConstant(std::int64_t(data.storedBytes()));
                        const auto bytes = data.bytes();
                        for (std::uint64_t to = 0; to < data.storedBytes();
                             to += std::max<std::size_t>(bytes.size(), 1))
                            std::memcpy(place + to, bytes.data(), bytes.size());
                        data.release();
                    }
                    at = place;
                    break;
                }
                case KernelBuffer::Kind::Packed: {
                    // Equal code packs equally.
                    std::byte *&place = constantPlaces[{
                        tensor.constant.get(),
                        kernel.phases[p].symbol + "/" + std::to_string(buffer.packed)}];
                    if (!place) {
                        const Nest &nest = kernel.block.nests[std::size_t(buffer.nest)];
                        const PackedOperand operand = packedOperandsOf(
                            nest,
                            kernel.schedules[std::size_t(buffer.nest)])[std::size_t(buffer.packed)];
                        const auto elements = std::size_t(operand.elements());
                        place = made.addConstant(std::int64_t(elements * sizeof(float)));
                        const TensorData data = tensor.derive ? tensor.derive() : *tensor.constant;
                        pack(operand, nest, data,
                             std::span(reinterpret_cast<float *>(place), elements));
                        tensor.constant->release();
                    }
                    at = place;
                    break;
                }
                }
                run.buffers.push_back(at);
            }
        }
    }
    // Values that are not in the arena go when their last reader has run.
    std::map<TensorId, std::size_t> lastReader;
    for (std::size_t i = 0; i < made.runs.size(); ++i)
        for (const NodeGraph &node : made.runs[i].interpreted)
            for (const TensorId id : node.inputs)
                lastReader[id] = i;
    for (const auto &[id, step] : lastReader)
        if (!isBorder(id))
            made.runs[step].released.push_back(id);
    options.progress(1, "ready");
    return std::shared_ptr<Executable>(new Executable(std::move(content)));
}

} // namespace graphloom
