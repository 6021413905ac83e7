// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/spill.h"

#include "engine/system/scratch_file.h"

namespace graphloom {

namespace {

constexpr std::size_t large = std::size_t{1} << 18; // bytes; below, a file costs more than it saves

TensorData spilled(TensorData data)
{
    if (data.isMapped() || data.bytes().size() < large)
        return data;
    const auto file = ScratchFile::of(data.bytes());
    if (!file)
        return data;
    return TensorData::fromMapped(data.type(), data.extents(), file->bytes(), file);
}

} // namespace

std::vector<TensorData> spilled(std::vector<TensorData> results,
                                const std::vector<const TensorData *> &inputs)
{
    for (TensorData &data : results) {
        data = spilled(std::move(data));
        data.release();
    }
    for (const TensorData *input : inputs)
        if (input && input->bytes().size() >= large)
            input->release();
    return results;
}

} // namespace graphloom
