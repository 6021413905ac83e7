// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/fields.h"
#include "engine/archive/tensor_codec.h"
#include "engine/ir/graph.h"
#include "engine/onnx/files/mapped_file.h"
#include "engine/plan/plan.h"

#include <deque>
#include <set>
#include <unordered_map>

namespace graphloom {

/// Number of the form in which plans are kept. Files of other forms are refused: a field more is
/// another form.
inline constexpr std::uint64_t archiveVersion = 4;

/// A file whose bytes constants of a plan are part of.
struct ArchivedFile {
    std::string path;
    std::uint64_t identity = 0, version = 0; // as MappedFile has them
    std::uint64_t bytes = 0;
};

/// Keeps plans as numbered objects. What plans share (graphs but for what edits changed, blocks,
/// weights) is one object, and is shared again by plans that were read: undo stacks and live
/// previews stay as small as they were. Weights in mapped files stay there; only where they are is
/// kept. From one thread at a time.
class PlanStore final : private ObjectLinks {
public:
    struct Access {
        /// Gets the bytes of each new object, those that it refers to first.
        std::function<void(std::uint64_t number, std::string bytes)> keep;
        /// The bytes of an object that is not known here.
        std::function<Result<std::string>(std::uint64_t number)> fetch;
        /// Opens a file that a plan's weights are in. By default as it was, at the same place:
        /// fails (Model) when it has changed.
        std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open;
    };
    /// New objects get numbers from `first` on.
    explicit PlanStore(Access access, std::uint64_t first = 0);
    /// Beside another store: knows its objects, and is soon forgotten. The other one must live as
    /// long and be left alone meanwhile. Both sides of a connection give the same numbers.
    PlanStore(Access access, const PlanStore &base);

    /// Is the number one of a store beside another?
    static bool isBeside(std::uint64_t number);

    /// The number by which get() gives the plan.
    std::uint64_t put(const Plan &plan);
    /// Fails (Model) when there is no such plan, when it is damaged or of another version, and when
    /// files that it needs are not as they were.
    Result<Plan> get(std::uint64_t number);
    /// Files that kept plans need, as far as they are known here.
    const std::vector<ArchivedFile> &files() const { return m_files; }
    /// Other structures that may have objects of plans in them, as bytes and back. `T` has fields()
    /// (fields.h). None where the bytes are no such structure.
    template <class T> std::string pack(const T &content)
    {
        ByteWriter out;
        FieldWriter(out, *this)(content);
        return out.take();
    }
    template <class T> std::optional<T> unpack(std::string_view bytes)
    {
        ByteReader in(bytes);
        T content{};
        FieldReader(in, *this)(content);
        return in.failed() || !in.atEnd() ? std::nullopt : std::optional(std::move(content));
    }

    /// Refuses (Model) a file that was changed since, or is another one by now.
    static Result<std::shared_ptr<const MappedFile>> openUnchanged(const ArchivedFile &file);

private:
    struct Object {
        ObjectKind kind;
        std::shared_ptr<const void> content;
    };
    void write(ByteWriter &out, const Graph &graph) override;
    void read(ByteReader &in, Graph &graph) override;
    void writeNested(ByteWriter &out, const Graph &graph) override;
    void readNested(ByteReader &in, Graph &graph) override;
    void write(ByteWriter &out, const TensorData &data) override;
    void read(ByteReader &in, std::optional<TensorData> &data) override;
    std::uint64_t numberOf(const std::shared_ptr<const void> &object, ObjectKind kind,
                           const std::function<void(ByteWriter &)> &encode) override;
    std::shared_ptr<const void>
    objectAt(ByteReader &in, std::uint64_t number, ObjectKind kind,
             const std::function<std::shared_ptr<const void>(ByteReader &)> &decode) override;

    std::uint64_t keepObject(ObjectKind kind, std::shared_ptr<const void> content,
                             const std::function<void(ByteWriter &)> &encode);
    void remember(std::uint64_t number, Object object);
    const Object *find(std::uint64_t number) const;
    std::optional<std::uint64_t> numberOf(const void *object) const;
    std::uint64_t contentOf(const TensorData &data);
    std::uint64_t fileNumber(const std::shared_ptr<const MappedFile> &file);
    std::shared_ptr<const StoredElements> contentAt(ByteReader &in, std::uint64_t number);
    std::shared_ptr<const MappedFile> fileAt(ByteReader &in, std::uint64_t number);
    void note(std::uint64_t number, std::shared_ptr<const Graph> graph);

    const Access m_access;
    const PlanStore *const m_base = nullptr;
    std::uint64_t m_next;
    std::unordered_map<std::uint64_t, Object> m_objects;
    std::unordered_map<const void *, std::uint64_t> m_numbers; // of objects, and of elements
    std::vector<ArchivedFile> m_files;
    using NumberedGraph = std::pair<std::uint64_t, std::shared_ptr<const Graph>>;
    /// Graphs of which another one may be made: the last that were written or read, and those that
    /// share its order (which copies do until they are edited).
    std::vector<NumberedGraph> relativesOf(const Graph &graph) const;
    std::deque<NumberedGraph> m_recent;
    std::unordered_multimap<const void *, NumberedGraph> m_byOrder;
    std::set<std::uint64_t> m_reading; // objects that are being read: they must not need themselves
};

} // namespace graphloom
