// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/data_files.h"

#include <charconv>

namespace graphloom {

std::optional<std::uint64_t> parseSize(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return std::uint64_t(value);
}

Result<std::shared_ptr<const MappedFile>> DataFiles::find(const ExternalData &data,
                                                          std::uint64_t bytes)
{
    if (data.length && *data.length != bytes)
        return fail(Error::Kind::Model, "takes " + std::to_string(bytes) +
                                            " bytes, but its external data has length " +
                                            std::to_string(*data.length));
    auto found = m_open.find(data.location);
    if (found == m_open.end()) {
        // Mappings are a limited resource of the process.
        constexpr std::size_t mostFiles = 4096;
        if (m_open.size() == mostFiles)
            return fail(Error::Kind::Model, "external data is spread over more than " +
                                                std::to_string(mostFiles) + " files");
        GL_TRY_RESULT(file, openConfined(m_folder, data.location, m_confinement));
        GL_TRY_RESULT(mapped, MappedFile::map(*file, m_folder / data.location));
        found = m_open.emplace(data.location, std::move(*mapped)).first;
    }
    const std::uint64_t size = found->second->bytes().size();
    if (data.offset > size || bytes > size - data.offset)
        return fail(Error::Kind::Model, "needs bytes " + std::to_string(data.offset) + " to " +
                                            std::to_string(data.offset + bytes) + " of \"" +
                                            data.location + "\", which has " +
                                            std::to_string(size) + " bytes");
    return found->second;
}

} // namespace graphloom
