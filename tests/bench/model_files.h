// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace graphloom::bench {

/// Returns the models in a folder and those inside of it whose names contain `name`, sorted.
inline std::vector<std::filesystem::path> modelFiles(const std::filesystem::path &folder,
                                                     const std::string &name)
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".onnx" &&
            entry.path().stem().string().find(name) != std::string::npos)
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

} // namespace graphloom::bench
