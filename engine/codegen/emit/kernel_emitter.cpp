// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_emitter.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/emit/image_operands.h"
#include "engine/codegen/emit/nest_emitter.h"
#include "engine/codegen/index/c_names.h"
#include "engine/codegen/storage/margin_runs.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns the number of tasks that the rows are shared out to.
std::int64_t stripsOf(const SlidingRows &sliding)
{
    return ceilDiv(sliding.rows, sliding.strip);
}

/// Returns code that fills local tensors with margins; the nests write all but the margins.
std::string filledMargins(const NestJob &job, const KernelLanguage &language, std::int64_t items)
{
    const std::string first = items > 1 ? "item" : "0";
    const std::string step = items > 1 ? "i += " + std::to_string(items) : "++i";
    std::string text;
    for (const BlockTensorIndex tensor : job.tensors->indices()) {
        const Storage &storage = (*job.storages)[tensor];
        if (job.scratch.empty() || job.scratch[tensor] < 0 || storage.margins.empty())
            continue;
        text += "    for (int64_t i = " + first + "; i < " + std::to_string(storage.elements) +
                "; " + step + ")\n        (" +
                language.inScratch(cType((*job.tensors)[tensor].type), job.scratch[tensor]) +
                ")[i] = " + storedLiteral(storage.marginValue, (*job.tensors)[tensor].type) + ";\n";
    }
    return text.empty() || items <= 1 ? text : text + language.barrier();
}

/// Returns the margins of the tensors in buffers that the nests write.
std::vector<PhaseBody::Margins> marginsOf(const std::vector<NestJob> &jobs)
{
    std::map<BufferIndex, PhaseBody::Margins> margins;
    for (const NestJob &job : jobs)
        for (const NestStore &store : job.nest->stores) {
            const BufferIndex buffer = job.buffers[store.tensor];
            const Storage &storage = (*job.storages)[store.tensor];
            const bool isLocal = !job.scratch.empty() && job.scratch[store.tensor] >= 0;
            if (isLocal || storage.margins.empty())
                continue;
            auto runs = marginRuns(storage, (*job.tensors)[store.tensor].extents);
            if (!runs.empty())
                margins[buffer] = {
                    buffer, std::move(runs),
                    storedLiteral(storage.marginValue, (*job.tensors)[store.tensor].type)};
        }
    std::vector<PhaseBody::Margins> list;
    for (auto &[buffer, of] : margins)
        list.push_back(std::move(of));
    return list;
}

} // namespace

Result<PhaseCode> emitPhase(const std::vector<NestJob> &jobs,
                            const std::optional<SlidingRows> &sliding, const std::string &name,
                            const CodeOptions &options)
{
    const KernelLanguage &language = *options.language;
    PhaseBody phase;
    phase.name = name;
    IndexedVector<LoopIndex, std::int64_t> counts;
    std::vector<NestTask> codes;
    bool hasScratch = false;
    std::int64_t items = 1;
    if (language.hasImages())
        GL_TRY(checkImages(jobs));
    for (const NestJob &job : jobs) {
        GL_TRY_RESULT(code, emitNest(job, sliding, options));
        if (!codes.empty() && code->counts != counts)
            return fail(Error::Kind::Usage, "the schedules of " + jobs.front().nest->name +
                                                " and " + job.nest->name +
                                                " do not have the same parallel loops");
        counts = code->counts;
        hasScratch = hasScratch || !code->declarations.scratch.empty();
        items = std::max(items, code->items);
        codes.push_back(std::move(*code));
    }
    phase.isShared = language.hasItems() && (hasScratch || items > 1);
    for (NestTask &code : codes) {
        // Each nest gets its own scope for names.
        const bool areAll = code.items == items;
        phase.task += (areAll ? "        {\n"
                              : "        if (item < " + std::to_string(code.items) + ") {\n") +
                      language.declarations(code.declarations) + code.body + "        }\n";
        if (items > 1)
            phase.task += language.barrier();
        phase.nests.push_back(std::move(code.declarations));
    }
    for (const LoopIndex loop : counts.indices())
        phase.counters.push_back({taskVariable(loop), counts[loop]});
    if (sliding) {
        phase.counters.push_back({"strip", stripsOf(*sliding)});
        const auto text = [](std::int64_t value) { return std::to_string(value); };
        phase.task = "        const int64_t strip_begin = strip * " + text(sliding->strip) +
                     ";\n        const int64_t strip_end = gi_min(strip_begin + " +
                     text(sliding->strip) + ", " + text(sliding->rows) +
                     ");\n        for (int64_t row = strip_begin; row < strip_end; row += " +
                     text(sliding->tile) + ") {\n        const int64_t row_end = gi_min(row + " +
                     text(sliding->tile) + ", strip_end);\n" + phase.task + "        }\n";
    }
    phase.fills = filledMargins(jobs.front(), language, items);
    if (language.fillsMargins())
        phase.margins = marginsOf(jobs);
    PhaseCode code;
    for (const PhaseBody::Counter &counter : phase.counters)
        code.tasks *= counter.count;
    if (language.hasItems()) {
        phase.items.group = phase.isShared ? items : options.group;
        phase.items.all = phase.isShared
                              ? code.tasks * items
                              : roundUp(std::max<std::int64_t>(code.tasks, 1), phase.items.group);
    }
    code.items = phase.items;
    code.text = language.function(phase);
    return code;
}

} // namespace graphloom
