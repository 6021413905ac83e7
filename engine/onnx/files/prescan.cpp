// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/prescan.h"

#include "engine/onnx/format/wire.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace graphloom {

namespace {

/// Kinds of messages, as far as their fields matter here.
enum class Kind : std::uint8_t {
    Text, // a string or bytes: a leaf
    RawData,
    Packed,
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    Sparse,
    ValueInfo,
    Type,
    TensorType,
    SequenceType,
    MapType,
    TensorShape,
    Dimension,
    Entry,
    Annotation,
    Opset,
    Training,
    Function,
    Count,
};

/// Fields of onnx.proto that are messages or that repeat, up to ONNX 1.17.
struct FieldKind {
    Kind message;
    std::uint32_t number;
    Kind content;
};
constexpr FieldKind fieldKinds[] = {
    {Kind::Model, 7, Kind::Graph},
    {Kind::Model, 8, Kind::Opset},
    {Kind::Model, 14, Kind::Entry},
    {Kind::Model, 20, Kind::Training},
    {Kind::Model, 25, Kind::Function},
    {Kind::Graph, 1, Kind::Node},
    {Kind::Graph, 5, Kind::Tensor},
    {Kind::Graph, 11, Kind::ValueInfo},
    {Kind::Graph, 12, Kind::ValueInfo},
    {Kind::Graph, 13, Kind::ValueInfo},
    {Kind::Graph, 14, Kind::Annotation},
    {Kind::Graph, 15, Kind::Sparse},
    {Kind::Graph, 16, Kind::Entry},
    {Kind::Node, 5, Kind::Attribute},
    {Kind::Node, 9, Kind::Entry},
    {Kind::Attribute, 5, Kind::Tensor},
    {Kind::Attribute, 6, Kind::Graph},
    {Kind::Attribute, 7, Kind::Packed},
    {Kind::Attribute, 8, Kind::Packed},
    {Kind::Attribute, 10, Kind::Tensor},
    {Kind::Attribute, 11, Kind::Graph},
    {Kind::Attribute, 14, Kind::Type},
    {Kind::Attribute, 15, Kind::Type},
    {Kind::Attribute, 22, Kind::Sparse},
    {Kind::Attribute, 23, Kind::Sparse},
    {Kind::Tensor, 1, Kind::Packed},
    {Kind::Tensor, 4, Kind::Packed},
    {Kind::Tensor, 5, Kind::Packed},
    {Kind::Tensor, 7, Kind::Packed},
    {Kind::Tensor, 9, Kind::RawData},
    {Kind::Tensor, 10, Kind::Packed},
    {Kind::Tensor, 11, Kind::Packed},
    {Kind::Tensor, 13, Kind::Entry},
    {Kind::Tensor, 16, Kind::Entry},
    {Kind::Sparse, 1, Kind::Tensor},
    {Kind::Sparse, 2, Kind::Tensor},
    {Kind::Sparse, 3, Kind::Packed},
    {Kind::ValueInfo, 2, Kind::Type},
    {Kind::ValueInfo, 4, Kind::Entry},
    {Kind::Type, 1, Kind::TensorType},
    {Kind::Type, 4, Kind::SequenceType},
    {Kind::Type, 5, Kind::MapType},
    {Kind::Type, 8, Kind::TensorType},
    {Kind::Type, 9, Kind::SequenceType},
    {Kind::TensorType, 2, Kind::TensorShape},
    {Kind::SequenceType, 1, Kind::Type},
    {Kind::MapType, 2, Kind::Type},
    {Kind::TensorShape, 1, Kind::Dimension},
    {Kind::Annotation, 2, Kind::Entry},
    {Kind::Training, 1, Kind::Graph},
    {Kind::Training, 2, Kind::Graph},
    {Kind::Training, 3, Kind::Entry},
    {Kind::Training, 4, Kind::Entry},
    {Kind::Function, 7, Kind::Node},
    {Kind::Function, 9, Kind::Opset},
    {Kind::Function, 11, Kind::Attribute},
    {Kind::Function, 12, Kind::ValueInfo},
    {Kind::Function, 14, Kind::Entry},
};

constexpr std::uint32_t fieldBound = 26;
using KindTable = std::array<std::array<Kind, fieldBound>, std::size_t(Kind::Count)>;

constexpr KindTable makeKindTable()
{
    KindTable table{};
    for (const FieldKind &field : fieldKinds)
        table[std::size_t(field.message)][field.number] = field.content;
    return table;
}
constexpr KindTable kindTable = makeKindTable();

Kind contentOf(Kind message, std::uint32_t number)
{
    return number < fieldBound ? kindTable[std::size_t(message)][number] : Kind::Text;
}

/// Upper bounds of the memory that one field or message takes, without the text in it.
constexpr std::uint64_t textCost = 48, valueCost = 32;
constexpr std::uint64_t costOf(Kind kind)
{
    switch (kind) {
    case Kind::Model:
    case Kind::Graph:
    case Kind::Attribute:
    case Kind::Tensor:
        return 400;
    case Kind::Node:
    case Kind::Function:
        return 300;
    case Kind::RawData:
    case Kind::Packed:
    case Kind::Text:
        return textCost;
    default:
        return 120;
    }
}

/// 9 bytes of magic and 14 digits: an odd length, which data of 2-, 4- or 8-byte elements lacks.
constexpr std::string_view magic = "#payload:";
constexpr std::size_t placeholderSize = 23;

std::string placeholder(std::uint64_t payload)
{
    std::array<char, placeholderSize + 1> text;
    std::snprintf(text.data(), text.size(), "#payload:%014llu",
                  static_cast<unsigned long long>(payload));
    return {text.data(), placeholderSize};
}

class Scanner {
public:
    Scanner(std::span<const std::byte> file, const ImportOptions &options, const std::string &path)
        : m_file(file), m_options(options), m_path(path)
    {
    }

    Result<Prescan> run()
    {
        GL_TRY(enter(Kind::Model, {0, WireField::Kind::Bytes, 0, 0, 0, m_file.size()}));
        while (!m_stack.empty()) {
            GL_TRY(step());
        }
        std::ranges::sort(m_result.splices, {}, &Prescan::Splice::begin);
        return std::move(m_result);
    }

private:
    struct Level {
        Kind kind;
        WireReader reader;
        WireField field;        // this message as a field of its parent
        std::int64_t grown = 0; // bytes that splices add to it
    };

    tl::unexpected<Error> refuse(std::string reason, std::uint64_t at) const
    {
        return fail(Error::Kind::Model, std::move(reason), m_path + ", byte " + std::to_string(at));
    }

    tl::unexpected<Error> tooMany(std::string_view what, std::uint64_t most, std::uint64_t at) const
    {
        return refuse("exceeds the limit of " + std::to_string(most) + " " + std::string(what), at);
    }

    Result<void> charge(std::uint64_t cost, std::uint64_t at)
    {
        m_cost += cost;
        if (m_cost > m_options.maxMessageBytes)
            return refuse("exceeds the limit of " +
                              std::to_string(m_options.maxMessageBytes >> 20) +
                              " MiB of memory for the structure of a model",
                          at);
        return {};
    }

    Result<void> enter(Kind kind, const WireField &field)
    {
        m_graphs += kind == Kind::Graph;
        m_types += kind == Kind::Type;
        if (m_graphs > m_options.maxDepth || m_types > m_options.maxDepth)
            return refuse(std::string(kind == Kind::Graph ? "graphs" : "types") +
                              " are nested more than " + std::to_string(m_options.maxDepth) +
                              " deep",
                          field.begin);
        if ((kind == Kind::Node && ++m_result.nodes > m_options.maxNodes))
            return tooMany("nodes", m_options.maxNodes, field.begin);
        if (kind == Kind::Node && m_stack.size() == 2 && m_stack[1].kind == Kind::Graph)
            ++m_result.graphNodes;
        if ((kind == Kind::Tensor || kind == Kind::ValueInfo) &&
            ++m_result.tensors > m_options.maxTensors)
            return tooMany("tensors", m_options.maxTensors, field.begin);
        m_stack.push_back({kind, WireReader(m_file, field.begin, field.end), field});
        return {};
    }

    void leave()
    {
        const Level level = m_stack.back();
        m_stack.pop_back();
        m_graphs -= level.kind == Kind::Graph;
        m_types -= level.kind == Kind::Type;
        if (level.grown == 0 || m_stack.empty())
            return;
        const auto size = std::uint64_t(std::int64_t(level.field.size()) + level.grown);
        m_result.splices.push_back({level.field.lengthAt, level.field.begin, size, false});
        m_stack.back().grown += level.grown + std::int64_t(varintSize(size)) -
                                std::int64_t(level.field.begin - level.field.lengthAt);
    }

    Result<void> step()
    {
        Level &level = m_stack.back();
        if (level.reader.atEnd()) {
            leave();
            return {};
        }
        if ((++m_steps & 0xffff) == 0 && m_options.stop.stop_requested())
            return fail(Error::Kind::Model, "reading was cancelled", m_path);
        const std::uint64_t at = level.reader.position();
        const auto field = level.reader.next();
        if (!field)
            return refuse(at == 0 ? "is not an ONNX model (no protobuf message)"
                                  : std::string(level.reader.defect()),
                          at);
        if (field->kind != WireField::Kind::Bytes)
            return charge(valueCost, at);
        const Kind kind = contentOf(level.kind, field->number);
        GL_TRY(charge(costOf(kind), at));
        switch (kind) {
        case Kind::Text:
            if (level.kind == Kind::Node && field->number == 2 &&
                ++m_result.tensors > m_options.maxTensors)
                return tooMany("tensors", m_options.maxTensors, at);
            return {};
        case Kind::Packed:
            return {};
        case Kind::RawData:
            takePayload(*field);
            return {};
        default:
            return enter(kind, *field);
        }
    }

    void takePayload(const WireField &field)
    {
        if (field.size() < leastPayload && field.size() != placeholderSize)
            return;
        m_result.splices.push_back({field.lengthAt, field.end, m_result.payloads.size(), true});
        m_result.payloads.push_back({field.begin, field.size()});
        m_stack.back().grown +=
            std::int64_t(1 + placeholderSize) - std::int64_t(field.end - field.lengthAt);
    }

    std::span<const std::byte> m_file;
    const ImportOptions &m_options;
    const std::string &m_path;
    std::vector<Level> m_stack;
    Prescan m_result;
    int m_graphs = 0, m_types = 0;
    std::uint64_t m_cost = 0, m_steps = 0;
};

} // namespace

Result<Prescan> prescan(std::span<const std::byte> file, const ImportOptions &options,
                        const std::string &path)
{
    return Scanner(file, options, path).run();
}

std::optional<std::size_t> payloadOf(std::string_view rawData)
{
    if (rawData.size() != placeholderSize || !rawData.starts_with(magic))
        return std::nullopt;
    return std::size_t(
        std::strtoull(std::string(rawData.substr(magic.size())).c_str(), nullptr, 10));
}

bool SplicedStream::Next(const void **data, int *size)
{
    if (m_backedUp > 0) {
        *data = m_chunkEnd - m_backedUp;
        *size = std::exchange(m_backedUp, 0);
        return true;
    }
    const bool spliced = m_nextSplice < m_splices.size();
    if (spliced && m_splices[m_nextSplice].begin == m_at) {
        const auto &splice = m_splices[m_nextSplice++];
        m_replacement.clear();
        if (splice.payload)
            appendVarint(m_replacement, placeholderSize);
        if (splice.payload)
            m_replacement += placeholder(splice.value);
        else
            appendVarint(m_replacement, splice.value);
        m_at = splice.end;
        *data = m_replacement.data();
        *size = int(m_replacement.size());
    } else {
        const std::uint64_t until = spliced ? m_splices[m_nextSplice].begin : m_file.size();
        if (m_at == until)
            return false;
        *data = m_file.data() + m_at;
        *size = int(std::min<std::uint64_t>(until - m_at, INT_MAX));
        m_at += std::uint64_t(*size);
    }
    m_chunkEnd = static_cast<const char *>(*data) + *size;
    m_given += *size;
    return true;
}

void SplicedStream::BackUp(int count)
{
    m_backedUp = count;
}

bool SplicedStream::Skip(int count)
{
    const void *data = nullptr;
    int size = 0;
    while (count > 0) {
        if (!Next(&data, &size))
            return false;
        if (size > count)
            BackUp(size - count);
        count -= std::min(count, size);
    }
    return true;
}

} // namespace graphloom
