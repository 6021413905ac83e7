// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/format/external_name.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view dataEnding = ".data";
constexpr std::size_t hashDigits = 16;

bool isDataOf(const fs::path &file, const fs::path &model)
{
    const std::string name = file.filename().string();
    const std::string begin = model.filename().string() + ".";
    if (!name.starts_with(begin) || !name.ends_with(dataEnding) ||
        name.size() != begin.size() + hashDigits + dataEnding.size())
        return false;
    const std::string_view middle = std::string_view(name).substr(begin.size(), hashDigits);
    return middle.find_first_not_of("0123456789abcdef") == middle.npos;
}

} // namespace

std::string externalDataName(const fs::path &model, const Graph &graph, bool flat)
{
    // The graph and the form in which it is written determine the elements and their order.
    std::uint64_t hash = combine(graph.hash(), std::uint64_t(flat));
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant)
            continue;
        const TensorData &data = *graph.tensor(id).constant;
        hash = combine(hash, hashBytes(data.bytes()));
        data.release();
    }
    std::array<char, hashDigits + 1> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
    return model.filename().string() + "." + text.data() + std::string(dataEnding);
}

void removeOldData(const fs::path &model, const std::string &kept)
{
    std::vector<fs::path> old;
    std::error_code error;
    const fs::path folder = model.parent_path();
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
         !error && entry != end; entry.increment(error))
        if (isDataOf(entry->path(), model) && entry->path().filename() != kept)
            old.push_back(entry->path());
    for (const fs::path &file : old)
        fs::remove(file, error);
}

} // namespace graphloom
