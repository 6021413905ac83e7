// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/tensor_codec.h"

#include "engine/ir/dim.h"

namespace graphloom {

namespace {

enum ElementForm : std::uint64_t { Here, Splat, Strings, Elsewhere };
constexpr std::uint64_t fewBytes = 256;

/// Returns the product of the extents; nothing if no tensor can have them.
std::optional<std::uint64_t> elementsOf(const TensorData::Extents &extents)
{
    std::uint64_t elements = 1;
    for (const std::int64_t extent : extents)
        if (extent < 0 || __builtin_mul_overflow(elements, std::uint64_t(extent), &elements) ||
            elements > std::uint64_t{1} << 56)
            return std::nullopt;
    return elements;
}

std::vector<std::byte> ownBytes(std::string_view bytes)
{
    const auto view = std::as_bytes(std::span(bytes.data(), bytes.size()));
    return {view.begin(), view.end()};
}

} // namespace

void writeTensor(ByteWriter &out, const TensorData &data,
                 const std::function<void(ByteWriter &)> &place)
{
    out.number(std::uint64_t(data.type()));
    out.number(data.extents().size());
    for (const std::int64_t extent : data.extents())
        out.integer(extent);
    if (data.type() == DataType::String) {
        out.number(Strings);
        out.number(data.strings().size());
        for (const std::string &text : data.strings())
            out.text(text);
    } else if (data.isSplat()) {
        out.number(Splat);
        out.number(data.bytes().size());
        out.raw(data.bytes());
    } else if (data.bytes().size() <= fewBytes) {
        out.number(Here);
        out.raw(data.bytes());
    } else {
        out.number(Elsewhere);
        place(out);
    }
}

std::optional<TensorData>
readTensor(ByteReader &in, const std::function<StoredElements(ByteReader &, std::uint64_t)> &find)
{
    const std::uint64_t typeNumber = in.number();
    const auto type = DataType(typeNumber);
    TensorData::Extents extents(in.count());
    for (std::int64_t &extent : extents)
        extent = in.integer();
    const auto elements = elementsOf(extents);
    if (typeNumber > std::uint64_t(DataType::Float4E2M1) || !elements ||
        extents.size() > highestRank) {
        in.refuse("has a constant with an invalid size or type");
        return std::nullopt;
    }
    const std::uint64_t form = in.number();
    if ((form == Strings) != (type == DataType::String) || type == DataType::Undefined) {
        in.refuse("has a constant whose elements do not match its type");
        return std::nullopt;
    }
    if (form == Strings) {
        std::vector<std::string> strings(in.count());
        for (std::string &text : strings)
            text = in.text();
        if (strings.size() != *elements)
            in.refuse("has a constant of the wrong size");
        return in.failed()
                   ? std::nullopt
                   : std::optional(TensorData::fromStrings(std::move(extents), std::move(strings)));
    }
    if (form == Splat) {
        const std::string_view element = in.raw(in.count());
        if (element.size() != graphloom::bytesOf(type, 1))
            in.refuse("has a uniform constant whose element has the wrong size");
        return in.failed()
                   ? std::nullopt
                   : std::optional(TensorData::splat(type, std::move(extents), ownBytes(element)));
    }
    const std::uint64_t bytes = graphloom::bytesOf(type, *elements);
    if (form == Here) {
        const std::string_view all = in.raw(std::size_t(bytes));
        return in.failed()
                   ? std::nullopt
                   : std::optional(TensorData::fromBytes(type, std::move(extents), ownBytes(all)));
    }
    if (form != Elsewhere) {
        in.refuse("has a constant of unknown encoding");
        return std::nullopt;
    }
    const StoredElements found = find(in, bytes);
    if (in.failed())
        return std::nullopt;
    if (!found.mapped)
        return TensorData::fromShared(type, std::move(extents), found.bytes, found.owner);
    return TensorData::fromMapped(type, std::move(extents), found.bytes, found.owner,
                                  found.identity);
}

} // namespace graphloom
