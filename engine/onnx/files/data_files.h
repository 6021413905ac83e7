// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/files/confined_path.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace graphloom {

/// Tells where a tensor's elements are, if they are not in the model file itself.
struct ExternalData {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length; // absent: as many as the tensor needs
};

/// Reads a non-negative decimal number of at most 63 bits; returns nothing for anything else.
std::optional<std::uint64_t> parseSize(std::string_view text);

/// Holds the external data files of one model, each opened and mapped once.
class DataFiles {
public:
    /// `folder` is the folder of the model.
    DataFiles(std::filesystem::path folder, bool followLinks)
        : m_folder(std::move(folder)), m_confinement{followLinks, false}
    {
    }

    /// Returns the mapped file, which is known to contain [offset, offset + bytes). Fails (Model)
    /// if the file may not be opened, or if the numbers contradict each other or exceed the file.
    Result<std::shared_ptr<const MappedFile>> find(const ExternalData &data, std::uint64_t bytes);

private:
    std::filesystem::path m_folder;
    Confinement m_confinement;
    std::map<std::string, std::shared_ptr<const MappedFile>> m_open;
};

} // namespace graphloom
