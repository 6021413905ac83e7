// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/spill.h"

#include "engine/system/scratch_file.h"

#include <optional>

namespace graphloom {

namespace {

/// Returns a copy in an unnamed file; nothing if the elements are few or there is no room.
std::optional<TensorData> inScratchFile(const TensorData &data)
{
    const auto file = data.bytes().size() < leastSpilled ? nullptr : ScratchFile::of(data.bytes());
    if (!file)
        return std::nullopt;
    return TensorData::fromMapped(data.type(), data.extents(), file->bytes(), file);
}

} // namespace

TensorData spilled(TensorData data)
{
    if (data.isMapped())
        return data;
    auto copy = inScratchFile(data);
    return copy ? *std::move(copy) : data;
}

TensorData detached(const TensorData &data)
{
    if (!data.isMapped())
        return data;
    auto copy = inScratchFile(data);
    if (!copy)
        copy = TensorData::fromBytes(data.type(), data.extents(),
                                     {data.bytes().begin(), data.bytes().end()});
    data.release();
    return *std::move(copy);
}

std::vector<TensorData> spilled(std::vector<TensorData> results,
                                const std::vector<const TensorData *> &inputs)
{
    for (TensorData &data : results) {
        data = spilled(std::move(data));
        data.release();
    }
    for (const TensorData *input : inputs)
        if (input && input->bytes().size() >= leastSpilled)
            input->release();
    return results;
}

} // namespace graphloom
