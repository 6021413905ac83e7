// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/plan_store.h"

#include "engine/archive/graph_codec.h"
#include "engine/archive/plan_fields.h"
#include "engine/archive/tensor_codec.h"
#include "engine/plan/plan_check.h"
#include "engine/system/scratch_file.h"

#include <algorithm>

namespace graphloom {

namespace {

// Objects of a temporary store beside another one are numbered from here; the other one never
// gets that far.
constexpr std::uint64_t besideFirst = std::uint64_t{1} << 48;
constexpr std::size_t recentGraphs = 4;
constexpr std::size_t largeContent = std::size_t{1} << 20; // bytes

std::span<const std::byte> bytesOf(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// Reads the version with which every object begins.
void checkVersion(ByteReader &in)
{
    const std::uint64_t version = in.number();
    if (version > archiveVersion)
        in.refuse("was written by a later version of Graphloom; open it with that version");
    else if (version < archiveVersion)
        in.refuse(
            "was written by an earlier version of Graphloom in another format; open it with that "
            "version, or create the plan again");
}

} // namespace

PlanStore::PlanStore(Access access, std::uint64_t first)
    : m_access(std::move(access)), m_next(first)
{
}

PlanStore::PlanStore(Access access, const PlanStore &base)
    : m_access(std::move(access)), m_base(&base), m_next(besideFirst), m_recent(base.m_recent)
{
}

bool PlanStore::isBeside(std::uint64_t number)
{
    return number >= besideFirst;
}

std::uint64_t PlanStore::put(const Plan &plan)
{
    return keepObject(ObjectKind::Plan, nullptr,
                      [&](ByteWriter &out) { FieldWriter(out, *this)(plan); });
}

Result<Plan> PlanStore::get(std::uint64_t number)
{
    GL_TRY_CONST(bytes, m_access.fetch(number));
    ByteReader in(*bytes);
    Plan plan;
    checkVersion(in);
    if (in.number() != std::uint64_t(ObjectKind::Plan))
        in.refuse("is not a plan");
    FieldReader(in, *this)(plan);
    if (!in.failed() && (!in.atEnd() || !plan.model))
        in.refuse("is damaged");
    if (in.failed())
        return fail(Error::Kind::Model, "a stored plan cannot be read: it " + in.problem());
    GL_TRY(checkPlan(plan));
    return plan;
}

Result<std::shared_ptr<const MappedFile>> PlanStore::openUnchanged(const ArchivedFile &file)
{
    auto mapped = MappedFile::open(file.path, file.bytes, file.identity);
    if (mapped && ((*mapped)->version() != file.version || (*mapped)->bytes().size() != file.bytes))
        return fail(Error::Kind::Model, "has changed since it was opened; open it again",
                    file.path);
    return mapped;
}

std::uint64_t PlanStore::keepObject(ObjectKind kind, std::shared_ptr<const void> content,
                                    const std::function<void(ByteWriter &)> &encode)
{
    ByteWriter out;
    out.number(archiveVersion);
    out.number(std::uint64_t(kind));
    encode(out);
    const std::uint64_t number = m_next++; // after those that it refers to
    m_access.keep(number, out.take());
    if (content)
        remember(number, {kind, std::move(content)});
    return number;
}

void PlanStore::remember(std::uint64_t number, Object object)
{
    m_numbers.emplace(object.content.get(), number);
    m_objects.emplace(number, std::move(object));
}

const PlanStore::Object *PlanStore::find(std::uint64_t number) const
{
    const auto found = m_objects.find(number);
    return found != m_objects.end() ? &found->second : m_base ? m_base->find(number) : nullptr;
}

std::optional<std::uint64_t> PlanStore::numberOf(const void *object) const
{
    const auto found = m_numbers.find(object);
    return found != m_numbers.end() ? std::optional(found->second)
           : m_base                 ? m_base->numberOf(object)
                                    : std::nullopt;
}

std::uint64_t PlanStore::numberOf(const std::shared_ptr<const void> &object, ObjectKind kind,
                                  const std::function<void(ByteWriter &)> &encode)
{
    const auto known = numberOf(object.get());
    return known ? *known : keepObject(kind, object, encode);
}

std::shared_ptr<const void>
PlanStore::objectAt(ByteReader &in, std::uint64_t number, ObjectKind kind,
                    const std::function<std::shared_ptr<const void>(ByteReader &)> &decode)
{
    if (in.failed())
        return nullptr;
    if (const Object *known = find(number)) {
        if (known->kind != kind)
            in.refuse("refers to an object of the wrong kind");
        return known->kind == kind ? known->content : nullptr;
    }
    if (!m_reading.insert(number).second) {
        in.refuse("refers to itself");
        return nullptr;
    }
    std::shared_ptr<const void> content;
    if (const auto bytes = m_access.fetch(number); !bytes) {
        in.refuse("refers to an unreadable object: " + bytes.error().text());
    } else {
        ByteReader inner(*bytes);
        checkVersion(inner);
        if (inner.number() != std::uint64_t(kind))
            inner.refuse("refers to an object of the wrong kind");
        if (!inner.failed())
            content = decode(inner);
        if (!inner.failed() && !inner.atEnd())
            inner.refuse("has trailing bytes");
        if (inner.failed())
            in.refuse(inner.problem());
    }
    m_reading.erase(number);
    if (in.failed())
        return nullptr;
    remember(number, {kind, content});
    return content;
}

// Graphs

void PlanStore::note(std::uint64_t number, std::shared_ptr<const Graph> graph)
{
    m_byOrder.emplace(graph->order().data(), NumberedGraph(number, graph));
    m_recent.emplace_front(number, std::move(graph));
    if (m_recent.size() > recentGraphs)
        m_recent.pop_back();
}

std::vector<PlanStore::NumberedGraph> PlanStore::relativesOf(const Graph &graph) const
{
    std::vector<NumberedGraph> relatives;
    for (const PlanStore *store = this; store; store = store->m_base) {
        const auto [first, last] = store->m_byOrder.equal_range(graph.order().data());
        for (auto it = first; it != last; ++it)
            relatives.push_back(it->second);
    }
    relatives.insert(relatives.end(), m_recent.begin(), m_recent.end());
    return relatives;
}

void PlanStore::write(ByteWriter &out, const Graph &graph)
{
    // With more changes than nodes, storing the whole graph is as small.
    std::size_t least = std::max<std::size_t>(1, graph.nodeCount());
    std::uint64_t baseNumber = 0;
    std::shared_ptr<const Graph> base;
    for (const auto &[number, candidate] : relativesOf(graph))
        if (const auto changes = changesBetween(*candidate, graph, least - 1)) {
            least = *changes;
            baseNumber = number;
            base = candidate;
            if (least == 0)
                break;
        }
    if (base && least == 0) {
        out.number(baseNumber);
        return;
    }
    auto kept = std::make_shared<const Graph>(graph);
    const std::uint64_t number = keepObject(ObjectKind::Graph, kept, [&](ByteWriter &inner) {
        inner.number(base ? baseNumber + 1 : 0);
        FieldWriter archive(inner, *this);
        writeGraph(archive, graph, base ? *base : Graph());
    });
    note(number, std::move(kept));
    out.number(number);
}

void PlanStore::read(ByteReader &in, Graph &graph)
{
    const std::uint64_t number = in.number();
    const auto read = objectAt(in, number, ObjectKind::Graph, [&](ByteReader &inner) {
        Graph base;
        if (const std::uint64_t baseNumber = inner.number()) {
            // The base is read like any other graph, by its number.
            ByteWriter text;
            text.number(baseNumber - 1);
            const std::string bytes = text.take();
            ByteReader reference(bytes);
            this->read(reference, base);
            if (reference.failed())
                inner.refuse(reference.problem());
        }
        FieldReader archive(inner, *this);
        auto made =
            std::make_shared<const Graph>(inner.failed() ? Graph() : readGraph(archive, base));
        note(number, made);
        return std::shared_ptr<const void>(std::move(made));
    });
    if (read)
        graph = *std::static_pointer_cast<const Graph>(read);
}

void PlanStore::writeNested(ByteWriter &out, const Graph &graph)
{
    FieldWriter archive(out, *this);
    writeGraph(archive, graph, {});
}

void PlanStore::readNested(ByteReader &in, Graph &graph)
{
    FieldReader archive(in, *this);
    graph = readGraph(archive, {});
}

// Constants

void PlanStore::write(ByteWriter &out, const TensorData &data)
{
    writeTensor(out, data, [&](ByteWriter &of) {
        if (const auto range = fileRangeOf(data.bytes())) {
            of.number(fileNumber(range->file) + 1);
            of.number(range->offset);
            // The hash of a mapped constant depends on its content or on its place in the file.
            const std::uint64_t identity =
                range->file->identity(range->offset, data.bytes().size());
            const auto placed = TensorData::fromMapped(data.type(), data.extents(), data.bytes(),
                                                       range->file, identity);
            of.number(placed.hash() == data.hash());
        } else {
            of.number(0);
            of.number(contentOf(data));
        }
    });
}

void PlanStore::read(ByteReader &in, std::optional<TensorData> &data)
{
    data = readTensor(in, [&](ByteReader &of, std::uint64_t bytes) -> StoredElements {
        if (const std::uint64_t file = of.number()) {
            const std::uint64_t offset = of.number();
            const bool placed = of.number() != 0;
            const auto mapped = fileAt(of, file - 1);
            if (!mapped || offset > mapped->bytes().size() ||
                bytes > mapped->bytes().size() - offset) {
                of.refuse("has a constant beyond the end of its file");
                return {};
            }
            StoredElements found{mapped->bytes().subspan(offset, bytes), mapped, true, {}};
            if (placed)
                found.identity = mapped->identity(offset, bytes);
            return found;
        }
        const auto content = contentAt(of, of.number());
        if (!content || content->bytes.size() != bytes) {
            of.refuse("has a constant of the wrong size");
            return {};
        }
        return *content;
    });
}

std::uint64_t PlanStore::contentOf(const TensorData &data)
{
    // Objects keep elements alive, so that another tensor cannot get their address.
    if (const auto known = numberOf(data.bytes().data())) {
        const Object *object = find(*known);
        if (object && object->kind == ObjectKind::Content &&
            std::static_pointer_cast<const StoredElements>(object->content)->bytes.size() ==
                data.bytes().size())
            return *known;
    }
    auto owner = std::make_shared<const TensorData>(data);
    auto content = std::make_shared<const StoredElements>(
        StoredElements{owner->bytes(), owner, data.isMapped(), {}});
    const std::uint64_t number = keepObject(ObjectKind::Content, content,
                                            [&](ByteWriter &inner) { inner.raw(content->bytes); });
    m_numbers.insert_or_assign(data.bytes().data(), number);
    return number;
}

std::shared_ptr<const StoredElements> PlanStore::contentAt(ByteReader &in, std::uint64_t number)
{
    auto content = std::static_pointer_cast<const StoredElements>(
        objectAt(in, number, ObjectKind::Content, [](ByteReader &inner) {
            const std::string_view bytes = inner.raw(inner.left());
            StoredElements elements;
            if (const auto file =
                    bytes.size() >= largeContent ? ScratchFile::of(bytesOf(bytes)) : nullptr) {
                elements = {file->bytes(), file, true, {}};
            } else {
                auto owned = std::make_shared<const std::string>(bytes);
                elements = {bytesOf(*owned), owned, false, {}};
            }
            return std::make_shared<const StoredElements>(std::move(elements));
        }));
    if (content)
        m_numbers.emplace(content->bytes.data(), number);
    return content;
}

std::uint64_t PlanStore::fileNumber(const std::shared_ptr<const MappedFile> &file)
{
    return numberOf(file, ObjectKind::File, [&](ByteWriter &inner) {
        const ArchivedFile kept{.path = std::filesystem::absolute(file->path()).string(),
                                .identity = file->identity(),
                                .version = file->version(),
                                .bytes = file->bytes().size()};
        inner.text(kept.path);
        inner.number(kept.identity);
        inner.number(kept.version);
        inner.number(kept.bytes);
        m_files.push_back(kept);
    });
}

std::shared_ptr<const MappedFile> PlanStore::fileAt(ByteReader &in, std::uint64_t number)
{
    return std::static_pointer_cast<const MappedFile>(objectAt(
        in, number, ObjectKind::File, [&](ByteReader &inner) -> std::shared_ptr<const void> {
            ArchivedFile file;
            file.path = inner.text();
            file.identity = inner.number();
            file.version = inner.number();
            file.bytes = inner.number();
            if (inner.failed())
                return nullptr;
            auto opened = m_access.open ? m_access.open(file) : openUnchanged(file);
            if (!opened) {
                inner.refuse("needs a file that cannot be used: " + opened.error().text());
                return nullptr;
            }
            m_files.push_back(file);
            return *opened;
        }));
}

} // namespace graphloom
