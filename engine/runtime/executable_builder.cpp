// SPDX-License-Identifier: Apache-2.0
#include "engine/base/integer_division.h"
#include "engine/runtime/executable_content.h"
#include "engine/runtime/margin_fill.h"
#include "engine/runtime/trial/kernel_rehearsal.h"

#include <algorithm>
#include <cstring>
#include <malloc.h>
#include <set>

namespace graphloom {

/// Assembles an executable from compiled kernels.
class ExecutableBuilder {
public:
    ExecutableBuilder(PlanKernels generated, CompiledKernels compiled, Opsets opsets,
                      const RefusedParts &failed, const ExecutableOptions &options)
        : m_options(options), m_failed(failed), m_generated(std::move(generated)),
          m_content(std::make_unique<Executable::Content>(options)), m(*m_content)
    {
        m.graph = m_generated.graph;
        m.opsets = std::move(opsets);
        m.values.resize(m.graph.tensorBound());
        m.kernels = std::move(m_generated.kernels);
        m.storages = std::move(m_generated.storages);
        m.compiled = std::move(compiled);
    }

    Result<std::shared_ptr<Executable>> run()
    {
        m_options.progress(0.9, "laying out memory");
        for (const BlockIndex block : m_generated.blocks.indices())
            GL_TRY(m.kernels[block] ? addKernel(block) : addInterpreted(block));
        findWaves();
        layOut();
        for (const TensorId id : m.graph.inputs())
            addBorder(id);
        for (const TensorId id : m.graph.outputs())
            addBorder(id);
        for (const StepIndex step : m.runs.indices())
            if (m.runs[step].function)
                fillBuffers(step);
        findReleases();
#ifdef __GLIBC__
        ::malloc_trim(0); // weights were unpacked and transformed one by one on the heap
#endif
        m_options.progress(1, "ready");
        return std::shared_ptr<Executable>(new Executable(std::move(m_content)));
    }

private:
    using Content = Executable::Content;
    using WaveIndex = Content::WaveIndex;
    /// Identifies a tensor between blocks, or a scratch tensor of a block.
    struct Key {
        BlockIndex block;
        BlockTensorIndex scratch;
        TensorId tensor;

        auto operator<=>(const Key &) const = default;
    };

    /// Holds the tensors that a step reads and writes in the arena or at the border.
    struct Touched {
        std::set<Key> all, written;
    };

    static Key keyOf(TensorId tensor)
    {
        return {{}, {}, tensor};
    }
    static Key keyOf(BlockIndex block, const BlockKernel &kernel, BlockTensorIndex tensor)
    {
        const BlockTensor &of = kernel.block.tensors[tensor];
        return of.role == BlockTensor::Role::Scratch ? Key{block, tensor, {}} : keyOf(of.id);
    }
    bool isBorder(TensorId id) const
    {
        return m.graph.isInput(id) || m.graph.isOutput(id);
    }

    Result<void> addInterpreted(BlockIndex block)
    {
        Executable::Step step;
        step.block = block;
        step.part = m_generated.part(block);
        step.reason = m_generated.reasons[block];
        step.failed = m_failed.contains(step.part);
        Content::Run run;
        Touched touched;
        for (const NodeId id : m_generated.blocks[block]) {
            GL_TRY_RESULT(node, graphOf(m.graph, id));
            for (const TensorId tensor : node->inputs)
                touched.all.insert(keyOf(tensor));
            for (const TensorId tensor : node->outputs) {
                touched.all.insert(keyOf(tensor));
                touched.written.insert(keyOf(tensor));
            }
            step.text += (step.text.empty() ? "" : ", ") + m.graph.node(id).label();
            run.interpreted.push_back(std::move(*node));
        }
        m.steps.push_back(std::move(step));
        m.runs.push_back(std::move(run));
        m_touched.push_back(std::move(touched));
        return {};
    }

    Result<void> addKernel(BlockIndex block)
    {
        const BlockKernel &kernel = *m.kernels[block];
        for (const PhaseIndex p : kernel.phases.indices()) {
            const BlockKernel::Phase &phase = kernel.phases[p];
            if (phase.tasks == 0)
                continue;
            GL_TRY_CONST(function, m.compiled.function(phase.symbol));
            Executable::Step step;
            step.block = block;
            step.part = m_generated.part(block);
            step.phase = p;
            step.symbol = phase.symbol;
            step.schedule = textOf(schedulesOf(kernel, p));
            Touched touched;
            for (const KernelBuffer &buffer : phase.buffers)
                if (buffer.kind == KernelBuffer::Kind::Tensor)
                    touched.all.insert(keyOf(block, kernel, buffer.tensor));
            for (const NestIndex number : kernel.groups[p].nests()) {
                const Nest &nest = kernel.block.nests[number];
                step.text += (step.text.empty() ? "" : "; ") + nest.name;
                for (const NestStore &store : nest.stores)
                    touched.written.insert(keyOf(block, kernel, store.tensor));
            }
            m.scratchBytes = std::max(m.scratchBytes, phase.scratchBytes);
            m.steps.push_back(std::move(step));
            Content::Run run;
            run.function = *function;
            run.tasks = phase.tasks;
            m.runs.push_back(std::move(run));
            m_touched.push_back(std::move(touched));
        }
        return {};
    }

    /// Groups steps with few tasks into waves with the independent steps that follow, so that no
    /// thread is idle. Tensors are then live for whole waves.
    void findWaves()
    {
        const std::int64_t enough = 4 * std::int64_t(m_options.threads);
        constexpr int most = 8;
        for (const StepIndex step : m.runs.indices()) {
            const bool joins = m_options.threads > 1 && !m.waves.empty() &&
                               m.waves.back().count < most && m.runs[step].function &&
                               m.runs[m.waves.back().first].function &&
                               tasksOf(m.waves.back()) < enough && isIndependent(step);
            if (joins)
                ++m.waves.back().count;
            else
                m.waves.push_back({step, 1});
            m_waveOf.push_back(m.waves.lastIndex());
        }
    }

    std::int64_t tasksOf(const Content::Wave &wave) const
    {
        std::int64_t tasks = 0;
        for (const StepIndex step : wave.steps())
            tasks += m.runs[step].tasks;
        return tasks;
    }

    /// Tells whether a step is independent of those in the last wave.
    bool isIndependent(StepIndex step) const
    {
        const auto meet = [](const std::set<Key> &a, const std::set<Key> &b) {
            return std::ranges::any_of(a, [&](const Key &key) { return b.contains(key); });
        };
        for (const StepIndex before : IndexRange(m.waves.back().first, step))
            if (meet(m_touched[before].written, m_touched[step].all) ||
                meet(m_touched[step].written, m_touched[before].all))
                return false;
        return true;
    }

    /// Returns the bytes of a tensor in the arena, or none if it is elsewhere.
    std::optional<std::int64_t> arenaBytes(const Key &key) const
    {
        if (key.block.isValid()) {
            const BlockKernel &kernel = *m.kernels[key.block];
            return std::int64_t(bytesOf(kernel.block.tensors[key.scratch].type,
                                        std::uint64_t(kernel.storages[key.scratch].elements)));
        }
        const auto storage = m.storages.tensors.find(key.tensor);
        if (storage == m.storages.tensors.end() || isBorder(key.tensor))
            return std::nullopt;
        return std::int64_t(
            bytesOf(m.graph.tensor(key.tensor).type, std::uint64_t(storage->second.elements)));
    }

    void layOut()
    {
        std::map<Key, std::pair<WaveIndex, WaveIndex>> lives; // first and last wave
        for (const StepIndex step : m_touched.indices())
            for (const Key &key : m_touched[step].all) {
                const auto [life, isNew] =
                    lives.try_emplace(key, std::pair(m_waveOf[step], m_waveOf[step]));
                life->second.second = m_waveOf[step];
            }
        std::vector<ArenaRequest> requests;
        std::vector<Key> keys;
        for (const auto &[key, life] : lives)
            if (const auto bytes = arenaBytes(key)) {
                requests.push_back({*bytes, std::uint32_t(life.first.number()),
                                    std::uint32_t(life.second.number())});
                keys.push_back(key);
            }
        m.layout = planArena(requests, bufferAlignment);
        constexpr std::int64_t page = 4096;
        m.scratchBytes = roundUp(m.scratchBytes, page);
        m.scratch = m.memory.take(m.scratchBytes * std::int64_t(std::max(m_options.threads, 1U)));
        if (!m_options.separateTensors)
            m.arena = m.memory.take(m.layout.bytes);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::byte *at = nullptr;
            if (m_options.separateTensors) {
                m.separate.push_back(alignedBytes(requests[i].bytes));
                at = m.separate.back().get();
            } else {
                at = m.arena + m.layout.offsets[i];
            }
            if (keys[i].block.isValid())
                m_scratchPlaces[keys[i]] = at;
            else
                m.places[keys[i].tensor] = {at, &m.storages.tensors.at(keys[i].tensor)};
        }
    }

    void addBorder(TensorId id)
    {
        const Tensor &tensor = m.graph.tensor(id);
        if (m.borderPlaces.contains(id) || tensor.constant || !tensor.shape ||
            !isStatic(*tensor.shape) || bitsOf(tensor.type) < 8)
            return;
        const auto bytes =
            std::int64_t(bytesOf(tensor.type, std::uint64_t(*staticElements(*tensor.shape))));
        m.borderBytes += bytes;
        m.borderPlaces[id] = {m.memory.take(bytes), nullptr};
    }

    std::byte *placeOf(BlockIndex block, const BlockKernel &kernel, BlockTensorIndex tensor) const
    {
        const BlockTensor &of = kernel.block.tensors[tensor];
        if (of.role == BlockTensor::Role::Scratch)
            return m_scratchPlaces.at(keyOf(block, kernel, tensor));
        if (const auto border = m.borderPlaces.find(of.id); border != m.borderPlaces.end())
            return border->second.data;
        return m.places.at(of.id).data;
    }

    void fillBuffers(StepIndex step)
    {
        const BlockIndex block = m.steps[step].block;
        const BlockKernel &kernel = *m.kernels[block];
        const BlockKernel::Phase &phase = kernel.phases[m.steps[step].phase];
        Content::Run &run = m.runs[step];
        for (const KernelBuffer &buffer : phase.buffers) {
            if (buffer.kind != KernelBuffer::Kind::Tensor) {
                run.buffers.push_back(constantOf(kernel, phase, buffer));
                continue;
            }
            std::byte *at = placeOf(block, kernel, buffer.tensor);
            run.buffers.push_back(at);
            if (!m_touched[step].written.contains(keyOf(block, kernel, buffer.tensor)))
                continue;
            const Storage &storage = kernel.storages[buffer.tensor];
            for (const auto &[first, count] :
                 marginRuns(storage, kernel.block.tensors[buffer.tensor].extents))
                run.fills.push_back(
                    {reinterpret_cast<float *>(at) + first, count, float(storage.marginValue)});
        }
    }

    /// Returns a constant, copied or packed once for all its readers; equal code packs equally.
    std::byte *constantOf(const BlockKernel &kernel, const BlockKernel::Phase &phase,
                          const KernelBuffer &buffer)
    {
        const BlockTensor &tensor = kernel.block.tensors[buffer.tensor];
        const bool isPacked = buffer.kind == KernelBuffer::Kind::Packed;
        const std::string form = isPacked
                                     ? phase.symbol + "/" + std::to_string(buffer.packed.number())
                                     : (tensor.derive ? tensor.name : std::string());
        std::byte *&place = m_constantPlaces[{tensor.constant.get(), form}];
        if (place)
            return place;
        const TensorData data = tensor.derive ? tensor.derive() : *tensor.constant;
        if (isPacked) {
            const Nest &nest = kernel.block.nests[buffer.nest];
            const PackedOperand operand =
                packedOperandsOf(nest, kernel.schedules[buffer.nest])[buffer.packed];
            const auto elements = std::size_t(operand.elements());
            place = m.addConstant(std::int64_t(elements * sizeof(float)));
            pack(operand, nest, data, std::span(reinterpret_cast<float *>(place), elements));
        } else {
            place = m.addConstant(std::int64_t(data.storedBytes()));
            const auto bytes = data.bytes();
            for (std::uint64_t to = 0; to < data.storedBytes();
                 to += std::max<std::size_t>(bytes.size(), 1))
                std::memcpy(place + to, bytes.data(), bytes.size());
        }
        tensor.constant->release();
        return place;
    }

    /// Makes the last reader of a value outside the arena release it.
    void findReleases()
    {
        std::map<TensorId, StepIndex> lastReader;
        for (const StepIndex step : m.runs.indices())
            for (const NodeGraph &node : m.runs[step].interpreted)
                for (const TensorId id : node.inputs)
                    lastReader[id] = step;
        for (const auto &[id, step] : lastReader)
            if (!isBorder(id))
                m.runs[step].released.push_back(id);
    }

    const ExecutableOptions &m_options;
    const RefusedParts &m_failed;
    PlanKernels m_generated;
    std::unique_ptr<Content> m_content;
    Content &m;
    IndexedVector<StepIndex, Touched> m_touched;
    IndexedVector<StepIndex, WaveIndex> m_waveOf;
    std::map<Key, std::byte *> m_scratchPlaces;
    std::map<std::pair<const void *, std::string>, std::byte *> m_constantPlaces;
};

Result<std::shared_ptr<Executable>>
Executable::build(const Graph &graph, const Opsets &opsets,
                  const std::vector<std::vector<NodeId>> &blocks, const ExecutableOptions &options)
{
    return buildWithout({}, graph, opsets, blocks, options);
}

Result<std::shared_ptr<Executable>>
Executable::buildWithout(const RefusedParts &failed, const Graph &graph, const Opsets &opsets,
                         const std::vector<std::vector<NodeId>> &blocks,
                         const ExecutableOptions &options)
{
    options.progress(0, "generating kernels");
    GenerateOptions generate{options};
    generate.refused.insert(failed.begin(), failed.end());
    generate.stop = options.stop;
    generate.progress = [&](double done) { options.progress(0.3 * done, "generating kernels"); };
    GL_TRY_RESULT(generated, generateKernels(graph, opsets, blocks, generate));
    options.progress(0.3, "compiling kernels");
    GL_TRY_RESULT(compiled, compileKernels(generated->kernels,
                                           {options.target.lanes, options.compiler, options.cache,
                                            options.compilers, options.compileSeconds, options.stop,
                                            options.flags}));
    RefusedBlocks &refused = compiled->failed;
    if (refused.empty() && options.rehearse) {
        options.progress(0.8, "trying kernels");
        GL_TRY_RESULT(tried,
                      rehearseKernels(generated->kernels, *compiled, {.stop = options.stop}));
        refused = std::move(*tried);
    }
    if (refused.empty())
        return ExecutableBuilder(std::move(*generated), std::move(*compiled), opsets, failed,
                                 options)
            .run();
    // Storages depend on which blocks are interpreted, so the build starts over. Copies of inputs
    // are not refused: without some of their readers, they may not be needed.
    RefusedParts all = failed;
    for (const auto &[block, reason] : refused)
        if (const PartIndex part = generated->part(block); part.isValid())
            all.emplace(part, reason);
    if (all.size() == failed.size())
        return fail(Error::Kind::Missing, refused.begin()->second, "copy of an input");
    return buildWithout(all, graph, opsets, blocks, options);
}

} // namespace graphloom
