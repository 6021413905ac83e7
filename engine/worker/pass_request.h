// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_fields.h"
#include "engine/pass/pass.h"

namespace graphloom {

/// Describes what a worker is to run.
struct PassRequest {
    std::string library; // file of the plugin
    std::string pass;    // the pass that the plugin must give
    std::string version; // of the program
    std::uint64_t plan = 0;
    std::vector<std::pair<std::string, double>> settings;
    std::uint64_t seed = 0;
    unsigned threads = 0;
    Objective objective;
    std::string checkpoint;
    std::optional<Context::Resume> resume;
    std::optional<std::uint64_t> from; // number of the plan of Context::Resume
    std::optional<Context::FissionEdit> edit;
    std::optional<std::string> profile; // file of the profile database; empty: the user's own
};

constexpr Error::Kind lastOf(Error::Kind)
{
    return Error::Kind::Fault;
}

template <class Archive> void fields(Archive &archive, Context::Resume &resume)
{
    archive(resume.state, resume.where, resume.only);
}

template <class Archive> void fields(Archive &archive, Context::FissionEdit &edit)
{
    archive(edit.fission, edit.number, edit.lift, edit.locked);
}

template <class Archive> void fields(Archive &archive, PassRequest &request)
{
    archive(request.library, request.pass, request.version, request.plan, request.settings,
            request.seed, request.threads, request.objective, request.checkpoint, request.resume,
            request.from, request.edit, request.profile);
}

template <class Archive> void fields(Archive &archive, Error &error)
{
    archive(error.kind, error.message, error.where, error.nodes);
}

/// Implements the links of messages, whose structures contain no objects.
class NoLinks final : public ObjectLinks {
public:
    void write(ByteWriter &, const Graph &) override {}
    void read(ByteReader &in, Graph &) override { in.refuse("contains a graph"); }
    void writeNested(ByteWriter &, const Graph &) override {}
    void readNested(ByteReader &in, Graph &) override { in.refuse("contains a graph"); }
    void write(ByteWriter &, const TensorData &) override {}
    void read(ByteReader &in, std::optional<TensorData> &) override
    {
        in.refuse("contains a tensor");
    }
    std::uint64_t numberOf(const std::shared_ptr<const void> &, ObjectKind,
                           const std::function<void(ByteWriter &)> &) override
    {
        return 0;
    }
    std::shared_ptr<const void>
    objectAt(ByteReader &in, std::uint64_t, ObjectKind,
             const std::function<std::shared_ptr<const void>(ByteReader &)> &) override
    {
        in.refuse("contains an object");
        return nullptr;
    }
};

template <class T> std::string messageOf(const T &content)
{
    ByteWriter out;
    NoLinks links;
    FieldWriter(out, links)(content);
    return out.take();
}

/// Reads a message. Returns nothing if the bytes are no message of this kind.
template <class T> std::optional<T> readMessage(std::string_view bytes)
{
    ByteReader in(bytes);
    NoLinks links;
    T content{};
    FieldReader(in, links)(content);
    return in.failed() || !in.atEnd() ? std::nullopt : std::optional(std::move(content));
}

/// Holds the content of FrameKind::Progress.
struct ProgressMessage {
    double fraction = 0;
    std::string text;
};

template <class Archive> void fields(Archive &archive, ProgressMessage &message)
{
    archive(message.fraction, message.text);
}

/// Holds the content of FrameKind::Object.
struct ObjectMessage {
    std::uint64_t number = 0;
    std::string bytes;
};

template <class Archive> void fields(Archive &archive, ObjectMessage &message)
{
    archive(message.number, message.bytes);
}

} // namespace graphloom
