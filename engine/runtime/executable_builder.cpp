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

/// Puts an executable together from compiled kernels.
class ExecutableBuilder {
public:
    ExecutableBuilder(PlanKernels generated, CompiledKernels compiled, Opsets opsets,
                      const RefusedBlocks &failed, const ExecutableOptions &options)
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
        for (std::size_t b = 0; b < m_generated.blocks.size(); ++b)
            GL_TRY(m.kernels[b] ? addKernel(b) : addInterpreted(b));
        findWaves();
        layOut();
        for (const TensorId id : m.graph.inputs())
            addBorder(id);
        for (const TensorId id : m.graph.outputs())
            addBorder(id);
        for (std::size_t i = 0; i < m.runs.size(); ++i)
            if (m.runs[i].function)
                fillBuffers(i);
        findReleases();
#ifdef __GLIBC__
        ::malloc_trim(0); // weights were unpacked and transformed one by one on the heap
#endif
        m_options.progress(1, "ready");
        return std::shared_ptr<Executable>(new Executable(std::move(m_content)));
    }

private:
    using Content = Executable::Content;
    /// A tensor between blocks, or the scratch of a block.
    using Key = std::pair<std::optional<std::size_t>, std::uint32_t>;

    /// What a step reads and writes, of what is in the arena or at the border.
    struct Touched {
        std::set<Key> all, written;
    };

    static Key keyOf(std::size_t block, const BlockKernel &kernel, int tensor)
    {
        const BlockTensor &of = kernel.block.tensors[std::size_t(tensor)];
        return of.role == BlockTensor::Role::Scratch ? Key{block, std::uint32_t(tensor)}
                                                     : Key{std::nullopt, of.id.index};
    }
    bool isBorder(TensorId id) const
    {
        return m.graph.isInput(id) || m.graph.isOutput(id);
    }

    Result<void> addInterpreted(std::size_t block)
    {
        Executable::Step step;
        step.block = std::uint32_t(block);
        step.part = m_generated.part(block);
        step.reason = m_generated.reasons[block];
        step.failed = step.part && m_failed.contains(*step.part);
        Content::Run run;
        Touched touched;
        for (const NodeId id : m_generated.blocks[block]) {
            GL_TRY_RESULT(node, graphOf(m.graph, id));
            for (const TensorId tensor : node->inputs)
                touched.all.insert({std::nullopt, tensor.index});
            for (const TensorId tensor : node->outputs) {
                touched.all.insert({std::nullopt, tensor.index});
                touched.written.insert({std::nullopt, tensor.index});
            }
            step.text += (step.text.empty() ? "" : ", ") + m.graph.node(id).label();
            run.interpreted.push_back(std::move(*node));
        }
        m.steps.push_back(std::move(step));
        m.runs.push_back(std::move(run));
        m_touched.push_back(std::move(touched));
        return {};
    }

    Result<void> addKernel(std::size_t block)
    {
        const BlockKernel &kernel = *m.kernels[block];
        for (std::size_t p = 0; p < kernel.phases.size(); ++p) {
            const BlockKernel::Phase &phase = kernel.phases[p];
            if (phase.tasks == 0)
                continue;
            GL_TRY_CONST(function, m.compiled.function(phase.symbol));
            Executable::Step step;
            step.block = std::uint32_t(block);
            step.part = m_generated.part(block);
            step.phase = std::uint32_t(p);
            step.symbol = phase.symbol;
            step.schedule = textOf(schedulesOf(kernel, p));
            Touched touched;
            for (const KernelBuffer &buffer : phase.buffers)
                if (buffer.kind == KernelBuffer::Kind::Tensor)
                    touched.all.insert(keyOf(block, kernel, buffer.tensor));
            const NestGroup &group = kernel.groups[p];
            for (int n = group.first; n < group.first + group.count; ++n) {
                const Nest &nest = kernel.block.nests[std::size_t(n)];
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

    /// Steps with few tasks run beside the next ones that do not depend on them, so that no thread
    /// is idle. A tensor then lives as long as the whole wave.
    void findWaves()
    {
        const std::int64_t enough = 4 * std::int64_t(m_options.threads);
        constexpr std::size_t most = 8;
        for (std::size_t i = 0; i < m.runs.size(); ++i) {
            const bool joins = m_options.threads > 1 && !m.waves.empty() &&
                               m.waves.back().count < most && m.runs[i].function &&
                               m.runs[m.waves.back().first].function &&
                               tasksOf(m.waves.back()) < enough && isIndependent(i);
            if (joins)
                ++m.waves.back().count;
            else
                m.waves.push_back({i, 1});
            m_waveOf.push_back(std::uint32_t(m.waves.size() - 1));
        }
    }

    std::int64_t tasksOf(const Content::Wave &wave) const
    {
        std::int64_t tasks = 0;
        for (std::size_t i = wave.first; i < wave.first + wave.count; ++i)
            tasks += m.runs[i].tasks;
        return tasks;
    }

    /// Of the steps of the last wave.
    bool isIndependent(std::size_t step) const
    {
        const auto meet = [](const std::set<Key> &a, const std::set<Key> &b) {
            return std::ranges::any_of(a, [&](const Key &key) { return b.contains(key); });
        };
        for (std::size_t i = m.waves.back().first; i < step; ++i)
            if (meet(m_touched[i].written, m_touched[step].all) ||
                meet(m_touched[step].written, m_touched[i].all))
                return false;
        return true;
    }

    /// Bytes of a tensor that is in the arena; none of one that is not.
    std::optional<std::int64_t> arenaBytes(const Key &key) const
    {
        if (key.first) {
            const BlockKernel &kernel = *m.kernels[*key.first];
            return std::int64_t(bytesOf(kernel.block.tensors[key.second].type,
                                        std::uint64_t(kernel.storages[key.second].elements)));
        }
        const TensorId id{key.second};
        const auto storage = m.storages.tensors.find(id);
        if (storage == m.storages.tensors.end() || isBorder(id))
            return std::nullopt;
        return std::int64_t(
            bytesOf(m.graph.tensor(id).type, std::uint64_t(storage->second.elements)));
    }

    void layOut()
    {
        std::map<Key, std::pair<std::uint32_t, std::uint32_t>> lives; // first and last wave
        for (std::size_t i = 0; i < m_touched.size(); ++i)
            for (const Key &key : m_touched[i].all) {
                const auto [life, isNew] =
                    lives.try_emplace(key, std::pair(m_waveOf[i], m_waveOf[i]));
                life->second.second = m_waveOf[i];
            }
        std::vector<ArenaRequest> requests;
        std::vector<Key> keys;
        for (const auto &[key, life] : lives)
            if (const auto bytes = arenaBytes(key)) {
                requests.push_back({*bytes, life.first, life.second});
                keys.push_back(key);
            }
        m.layout = planArena(requests, bufferAlignment);
        constexpr std::int64_t page = 4096;
        m.scratchBytes = roundUp(m.scratchBytes, page);
        m.scratch = alignedBytes(m.scratchBytes * std::int64_t(std::max(m_options.threads, 1U)));
        if (!m_options.separateTensors)
            m.arena = alignedBytes(m.layout.bytes);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::byte *at = nullptr;
            if (m_options.separateTensors) {
                m.separate.push_back(alignedBytes(requests[i].bytes));
                at = m.separate.back().get();
            } else {
                at = m.arena.get() + m.layout.offsets[i];
            }
            if (keys[i].first)
                m_scratchPlaces[keys[i]] = at;
            else
                m.places[TensorId{keys[i].second}] = {
                    at, &m.storages.tensors.at(TensorId{keys[i].second})};
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
        m.borders.push_back(alignedBytes(bytes));
        m.borderBytes += bytes;
        m.borderPlaces[id] = {m.borders.back().get(), nullptr};
    }

    std::byte *placeOf(std::size_t block, const BlockKernel &kernel, int tensor) const
    {
        const BlockTensor &of = kernel.block.tensors[std::size_t(tensor)];
        if (of.role == BlockTensor::Role::Scratch)
            return m_scratchPlaces.at(keyOf(block, kernel, tensor));
        if (const auto border = m.borderPlaces.find(of.id); border != m.borderPlaces.end())
            return border->second.data;
        return m.places.at(of.id).data;
    }

    void fillBuffers(std::size_t step)
    {
        const std::size_t block = m.steps[step].block;
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
            const Storage &storage = kernel.storages[std::size_t(buffer.tensor)];
            for (const auto &[first, count] :
                 marginRuns(storage, kernel.block.tensors[std::size_t(buffer.tensor)].extents))
                run.fills.push_back(
                    {reinterpret_cast<float *>(at) + first, count, float(storage.marginValue)});
        }
    }

    /// Constants are copied or packed once, whoever reads them; equal code packs equally.
    std::byte *constantOf(const BlockKernel &kernel, const BlockKernel::Phase &phase,
                          const KernelBuffer &buffer)
    {
        const BlockTensor &tensor = kernel.block.tensors[std::size_t(buffer.tensor)];
        const bool isPacked = buffer.kind == KernelBuffer::Kind::Packed;
        const std::string form = isPacked ? phase.symbol + "/" + std::to_string(buffer.packed)
                                          : (tensor.derive ? tensor.name : std::string());
        std::byte *&place = m_constantPlaces[{tensor.constant.get(), form}];
        if (place)
            return place;
        const TensorData data = tensor.derive ? tensor.derive() : *tensor.constant;
        if (isPacked) {
            const auto nest = std::size_t(buffer.nest);
            const PackedOperand operand = packedOperandsOf(
                kernel.block.nests[nest], kernel.schedules[nest])[std::size_t(buffer.packed)];
            const auto elements = std::size_t(operand.elements());
            place = m.addConstant(std::int64_t(elements * sizeof(float)));
            pack(operand, kernel.block.nests[nest], data,
                 std::span(reinterpret_cast<float *>(place), elements));
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

    /// Values that are not in the arena go when their last reader has run.
    void findReleases()
    {
        std::map<TensorId, std::size_t> lastReader;
        for (std::size_t i = 0; i < m.runs.size(); ++i)
            for (const NodeGraph &node : m.runs[i].interpreted)
                for (const TensorId id : node.inputs)
                    lastReader[id] = i;
        for (const auto &[id, step] : lastReader)
            if (!isBorder(id))
                m.runs[step].released.push_back(id);
    }

    const ExecutableOptions &m_options;
    const RefusedBlocks &m_failed;
    PlanKernels m_generated;
    std::unique_ptr<Content> m_content;
    Content &m;
    std::vector<Touched> m_touched;      // by step
    std::vector<std::uint32_t> m_waveOf; // by step
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
Executable::buildWithout(const RefusedBlocks &failed, const Graph &graph, const Opsets &opsets,
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
                                            options.threads, options.compileSeconds, options.stop,
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
    // Where tensors are depends on which blocks are interpreted, so all begins anew. Copies of
    // inputs are for those that read them, and may not be needed then.
    RefusedBlocks all = failed;
    for (const auto &[block, reason] : refused)
        if (const auto part = generated->part(block))
            all.emplace(*part, reason);
    if (all.size() == failed.size())
        return fail(Error::Kind::Missing, refused.begin()->second, "copy of an input");
    return buildWithout(all, graph, opsets, blocks, options);
}

} // namespace graphloom
