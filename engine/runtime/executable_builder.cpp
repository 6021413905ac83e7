// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executable_content.h"
#include "engine/runtime/trial/kernel_rehearsal.h"

#include <malloc.h>

namespace graphloom {

/// Gives the buffers of a plan their memory, and its steps their functions.
class ExecutableBuilder {
public:
    ExecutableBuilder(ExecutionPlan plan, CompiledKernels compiled, Opsets opsets,
                      const ExecutableOptions &options)
        : m_options(options), m_content(std::make_unique<Executable::Content>(options)),
          m(*m_content)
    {
        m.plan = std::move(plan);
        m.opsets = std::move(opsets);
        m.values.resize(m.plan.graph.tensorBound());
        m.compiled = std::move(compiled);
    }

    Result<std::shared_ptr<Executable>> run()
    {
        takeMemory();
        for (const ExecutionStep &step : m.plan.steps) {
            Executable::Content::Run &run = m.runs.emplace_back();
            if (!step.isKernel())
                continue;
            GL_TRY_CONST(function, m.compiled.function(step.symbol));
            run.function = *function;
            for (const BufferPlace &place : step.buffers)
                run.buffers.push_back(at(place));
            for (const ExecutionStep::Fill &fill : step.fills)
                run.fills.push_back(
                    {static_cast<std::byte *>(at(fill.place)) + fill.first * fill.value.bytes,
                     fill.count, fill.value});
        }
#ifdef __GLIBC__
        ::malloc_trim(0); // weights were unpacked and transformed one by one on the heap
#endif
        m_options.progress(1, "ready");
        return std::shared_ptr<Executable>(new Executable(std::move(m_content)));
    }

private:
    void takeMemory()
    {
        m.scratch =
            m.memory.take(m.plan.scratchBytes * std::int64_t(std::max(m_options.threads, 1U)));
        std::byte *arena = nullptr;
        if (!m_options.separateTensors)
            arena = m.memory.take(m.plan.arenaBytes);
        for (const ExecutionPlan::ArenaTensor &tensor : m.plan.arena) {
            if (m_options.separateTensors)
                m.separate.push_back(alignedBytes(tensor.bytes));
            m_arena.push_back(arena ? arena + tensor.offset : m.separate.back().get());
            if (tensor.tensor.valid())
                m.places[tensor.tensor] = m_arena.back();
        }
        for (const ExecutionPlan::BorderTensor &tensor : m.plan.border)
            m_border.push_back(m.borderPlaces[tensor.tensor] = m.memory.take(tensor.bytes));
        for (const ConstantIndex constant : m.plan.constants.indices()) {
            const std::int64_t bytes = m.plan.constants[constant].bytes;
            m_constants.push_back(m.memory.take(bytes));
            writeConstant(m.plan, constant, {m_constants.back(), std::size_t(bytes)});
        }
    }

    std::byte *at(const BufferPlace &place) const
    {
        return place.arena.isValid()    ? m_arena[place.arena]
               : place.border.isValid() ? m_border[place.border]
                                        : m_constants[place.constant];
    }

    const ExecutableOptions &m_options;
    std::unique_ptr<Executable::Content> m_content;
    Executable::Content &m;
    IndexedVector<ArenaIndex, std::byte *> m_arena;
    IndexedVector<BorderIndex, std::byte *> m_border;
    IndexedVector<ConstantIndex, std::byte *> m_constants;
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
    if (refused.empty()) {
        options.progress(0.9, "laying out memory");
        GL_TRY_RESULT(plan, executionPlanOf(std::move(*generated), {options.threads, failed}));
        return ExecutableBuilder(std::move(*plan), std::move(*compiled), opsets, options).run();
    }
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
