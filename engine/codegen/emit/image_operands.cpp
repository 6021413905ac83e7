// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/image_operands.h"

#include "engine/codegen/schedule/image_reads.h"

#include <algorithm>

namespace graphloom {

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
            else if (operandElements(*job.nest, *job.schedule, read, (*job.storages)[tensor]) %
                         texelElements !=
                     0)
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
