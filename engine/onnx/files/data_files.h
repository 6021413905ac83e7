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

/// Where a tensor's elements are, when they are not in the model file itself.
struct ExternalData {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length; // none: as many as the tensor needs
};

/// Reads a non-negative decimal number of at most 63 bits; anything else gives none.
std::optional<std::uint64_t> parseSize(std::string_view text);

/// The files with external data of one model, each opened and mapped once.
class DataFiles {
public:
    /// `folder` is the one that the model lies in.
    DataFiles(std::filesystem::path folder, bool followLinks)
        : m_folder(std::move(folder)), m_confinement{followLinks, false}
    {
    }

    /// The mapped file, in which [offset, offset + bytes) is known to lie. Fails (Model) when
    /// the file may not be opened, or the numbers do not fit together or into the file.
    Result<std::shared_ptr<const MappedFile>> find(const ExternalData &data, std::uint64_t bytes);

private:
    std::filesystem::path m_folder;
    Confinement m_confinement;
    std::map<std::string, std::shared_ptr<const MappedFile>> m_open;
};

} // namespace graphloom
