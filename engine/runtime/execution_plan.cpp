// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/execution_plan.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/storage/margin_runs.h"
#include "engine/runtime/aligned_bytes.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace graphloom {

namespace {

/// Identifies a tensor between blocks, or a scratch tensor of a block.
struct Key {
    BlockIndex block;
    BlockTensorIndex scratch;
    TensorId tensor;

    auto operator<=>(const Key &) const = default;
};

/// Holds the tensors that a step reads and writes in the arena or at the border. Who reads a tensor
/// also reads those that are parts of it.
struct Touched {
    std::set<Key> all, written;
};

Key keyOf(TensorId tensor)
{
    return {{}, {}, tensor};
}

Key keyOf(BlockIndex block, const BlockKernel &kernel, BlockTensorIndex tensor)
{
    const BlockTensor &of = kernel.block.tensors[tensor];
    return of.role == BlockTensor::Role::Scratch ? Key{block, tensor, {}} : keyOf(of.id);
}

/// Returns the tensor that the part is in.
Key keyOf(const PlanStorages::Part &part)
{
    return part.tensor.valid() ? keyOf(part.tensor) : Key{part.block, part.whole, {}};
}

PackedOperand packedOperandOf(const BlockKernel &kernel, const KernelBuffer &buffer)
{
    return packedOperandsOf(kernel.block.nests[buffer.nest],
                            kernel.schedules[buffer.nest])[buffer.packed];
}

/// Writes all elements, also those of a splat.
void fill(const TensorData &data, std::span<std::byte> to)
{
    const auto bytes = data.bytes();
    for (std::uint64_t at = 0; at < data.storedBytes();
         at += std::max<std::size_t>(bytes.size(), 1))
        std::memcpy(to.data() + at, bytes.data(), bytes.size());
}

class Planner {
public:
    Planner(PlanKernels kernels, const ExecutionPlanOptions &options)
        : m_options(options), m_generated(std::move(kernels))
    {
        m_plan.graph = m_generated.graph;
        m_plan.blocks = m_generated.blocks;
        m_plan.copies = m_generated.copies;
        m_plan.kernels = std::move(m_generated.kernels);
        m_plan.storages = std::move(m_generated.storages);
        for (const auto &[tensor, part] : m_plan.storages.parts)
            m_partsOf.emplace(keyOf(part), keyOf(tensor));
    }

    Result<ExecutionPlan> run()
    {
        for (const BlockIndex block : m_generated.blocks.indices()) {
            if (m_plan.kernels[block])
                addKernel(block);
            else
                GL_TRY(addInterpreted(block));
        }
        findWaves();
        layOut();
        for (const auto &list : {m_plan.graph.inputs(), m_plan.graph.outputs()})
            for (const TensorId id : list)
                addBorder(id);
        for (const StepIndex step : m_plan.steps.indices())
            if (m_plan.steps[step].isKernel())
                placeBuffers(step);
            else if (m_options.placesAll)
                GL_TRY(placeOperands(m_plan.steps[step]));
        findReleases();
        return std::move(m_plan);
    }

private:
    bool isBorder(TensorId id) const
    {
        return m_plan.graph.isInput(id) || m_plan.graph.isOutput(id);
    }

    Result<void> addInterpreted(BlockIndex block)
    {
        ExecutionStep step;
        step.block = block;
        step.part = m_generated.part(block);
        step.reason = m_generated.reasons[block];
        step.failed = m_options.failed.contains(step.part);
        Touched touched;
        for (const NodeId id : m_generated.blocks[block]) {
            GL_TRY_RESULT(node, graphOf(m_plan.graph, id));
            for (const TensorId tensor : node->inputs)
                touched.all.insert(keyOf(tensor));
            for (const TensorId tensor : node->outputs) {
                touched.all.insert(keyOf(tensor));
                touched.written.insert(keyOf(tensor));
            }
            step.text += (step.text.empty() ? "" : ", ") + m_plan.graph.node(id).label();
            step.interpreted.push_back(std::move(*node));
        }
        m_plan.steps.push_back(std::move(step));
        m_touched.push_back(std::move(touched));
        return {};
    }

    void addKernel(BlockIndex block)
    {
        const BlockKernel &kernel = *m_plan.kernels[block];
        for (const PhaseIndex p : kernel.phases.indices()) {
            const BlockKernel::Phase &phase = kernel.phases[p];
            if (phase.tasks == 0)
                continue;
            ExecutionStep step;
            step.block = block;
            step.part = m_generated.part(block);
            step.phase = p;
            step.symbol = phase.symbol;
            step.schedule = textOf(schedulesOf(kernel, p));
            step.tasks = phase.tasks;
            Touched touched;
            for (const KernelBuffer &buffer : phase.buffers)
                if (buffer.kind == KernelBuffer::Kind::Tensor)
                    touched.all.insert(keyOf(block, kernel, buffer.tensor));
            for (const NestIndex number : kernel.groups[p].nests()) {
                const Nest &nest = kernel.block.nests[number];
                for (const NestRead &read : nest.reads)
                    addPartsOf(keyOf(block, kernel, read.tensor), touched.all);
                step.text += (step.text.empty() ? "" : "; ") + nest.name;
                for (const NestStore &store : nest.stores)
                    touched.written.insert(keyOf(block, kernel, store.tensor));
            }
            m_plan.scratchBytes = std::max(m_plan.scratchBytes, phase.scratchBytes);
            m_plan.steps.push_back(std::move(step));
            m_touched.push_back(std::move(touched));
        }
    }

    void addPartsOf(const Key &whole, std::set<Key> &parts) const
    {
        const auto [first, last] = m_partsOf.equal_range(whole);
        for (auto part = first; part != last; ++part) {
            parts.insert(part->second);
            addPartsOf(part->second, parts);
        }
    }

    /// Returns the tensor whose buffer holds it.
    Key wholeOf(const Key &key) const
    {
        const auto part = m_plan.storages.parts.find(key.tensor);
        return part == m_plan.storages.parts.end() ? key : wholeOf(keyOf(part->second));
    }

    /// Groups steps with few tasks into waves with the independent steps that follow, so that no
    /// thread is idle. Tensors are then live for whole waves.
    void findWaves()
    {
        const std::int64_t enough = 4 * std::int64_t(m_options.threads);
        constexpr int most = 8;
        auto &waves = m_plan.waves;
        for (const StepIndex step : m_plan.steps.indices()) {
            const bool joins = m_options.threads > 1 && !waves.empty() &&
                               waves.back().count < most && m_plan.steps[step].isKernel() &&
                               m_plan.steps[waves.back().first].isKernel() &&
                               tasksOf(waves.back()) < enough && isIndependent(step);
            if (joins)
                ++waves.back().count;
            else
                waves.push_back({step, 1});
            m_waveOf.push_back(waves.lastIndex());
        }
    }

    std::int64_t tasksOf(const ExecutionPlan::Wave &wave) const
    {
        std::int64_t tasks = 0;
        for (const StepIndex step : wave.steps())
            tasks += m_plan.steps[step].tasks;
        return tasks;
    }

    /// Tells whether a step is independent of those in the last wave.
    bool isIndependent(StepIndex step) const
    {
        const auto meet = [](const std::set<Key> &a, const std::set<Key> &b) {
            return std::ranges::any_of(a, [&](const Key &key) { return b.contains(key); });
        };
        for (const StepIndex before : IndexRange(m_plan.waves.back().first, step))
            if (meet(m_touched[before].written, m_touched[step].all) ||
                meet(m_touched[step].written, m_touched[before].all))
                return false;
        return true;
    }

    /// Returns the bytes of a tensor in row-major order; none if it is a constant, or if memory
    /// cannot be planned for it.
    static std::optional<std::int64_t> rowMajorBytes(const Tensor &tensor)
    {
        if (tensor.constant || !tensor.shape || !isStatic(*tensor.shape) || bitsOf(tensor.type) < 8)
            return std::nullopt;
        return std::int64_t(bytesOf(tensor.type, std::uint64_t(*staticElements(*tensor.shape))));
    }

    /// Returns the bytes of a tensor in the arena, or none if it is elsewhere.
    std::optional<std::int64_t> arenaBytes(const Key &key) const
    {
        if (key.block.isValid()) {
            const BlockKernel &kernel = *m_plan.kernels[key.block];
            return std::int64_t(bytesOf(kernel.block.tensors[key.scratch].type,
                                        std::uint64_t(kernel.storages[key.scratch].elements)));
        }
        const auto storage = m_plan.storages.tensors.find(key.tensor);
        if (isBorder(key.tensor))
            return std::nullopt;
        if (storage == m_plan.storages.tensors.end())
            return m_options.placesAll ? rowMajorBytes(m_plan.graph.tensor(key.tensor))
                                       : std::nullopt;
        return std::int64_t(
            bytesOf(m_plan.graph.tensor(key.tensor).type, std::uint64_t(storage->second.elements)));
    }

    void layOut()
    {
        std::map<Key, std::pair<WaveIndex, WaveIndex>> lives; // first and last wave
        for (const StepIndex step : m_touched.indices())
            for (const Key &key : m_touched[step].all) {
                const auto [life, isNew] =
                    lives.try_emplace(wholeOf(key), std::pair(m_waveOf[step], m_waveOf[step]));
                life->second.second = m_waveOf[step];
            }
        std::vector<ArenaRequest> requests;
        for (const auto &[key, life] : lives)
            if (const auto bytes = arenaBytes(key)) {
                requests.push_back({*bytes, std::uint32_t(life.first.number()),
                                    std::uint32_t(life.second.number())});
                m_places[key].arena = m_plan.arena.append({key.tensor, *bytes, 0});
            }
        const ArenaLayout layout = planArena(requests, m_options.alignment);
        for (const ArenaIndex tensor : m_plan.arena.indices())
            m_plan.arena[tensor].offset = layout.offsets[std::size_t(tensor.number())];
        m_plan.arenaBytes = layout.bytes;
        m_plan.leastArenaBytes = layout.lowerBound;
        constexpr std::int64_t page = 4096;
        m_plan.scratchBytes = roundUp(m_plan.scratchBytes, page);
    }

    void addBorder(TensorId id)
    {
        if (m_places.contains(keyOf(id)))
            return;
        if (const auto bytes = rowMajorBytes(m_plan.graph.tensor(id)))
            m_places[keyOf(id)].border = m_plan.border.append({id, *bytes});
    }

    void placeBuffers(StepIndex number)
    {
        ExecutionStep &step = m_plan.steps[number];
        const BlockKernel &kernel = *m_plan.kernels[step.block];
        const BlockKernel::Phase &phase = kernel.phases[step.phase];
        for (const BufferIndex b : phase.buffers.indices()) {
            const KernelBuffer &buffer = phase.buffers[b];
            if (buffer.kind != KernelBuffer::Kind::Tensor) {
                step.buffers.push_back(constantOf(step, kernel, b));
                continue;
            }
            const Key key = keyOf(step.block, kernel, buffer.tensor);
            const BufferPlace place = m_places.at(wholeOf(key));
            step.buffers.push_back(place);
            if (!m_touched[number].written.contains(key))
                continue;
            const Storage &storage = kernel.storages[buffer.tensor];
            for (const auto &[first, count] :
                 marginRuns(storage, kernel.block.tensors[buffer.tensor].extents))
                step.fills.push_back(
                    {place, first, count,
                     elementOf(storage.marginValue, kernel.block.tensors[buffer.tensor].type)});
        }
    }

    Result<void> placeOperands(ExecutionStep &step)
    {
        for (const NodeId id : m_plan.blocks[step.block]) {
            const Node &node = m_plan.graph.node(id);
            if (!node.captures.empty() || hasGraphs(node))
                return fail(Error::Kind::Model, "it has a graph of its own", node.label());
            ExecutionStep::NodePlaces &places = step.nodes.emplace_back();
            places.node = id;
            for (const auto &[tensors, to] : {std::pair(&node.inputs, &places.inputs),
                                              std::pair(&node.outputs, &places.outputs)})
                for (const TensorId tensor : *tensors) {
                    GL_TRY_CONST(place, placeOf(tensor, node));
                    to->push_back(*place);
                }
        }
        return {};
    }

    static bool hasGraphs(const Node &node)
    {
        return std::ranges::any_of(node.attributes, [](const Attribute &attribute) {
            return !graphsOf(attribute.value).empty();
        });
    }

    /// Returns where an operand of an interpreted node is.
    Result<BufferPlace> placeOf(TensorId id, const Node &node)
    {
        if (!id.valid())
            return BufferPlace();
        if (const auto known = m_places.find(keyOf(id)); known != m_places.end())
            return known->second;
        const Tensor &tensor = m_plan.graph.tensor(id);
        if (!tensor.constant)
            return fail(Error::Kind::Model,
                        "\"" + tensor.name + "\" has extents that are known only at run time",
                        node.label());
        BufferPlace &place = m_places[keyOf(id)];
        place.constant =
            m_plan.constants.append({{}, {}, {}, std::int64_t(tensor.constant->storedBytes()), id});
        return place;
    }

    /// Returns a constant, which is one for all its readers; equal code packs equally.
    BufferPlace constantOf(const ExecutionStep &step, const BlockKernel &kernel, BufferIndex number)
    {
        const KernelBuffer &buffer = kernel.phases[step.phase].buffers[number];
        const BlockTensor &tensor = kernel.block.tensors[buffer.tensor];
        const bool isPacked = buffer.kind == KernelBuffer::Kind::Packed;
        const std::string form = isPacked
                                     ? step.symbol + "/" + std::to_string(buffer.packed.number())
                                     : (tensor.derive ? tensor.name : std::string());
        const auto [known, isNew] = m_constants.try_emplace({tensor.constant.get(), form});
        if (isNew) {
            const std::int64_t bytes =
                isPacked ? bytesOf(packedOperandOf(kernel, buffer), kernel.block.tensors)
                         : std::int64_t(bytesOf(tensor.type, std::uint64_t(tensor.elements())));
            known->second.constant =
                m_plan.constants.append({step.block, step.phase, number, bytes});
        }
        return known->second;
    }

    /// Makes the last reader of a value outside the arena release it.
    void findReleases()
    {
        std::map<TensorId, StepIndex> lastReader;
        for (const StepIndex step : m_plan.steps.indices())
            for (const NodeGraph &node : m_plan.steps[step].interpreted)
                for (const TensorId id : node.inputs)
                    lastReader[id] = step;
        for (const auto &[id, step] : lastReader)
            if (!isBorder(id))
                m_plan.steps[step].released.push_back(id);
    }

    const ExecutionPlanOptions &m_options;
    PlanKernels m_generated;
    ExecutionPlan m_plan;
    IndexedVector<StepIndex, Touched> m_touched;
    IndexedVector<StepIndex, WaveIndex> m_waveOf;
    std::multimap<Key, Key> m_partsOf;
    std::map<Key, BufferPlace> m_places;
    std::map<std::pair<const void *, std::string>, BufferPlace> m_constants;
};

} // namespace

std::int64_t ExecutionPlan::bytesAt(const BufferPlace &place) const
{
    return place.arena.isValid()    ? arena[place.arena].bytes
           : place.border.isValid() ? border[place.border].bytes
                                    : constants[place.constant].bytes;
}

std::int64_t ExecutionPlan::constantBytes() const
{
    std::int64_t sum = 0;
    for (const Constant &constant : constants)
        sum += constant.bytes;
    return sum;
}

std::int64_t ExecutionPlan::borderBytes() const
{
    std::int64_t sum = 0;
    for (const BorderTensor &tensor : border)
        sum += tensor.bytes;
    return sum;
}

Result<ExecutionPlan> executionPlanOf(PlanKernels kernels, const ExecutionPlanOptions &options)
{
    return Planner(std::move(kernels), options).run();
}

void writeConstant(const ExecutionPlan &plan, ConstantIndex constant, std::span<std::byte> to)
{
    const ExecutionPlan::Constant &of = plan.constants[constant];
    if (of.tensor.valid()) {
        fill(*plan.graph.tensor(of.tensor).constant, to);
        return;
    }
    const BlockKernel &kernel = *plan.kernels[of.block];
    const KernelBuffer &buffer = kernel.phases[of.phase].buffers[of.buffer];
    const BlockTensor &tensor = kernel.block.tensors[buffer.tensor];
    const TensorData data = tensor.derive ? tensor.derive() : *tensor.constant;
    if (buffer.kind == KernelBuffer::Kind::Packed) {
        pack(packedOperandOf(kernel, buffer), kernel.block.nests[buffer.nest], data, to);
    } else {
        fill(data, to);
    }
    tensor.constant->release();
}

} // namespace graphloom
