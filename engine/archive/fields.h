// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/byte_stream.h"
#include "engine/ir/dim.h"
#include "engine/ir/dim_reader.h"
#include "engine/ir/graph.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace graphloom {

struct Model;
struct TrainingRecord;
struct Partition;
struct RewriteLog;
struct FusionPlan;
struct LayoutPlan;
struct KernelPlan;
struct MemoryPlan;
struct MemorySchedule;
struct SearchRecord;
struct Device;
struct Plan;

/// Kinds of objects; their numbers are part of the format.
enum class ObjectKind : std::uint8_t {
    Graph = 1,
    Content,
    File,
    Model,
    Training,
    Partition,
    Rewrite,
    Fusion,
    Layouts,
    Kernels,
    Memory,
    Search,
    Plan,
    Schedule,
    Device,
    Node,
    Tensor,
};
template <class T> inline constexpr ObjectKind objectKind = ObjectKind::Plan;
template <> inline constexpr ObjectKind objectKind<Model> = ObjectKind::Model;
template <> inline constexpr ObjectKind objectKind<TrainingRecord> = ObjectKind::Training;
template <> inline constexpr ObjectKind objectKind<Partition> = ObjectKind::Partition;
template <> inline constexpr ObjectKind objectKind<RewriteLog> = ObjectKind::Rewrite;
template <> inline constexpr ObjectKind objectKind<FusionPlan> = ObjectKind::Fusion;
template <> inline constexpr ObjectKind objectKind<LayoutPlan> = ObjectKind::Layouts;
template <> inline constexpr ObjectKind objectKind<KernelPlan> = ObjectKind::Kernels;
template <> inline constexpr ObjectKind objectKind<MemoryPlan> = ObjectKind::Memory;
template <> inline constexpr ObjectKind objectKind<MemorySchedule> = ObjectKind::Schedule;
template <> inline constexpr ObjectKind objectKind<SearchRecord> = ObjectKind::Search;
template <> inline constexpr ObjectKind objectKind<Device> = ObjectKind::Device;
template <> inline constexpr ObjectKind objectKind<Node> = ObjectKind::Node;
template <> inline constexpr ObjectKind objectKind<Tensor> = ObjectKind::Tensor;

/// Connects the structures of an archive with the objects that they share, each with a number by
/// which they name it. Constants and graphs are stored in their own ways.
class ObjectLinks {
public:
    virtual ~ObjectLinks() = default;

    virtual void write(ByteWriter &out, const Graph &graph) = 0;
    virtual void read(ByteReader &in, Graph &graph) = 0;
    /// Writes a graph in an attribute, which is not shared.
    virtual void writeNested(ByteWriter &out, const Graph &graph) = 0;
    virtual void readNested(ByteReader &in, Graph &graph) = 0;
    virtual void write(ByteWriter &out, const TensorData &data) = 0;
    virtual void read(ByteReader &in, std::optional<TensorData> &data) = 0;

    /// Returns the object's number; if it has none yet, `encode` writes the object.
    virtual std::uint64_t numberOf(const std::shared_ptr<const void> &object, ObjectKind kind,
                                   const std::function<void(ByteWriter &)> &encode) = 0;
    /// Returns the object of a number; `decode` reads an object that was not read yet. If there is
    /// no such object of this kind, returns null and `in` refuses.
    virtual std::shared_ptr<const void>
    objectAt(ByteReader &in, std::uint64_t number, ObjectKind kind,
             const std::function<std::shared_ptr<const void>(ByteReader &)> &decode) = 0;
};

/// Returns the last value of a stored enumeration: no number may be larger.
constexpr DataType lastOf(DataType)
{
    return DataType::Float4E2M1;
}

/// Writes structures. The form of a structure is defined once, for writing and reading:
///     template <class Archive> void fields(Archive &archive, Subgraph &subgraph)
///     {
///         archive(subgraph.nodes, subgraph.weight);
///     }
/// `Archive` is a FieldWriter, which only reads the structure, or a FieldReader.
class FieldWriter {
public:
    FieldWriter(ByteWriter &out, ObjectLinks &links) : m_out(out), m_links(links) {}

    template <class... T> void operator()(const T &...values) { (write(values), ...); }
    ByteWriter &out() { return m_out; }
    ObjectLinks &links() { return m_links; }

private:
    void write(bool value) { m_out.number(value); }
    void write(double value) { m_out.real(value); }
    void write(float value) { m_out.real(value); }
    void write(const std::string &value) { m_out.text(value); }
    void write(NodeId id) { m_out.number(id.index + 1u); } // an invalid id is 0
    void write(TensorId id) { m_out.number(id.index + 1u); }
    void write(const Dim &dim);
    void write(const Graph &graph) { m_links.write(m_out, graph); }
    void write(const TensorData &data) { m_links.write(m_out, data); }
    void write(const std::shared_ptr<const Graph> &graph) { m_links.writeNested(m_out, *graph); }
    template <class T> void write(const std::shared_ptr<const T> &object)
    {
        // 0 stands for none.
        m_out.number(object ? m_links.numberOf(object, objectKind<T>,
                                               [&](ByteWriter &inner) {
                                                   FieldWriter(inner, m_links)(*object);
                                               }) +
                                  1
                            : 0);
    }
    template <class T> void write(const T &value)
    {
        if constexpr (std::is_enum_v<T>)
            m_out.number(std::uint64_t(value));
        else if constexpr (std::is_unsigned_v<T>)
            m_out.number(value);
        else if constexpr (std::is_integral_v<T>)
            m_out.integer(value);
        else
            fields(*this, const_cast<T &>(value)); // which a FieldWriter does not change
    }
    template <class T> void write(const std::vector<T> &values)
    {
        m_out.number(values.size());
        for (const auto &value : values)
            write(static_cast<const T &>(value));
    }
    template <class K, class T> void write(const std::map<K, T> &values)
    {
        m_out.number(values.size());
        for (const auto &value : values)
            write(value);
    }
    template <class A, class B> void write(const std::pair<A, B> &pair)
    {
        write(pair.first);
        write(pair.second);
    }
    template <class T> void write(const std::optional<T> &value)
    {
        write(value.has_value());
        if (value)
            write(*value);
    }
    template <class... T> void write(const std::variant<T...> &value)
    {
        m_out.number(value.index());
        std::visit([this](const auto &content) { write(content); }, value);
    }

    ByteWriter &m_out;
    ObjectLinks &m_links;
};

class FieldReader {
public:
    FieldReader(ByteReader &in, ObjectLinks &links) : m_in(in), m_links(links) {}

    template <class... T> void operator()(T &...values) { (read(values), ...); }
    ByteReader &in() { return m_in; }
    ObjectLinks &links() { return m_links; }

private:
    void read(bool &value) { value = m_in.number() != 0; }
    void read(double &value) { value = m_in.real(); }
    void read(float &value) { value = m_in.realFloat(); }
    void read(std::string &value) { value = m_in.text(); }
    void read(NodeId &id) { id.index = index(); }
    void read(TensorId &id) { id.index = index(); }
    void read(Dim &dim);
    void read(Graph &graph) { m_links.read(m_in, graph); }
    void read(std::shared_ptr<const Graph> &graph)
    {
        auto nested = std::make_shared<Graph>();
        m_links.readNested(m_in, *nested);
        graph = std::move(nested);
    }
    template <class T> void read(std::shared_ptr<const T> &object)
    {
        object = nullptr;
        if (const std::uint64_t number = m_in.number())
            object = std::static_pointer_cast<const T>(
                m_links.objectAt(m_in, number - 1, objectKind<T>, [this](ByteReader &inner) {
                    auto read = std::make_shared<T>();
                    FieldReader(inner, m_links)(*read);
                    return std::shared_ptr<const void>(std::move(read));
                }));
    }
    std::uint32_t index() { return std::uint32_t(m_in.number()) - 1u; }
    template <class T> void read(T &value)
    {
        if constexpr (std::is_enum_v<T>) {
            const std::uint64_t number = m_in.number();
            if (number > std::uint64_t(lastOf(T{})))
                m_in.refuse("has an unknown enumerator");
            else
                value = T(number);
        } else if constexpr (std::is_unsigned_v<T>) {
            value = T(m_in.number());
        } else if constexpr (std::is_integral_v<T>) {
            value = T(m_in.integer());
        } else {
            fields(*this, value);
        }
    }
    template <class T> void read(std::vector<T> &values)
    {
        const std::size_t count = m_in.count();
        values.clear();
        values.reserve(std::min<std::size_t>(count, 4096));
        for (std::size_t i = 0; i < count && !m_in.failed(); ++i) {
            if constexpr (std::is_same_v<T, TensorData>) {
                std::optional<TensorData> data;
                m_links.read(m_in, data);
                if (data)
                    values.push_back(*std::move(data));
            } else {
                T value{};
                read(value);
                values.push_back(std::move(value));
            }
        }
    }
    template <class K, class T> void read(std::map<K, T> &values)
    {
        const std::size_t count = m_in.count();
        values.clear();
        for (std::size_t i = 0; i < count && !m_in.failed(); ++i) {
            std::pair<K, T> value{};
            read(value);
            values.insert(std::move(value));
        }
    }
    template <class A, class B> void read(std::pair<A, B> &pair)
    {
        read(pair.first);
        read(pair.second);
    }
    template <class T> void read(std::optional<T> &value)
    {
        bool has = false;
        read(has);
        value.reset();
        if (has && !m_in.failed())
            read(value.emplace());
    }
    template <class... T> void read(std::variant<T...> &value)
    {
        const std::uint64_t choice = m_in.number();
        std::size_t i = 0;
        const bool known = ((choice == i++ ? (readAs<T>(value), true) : false) || ...);
        if (!known)
            m_in.refuse("has a value of unknown kind");
    }
    template <class T, class Variant> void readAs(Variant &value)
    {
        if constexpr (std::is_same_v<T, TensorData>) {
            std::optional<TensorData> data;
            m_links.read(m_in, data);
            if (data)
                value = *std::move(data);
        } else {
            T content{};
            read(content);
            value = std::move(content);
        }
    }

    ByteReader &m_in;
    ObjectLinks &m_links;
};

} // namespace graphloom
