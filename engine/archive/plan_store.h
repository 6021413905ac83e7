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

/// The version of the form in which plans are stored. Files of other versions are refused; an added
/// field makes a new version.
inline constexpr std::uint64_t archiveVersion = 9;

/// Describes a file that holds the bytes of some of a plan's constants.
struct ArchivedFile {
    std::string path;
    std::uint64_t identity = 0, version = 0; // as in MappedFile
    std::uint64_t bytes = 0;
};

/// Stores plans as numbered objects. Content that plans share (graphs except for edits, blocks,
/// weights) is one object, and is shared again by plans that are read: undo stacks and live
/// previews stay as small as they were. Weights in mapped files stay there; only their place is
/// stored. Use it from one thread at a time.
class PlanStore final : private ObjectLinks {
public:
    struct Access {
        /// Receives the bytes of each new object, after those of the objects that it refers to.
        std::function<void(std::uint64_t number, std::string bytes)> keep;
        /// Returns the bytes of an object that the store does not have.
        std::function<Result<std::string>(std::uint64_t number)> fetch;
        /// Opens a file that holds a plan's weights. By default opens it at the same place and
        /// fails (Model) if it has changed.
        std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open;
    };
    /// Makes a store that numbers new objects from `first` on.
    explicit PlanStore(Access access, std::uint64_t first = 0);
    /// Makes a short-lived store on top of another one, whose objects it knows. The other store
    /// must outlive it and stay unchanged meanwhile. Both sides of a connection assign the same
    /// numbers.
    PlanStore(Access access, const PlanStore &base);

    /// Tells whether the number belongs to a store that was made on top of another one.
    static bool isBeside(std::uint64_t number);

    /// Stores the plan and returns the number for get().
    std::uint64_t put(const Plan &plan);
    /// Returns a stored plan. Fails (Model) if there is no such plan, if it is damaged or of
    /// another version, or if files that it needs have changed.
    Result<Plan> get(std::uint64_t number);
    /// Returns the files that stored plans need, as far as they are known here.
    const std::vector<ArchivedFile> &files() const { return m_files; }
    /// Converts other structures, which may contain objects of plans, to bytes and back. `T` has
    /// fields() (fields.h). unpack() returns nothing if the bytes are no such structure.
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

    /// Opens a file. Fails (Model) if it was changed or replaced since.
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
    std::unordered_map<const void *, std::uint64_t> m_numbers; // of objects and elements
    std::vector<ArchivedFile> m_files;
    using NumberedGraph = std::pair<std::uint64_t, std::shared_ptr<const Graph>>;
    /// Returns graphs from which another one may have been made: the last ones that were written or
    /// read, and those that share its order (as copies do until they are edited).
    std::vector<NumberedGraph> relativesOf(const Graph &graph) const;
    std::deque<NumberedGraph> m_recent;
    std::unordered_multimap<const void *, NumberedGraph> m_byOrder;
    std::set<std::uint64_t> m_reading; // objects being read, to detect cycles
};

} // namespace graphloom
