// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/image_operands.h"

#include "engine/codegen/schedule/image_reads.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns the elements of the operand of a read, as it is stored.
std::int64_t elementsOf(const NestJob &job, ReadIndex read)
{
    const PackedOperands packed = packedOperandsOf(*job.nest, *job.schedule);
    const auto operand = std::ranges::find(packed, read, &PackedOperand::read);
    return operand != packed.end() ? operand->elements()
                                   : (*job.storages)[job.nest->reads[read].tensor].elements;
}

} // namespace

Result<void> checkImages(const std::vector<NestJob> &jobs)
{
    const auto isWritten = [&](BlockTensorIndex tensor) {
        return std::ranges::any_of(jobs, [&](const NestJob &job) {
            return std::ranges::count(job.nest->stores, tensor, &NestStore::tensor) > 0;
        });
    };
    for (const NestJob &job : jobs)
        for (const ReadIndex read : job.schedule->images()) {
            const BlockTensorIndex tensor = job.nest->reads[read].tensor;
            const char *why = "";
            if (!canBeImage((*job.tensors)[tensor].type))
                why = "images have no elements of its type";
            else if (elementsOf(job, read) % texelElements != 0)
                why = "its elements are no whole number of texels, which have four";
            else if (!job.scratch.empty() && job.scratch[tensor] >= 0)
                why = "what it reads is in the memory of a task";
            else if (isWritten(tensor))
                why = "the same kernel writes what it reads";
            else
                continue;
            return fail(Error::Kind::Usage,
                        "read " + std::to_string(read.number()) + " cannot be an image: " + why,
                        job.nest->name);
        }
    return {};
}

} // namespace graphloom
