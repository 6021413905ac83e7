// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/onnx/files/mapped_file.h"
#include "engine/system/atomic_file.h"
#include "engine/tensors/npy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>

namespace graphloom {

namespace {

/// Returns the code points of a text. Bytes that are no UTF-8 become U+FFFD.
std::u32string codePointsOf(std::string_view text)
{
    std::u32string points;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = lead < 0x80             ? 1
                                 : (lead & 0xe0) == 0xc0 ? 2
                                 : (lead & 0xf0) == 0xe0 ? 3
                                 : (lead & 0xf8) == 0xf0 ? 4
                                                         : 0;
        char32_t point = size == 1 ? lead : size == 0 ? 0 : lead & (0x7fU >> size);
        bool good = size > 0 && i + size <= text.size();
        for (std::size_t k = 1; good && k < size; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            good = (next & 0xc0) == 0x80;
            point = point << 6 | (next & 0x3f);
        }
        points.push_back(good && point <= 0x10ffff ? point : U'\ufffd');
        i += good ? size : 1;
    }
    return points;
}

/// Writes elements one after the other as the file has them.
class NpyWriter {
public:
    NpyWriter(const TensorData &data, const TensorSlice *slice, const ReadOptions &options)
        : m_data(data), m_slice(slice), m_type(npyTypeOf(data.type())),
          m_meter(data, slice ? slice->elements() : data.elements(), options)
    {
    }

    bool write(std::ostream &out)
    {
        std::string descr(m_type.descr);
        if (m_data.type() == DataType::String) {
            m_characters = longestString();
            descr += std::to_string(m_characters);
        }
        const std::string header =
            npyHeader(descr, m_slice ? m_slice->sliceExtents() : m_data.extents());
        if (!out.write(header.data(), std::streamsize(header.size())))
            return false;
        if (!m_slice || m_slice->rank() < 2)
            return writeRun(out, 0, 1, m_data.elements());
        if (m_slice->elements() == 0)
            return true;
        for (std::int64_t row = 0; row < m_slice->rows(); ++row)
            if (!writeRun(out, *m_slice->position(row, 0), m_slice->columnStep(),
                          m_slice->columns()))
                return false;
        return true;
    }
    bool isStopped() const { return m_stopped; }

private:
    /// Writes `count` elements that are `step` apart.
    bool writeRun(std::ostream &out, std::int64_t first, std::int64_t step, std::int64_t count)
    {
        const std::int64_t atOnce = m_meter.atOnce(step);
        for (std::int64_t done = 0; done < count; done += atOnce) {
            const std::int64_t size = std::min(atOnce, count - done);
            m_bytes.clear();
            append(first + done * step, step, size);
            if (!out.write(reinterpret_cast<const char *>(m_bytes.data()),
                           std::streamsize(m_bytes.size())))
                return false;
            if (!m_meter.add(size, step, done == 0 && m_slice ? m_slice->rowStep() : 0)) {
                m_stopped = true;
                return false;
            }
        }
        return true;
    }
    void append(std::int64_t first, std::int64_t step, std::int64_t count)
    {
        if (m_data.type() == DataType::String)
            appendStrings(first, step, count);
        else if (m_type.type != m_data.type())
            appendConverted(first, step, count);
        else
            appendStored(first, step, count);
    }
    void appendStored(std::int64_t first, std::int64_t step, std::int64_t count)
    {
        const auto size = std::size_t(bitsOf(m_data.type()) / 8);
        m_bytes.resize(std::size_t(count) * size);
        const std::byte *from =
            m_data.bytes().data() + (m_data.isSplat() ? 0 : std::size_t(first) * size);
        const std::size_t apart = m_data.isSplat() ? 0 : std::size_t(step) * size;
        if (apart == size)
            std::memcpy(m_bytes.data(), from, m_bytes.size());
        else
            for (std::size_t i = 0; i < std::size_t(count); ++i)
                std::memcpy(m_bytes.data() + i * size, from + i * apart, size);
        if (m_data.type() == DataType::Bool) // NumPy knows two of them
            for (std::byte &value : m_bytes)
                value = std::byte(value != std::byte(0));
    }
    /// Appends float for reals and a byte for integers.
    void appendConverted(std::int64_t first, std::int64_t step, std::int64_t count)
    {
        std::vector<double> values(std::size_t(count), 0);
        readElements(m_data, first, step, values);
        for (const double value : values) {
            if (m_type.type == DataType::Float) {
                std::array<std::byte, sizeof(float)> stored;
                const auto narrow = float(value);
                std::memcpy(stored.data(), &narrow, sizeof narrow);
                m_bytes.insert(m_bytes.end(), stored.begin(), stored.end());
            } else {
                m_bytes.push_back(std::byte(int(value) & 0xff));
            }
        }
    }
    void appendStrings(std::int64_t first, std::int64_t step, std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            std::u32string points = codePointsOf(m_data.strings()[std::size_t(first + i * step)]);
            points.resize(m_characters, U'\0');
            const auto bytes = std::as_bytes(std::span<const char32_t>(points));
            m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
        }
    }
    std::size_t longestString() const
    {
        std::size_t longest = 1; // NumPy has no text of length 0
        for (const std::string &text : m_data.strings())
            longest = std::max(longest, codePointsOf(text).size());
        return longest;
    }

    const TensorData &m_data;
    const TensorSlice *m_slice; // null: the whole tensor
    const NpyType m_type;
    ReadMeter m_meter;
    std::size_t m_characters = 0; // of each string
    std::vector<std::byte> m_bytes;
    bool m_stopped = false;
};

Result<void> write(const TensorData &data, const TensorSlice *slice,
                   const std::filesystem::path &path, const ReadOptions &options)
{
    NpyWriter writer(data, slice, options);
    std::optional<std::filesystem::path> shrunk;
    auto written = writeFileAtomically(path, [&](std::ostream &out) {
        const bool complete = writer.write(out);
        shrunk = shrunkFileOf(data.bytes());
        return complete && !shrunk;
    });
    if (writer.isStopped())
        return stoppedError();
    if (shrunk)
        return fail(Error::Kind::Model, "was truncated after it was opened", shrunk->string());
    return written;
}

} // namespace

NpyType npyTypeOf(DataType type)
{
    switch (type) {
    case DataType::Bool:
        return {type, "|b1"};
    case DataType::Int8:
    case DataType::Int4:
        return {DataType::Int8, "|i1"};
    case DataType::Uint8:
    case DataType::Uint4:
        return {DataType::Uint8, "|u1"};
    case DataType::Int16:
        return {type, "<i2"};
    case DataType::Uint16:
        return {type, "<u2"};
    case DataType::Int32:
        return {type, "<i4"};
    case DataType::Uint32:
        return {type, "<u4"};
    case DataType::Int64:
        return {type, "<i8"};
    case DataType::Uint64:
        return {type, "<u8"};
    case DataType::Float16:
        return {type, "<f2"};
    case DataType::Double:
        return {type, "<f8"};
    case DataType::Complex64:
        return {type, "<c8"};
    case DataType::Complex128:
        return {type, "<c16"};
    case DataType::String:
        return {type, "<U"};
    default:
        return {DataType::Float, "<f4"};
    }
}

std::string npyHeader(std::string_view descr, const TensorData::Extents &extents)
{
    std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        text += (axis > 0 ? " " : "") + std::to_string(extents[axis]) +
                (axis + 1 < extents.size() || extents.size() == 1 ? "," : "");
    text += "), }";
    constexpr std::size_t alignment = 64, mostOfVersion1 = 65535;
    const auto padded = [&](std::size_t before) { // with the newline
        const std::size_t end = before + text.size() + 1;
        return (end + alignment - 1) / alignment * alignment - before;
    };
    std::string header = "\x93NUMPY";
    std::size_t size = padded(header.size() + 4);
    const bool first = size <= mostOfVersion1;
    if (!first)
        size = padded(header.size() + 6);
    header += first ? '\x01' : '\x02';
    header += '\0';
    for (int byte = 0; byte < (first ? 2 : 4); ++byte)
        header += char(size >> (8 * byte) & 0xff);
    text.resize(size - 1, ' ');
    return header + text + '\n';
}

Result<void> writeNpy(const TensorData &data, const std::filesystem::path &path,
                      const ReadOptions &options)
{
    return write(data, nullptr, path, options);
}

Result<void> writeNpy(const TensorData &data, const TensorSlice &slice,
                      const std::filesystem::path &path, const ReadOptions &options)
{
    return write(data, &slice, path, options);
}

} // namespace graphloom
