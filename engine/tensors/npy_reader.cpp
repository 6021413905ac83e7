// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/element_count.h"
#include "engine/onnx/files/mapped_file.h"
#include "engine/tensors/npy.h"

#include <array>
#include <charconv>
#include <cstring>
#include <limits>

namespace graphloom {

namespace {

auto refuse(std::string reason, std::source_location raised = std::source_location::current())
{
    return fail(Error::Kind::Model, std::move(reason), {}, raised);
}

struct Header {
    std::string descr;
    bool fortran = false;
    TensorData::Extents extents;
};

/// Reads the description of an array, a literal of a Python dictionary.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : m_text(text) {}

    Result<Header> read()
    {
        Header header;
        int found = 0;
        bool good = take('{');
        while (good && !take('}')) {
            const auto key = quoted();
            good = key && take(':');
            if (!good)
                break;
            ++found;
            if (*key == "descr") {
                const auto descr = quoted();
                good = descr.has_value();
                header.descr = descr.value_or("");
            } else if (*key == "fortran_order") {
                header.fortran = word("True");
                good = header.fortran || word("False");
            } else {
                good = *key == "shape" && shape(header.extents);
            }
            take(',');
        }
        if (!good || found != 3)
            return refuse("has a header that cannot be read");
        return header;
    }

private:
    void skip()
    {
        while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == '\n'))
            m_text.remove_prefix(1);
    }
    bool word(std::string_view expected)
    {
        skip();
        if (!m_text.starts_with(expected))
            return false;
        m_text.remove_prefix(expected.size());
        return true;
    }
    bool take(char expected) { return word({&expected, 1}); }
    std::optional<std::string> quoted()
    {
        const char quote = word("'") ? '\'' : word("\"") ? '"' : '\0';
        const std::size_t end = quote ? m_text.find(quote) : std::string_view::npos;
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string text(m_text.substr(0, end));
        m_text.remove_prefix(end + 1);
        return text;
    }
    bool shape(TensorData::Extents &extents)
    {
        if (!take('('))
            return false;
        while (!take(')')) {
            skip();
            std::int64_t extent = 0;
            const char *const begin = m_text.data();
            const auto [end, error] = std::from_chars(begin, begin + m_text.size(), extent);
            if (error != std::errc())
                return false;
            m_text.remove_prefix(std::size_t(end - begin));
            take('L'); // written by Python 2
            extents.push_back(extent);
            if (!take(',') && !m_text.starts_with(')'))
                return false;
        }
        return true;
    }

    std::string_view m_text;
};

std::optional<DataType> typeOf(std::string_view descr)
{
    for (int number = 1; const auto type = dataTypeFromOnnx(number); ++number)
        if (const NpyType npy = npyTypeOf(*type); npy.type == *type && npy.descr == descr)
            return type;
    return std::nullopt;
}

/// Returns the texts of elements of `characters` code points each.
Result<TensorData> stringsOf(const Header &header, std::int64_t elements,
                             std::span<const std::byte> bytes)
{
    const std::string_view digits = std::string_view(header.descr).substr(2);
    std::uint64_t characters = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), characters);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        characters > std::numeric_limits<std::uint32_t>::max() ||
        bytes.size() / 4 / std::max<std::uint64_t>(1, characters) < std::uint64_t(elements))
        return refuse("is shorter than its header says");
    std::vector<std::string> texts;
    texts.resize(std::size_t(elements));
    const std::byte *at = bytes.data();
    for (std::string &text : texts)
        for (std::uint64_t i = 0; i < characters; ++i, at += 4) {
            std::uint32_t point = 0;
            std::memcpy(&point, at, sizeof point);
            if (point == 0)
                continue;
            if (point > 0x10ffff)
                return refuse("has a string that is not valid Unicode");
            const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
            constexpr std::array<unsigned, 4> leads{0, 0xc0, 0xe0, 0xf0};
            text += char(leads[std::size_t(more)] | point >> (6 * more));
            for (int k = more - 1; k >= 0; --k)
                text += char(0x80 | (point >> (6 * k) & 0x3f));
        }
    return TensorData::fromStrings(header.extents, std::move(texts));
}

Result<TensorData> read(const std::shared_ptr<const MappedFile> &file)
{
    const auto bytes = file->bytes();
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    constexpr std::size_t fixed = 8; // magic and version
    if (text.size() < fixed + 4 || !text.starts_with("\x93NUMPY"))
        return refuse("is not a NumPy file (.npy)");
    const int version = text[6];
    if (version < 1 || version > 3)
        return refuse("has version " + std::to_string(version) + ", which is not supported");
    const std::size_t sizeBytes = version == 1 ? 2 : 4;
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + fixed, sizeBytes); // little endian
    if (size > bytes.size() - fixed - sizeBytes)
        return refuse("is shorter than its header says");
    GL_TRY_RESULT(header, HeaderReader(text.substr(fixed + sizeBytes, size)).read());
    GL_TRY_CONST(elements, countElements(header->extents));
    if (header->fortran && header->extents.size() > 1)
        return refuse(
            "is in Fortran order, which is not supported: save numpy.ascontiguousarray() of it");
    const std::uint64_t offset = fixed + sizeBytes + size;
    const auto content = bytes.subspan(std::size_t(offset));
    if (header->descr.starts_with("<U"))
        return stringsOf(*header, *elements, content);
    if (header->descr.starts_with('>'))
        return refuse("is big-endian, which is not supported");
    const auto type = typeOf(header->descr);
    if (!type)
        return refuse("has elements of type " + header->descr + ", which ONNX does not have");
    const auto needed = std::size_t(bytesOf(*type, std::uint64_t(*elements)));
    if (needed > content.size())
        return refuse("is shorter than its header says");
    return TensorData::fromMapped(*type, std::move(header->extents), content.first(needed), file,
                                  file->identity(offset, needed));
}

} // namespace

Result<TensorData> readNpy(const std::filesystem::path &path)
{
    GL_TRY_CONST(file, MappedFile::open(path, std::numeric_limits<std::int64_t>::max()));
    auto data = read(*file);
    if (!data)
        return fail(data.error().kind, data.error().message, path.string());
    return data;
}

} // namespace graphloom
