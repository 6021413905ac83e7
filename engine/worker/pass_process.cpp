// SPDX-License-Identifier: Apache-2.0
#include "engine/worker/pass_process.h"

#include "engine/archive/plan_fields.h"
#include "engine/archive/plan_store.h"
#include "engine/system/child_process.h"
#include "engine/worker/frame_socket.h"
#include "engine/worker/pass_request.h"

#include <csignal>

namespace graphloom {

namespace {

using Clock = FrameSocket::Clock;
constexpr std::chrono::milliseconds look{50};
constexpr std::chrono::seconds ending{5};
/// A paused run waits when it reports its progress; its process is stopped if it does not.
constexpr std::chrono::milliseconds holdPatience{400};

/// Holds the objects that the worker sent, permanently or for one preview.
struct Received {
    std::map<std::uint64_t, std::string> objects;

    Result<std::string> fetch(std::uint64_t number) const
    {
        const auto found = objects.find(number);
        if (found == objects.end())
            return fail(Error::Kind::Fault, "the worker refers to an object that it did not send");
        return found->second;
    }
};

class Conversation {
public:
    Conversation(const PassJob &job, const Context &context, ChildProcess &process)
        : m_job(job), m_context(context), m_process(process), m_socket(process.connection()),
          m_store({[this](std::uint64_t number, std::string bytes) {
                       m_socket.send(FrameKind::Object, messageOf(ObjectMessage{number, bytes}));
                   },
                   [this](std::uint64_t number) { return m_received.fetch(number); },
                   {}})
    {
    }

    Result<Plan> run(const Plan &plan)
    {
        PassRequest request;
        request.library = m_job.library.string();
        request.pass = m_job.pass->name();
        request.version = m_job.version;
        request.plan = m_store.put(plan);
        request.settings = m_context.settings.values();
        request.seed = m_context.seed;
        request.threads = m_context.threads;
        request.objective = m_context.objective;
        request.checkpoint = m_context.checkpoint.string();
        request.resume = m_context.resume;
        if (m_context.resume && m_context.resume->from)
            request.from = m_store.put(*m_context.resume->from);
        request.edit = m_context.edit;
        if (m_job.profile)
            request.profile = m_job.profile->string();
        m_socket.send(FrameKind::Run, messageOf(request));
        const std::stop_callback stopping(m_context.stop, [this] {
            m_job.control->hold(false); // a paused run cannot end
            m_socket.send(FrameKind::Stop, {});
        });
        for (;;) {
            followControl();
            if (m_job.control->isAbandoned()) {
                m_process.signal(SIGKILL);
                return fail(Error::Kind::Fault, "the run was terminated; its result is lost",
                            request.pass);
            }
            FrameKind kind{};
            std::string content;
            switch (m_socket.receive(kind, content, Clock::now() + look)) {
            case FrameSocket::Event::Late:
                continue;
            case FrameSocket::Event::Closed:
                return crashed();
            case FrameSocket::Event::Frame:
                if (auto result = take(kind, content))
                    return *std::move(result);
            }
        }
    }

private:
    void followControl()
    {
        const bool held = m_job.control->isHeld();
        if (held && !m_heldSince) {
            m_heldSince = Clock::now();
            m_socket.send(FrameKind::Hold, {});
        } else if (held && !m_stopped && Clock::now() - *m_heldSince > holdPatience) {
            m_stopped = true;
            m_process.signal(SIGSTOP);
        } else if (!held && m_heldSince) {
            m_heldSince.reset();
            if (std::exchange(m_stopped, false))
                m_process.signal(SIGCONT);
            m_socket.send(FrameKind::GoOn, {});
        }
    }

    /// Handles a message; returns the result with the last one.
    std::optional<Result<Plan>> take(FrameKind kind, const std::string &content)
    {
        const auto broken = [] {
            return fail(Error::Kind::Fault, "the worker sent an unreadable message");
        };
        switch (kind) {
        case FrameKind::Object:
            if (auto object = readMessage<ObjectMessage>(content)) {
                m_received.objects.insert_or_assign(object->number, std::move(object->bytes));
                return std::nullopt;
            }
            return broken();
        case FrameKind::Progress:
            if (const auto progress = readMessage<ProgressMessage>(content))
                m_context.progress(progress->fraction, progress->text);
            return std::nullopt;
        case FrameKind::Search:
            if (const auto record = readMessage<SearchRecord>(content))
                m_context.observe(*record);
            return std::nullopt;
        case FrameKind::Warning:
            m_job.warn(content);
            return std::nullopt;
        case FrameKind::Preview:
            preview(content);
            return std::nullopt;
        case FrameKind::Done:
            if (const auto number = readMessage<std::uint64_t>(content))
                return m_store.get(*number);
            return broken();
        case FrameKind::Failed:
            if (auto error = readMessage<Error>(content))
                return Result<Plan>(tl::unexpected(*std::move(error)));
            return broken();
        default:
            return broken();
        }
    }

    /// Publishes a preview, whose objects are not kept.
    void preview(const std::string &content)
    {
        const auto number = readMessage<std::uint64_t>(content);
        PlanStore beside({{}, [this](std::uint64_t of) { return m_received.fetch(of); }, {}},
                         m_store);
        if (auto plan = number ? beside.get(*number) : Result<Plan>(fail(Error::Kind::Fault, "")))
            m_context.publish(std::make_shared<const Plan>(*std::move(plan)));
        std::erase_if(m_received.objects,
                      [](const auto &object) { return PlanStore::isBeside(object.first); });
    }

    Result<Plan> crashed()
    {
        const int end = m_process.wait(ending);
        std::string message = "its process " + ChildProcess::describe(end);
        if (std::string said = m_process.errors(); !said.empty())
            message += "; its output: " + said;
        message += "; the plan is unchanged";
        return fail(Error::Kind::Fault, message, std::string(m_job.pass->name()));
    }

    const PassJob &m_job;
    const Context &m_context;
    ChildProcess &m_process;
    FrameSocket m_socket;
    Received m_received;
    PlanStore m_store;
    std::optional<Clock::time_point> m_heldSince;
    bool m_stopped = false;
};

Result<Plan> runHere(const PassJob &job, const Plan &plan, const Context &context)
{
    Context held = context;
    held.clock = job.control->clock();
    held.progress = [&](double fraction, std::string_view what) {
        context.progress(fraction, what);
        job.control->wait(context.stop);
    };
    return runPass(*job.pass, plan, held);
}

} // namespace

Result<Plan> runPassApart(const PassJob &job, const Plan &plan, const Context &context)
{
    if (job.library.empty())
        return runHere(job, plan, context);
    GL_TRY_RESULT(process, ChildProcess::startConnected(companionProgram("graphloom-worker"),
                                                        {"--of-graphloom"}));
    return Conversation(job, context, *process).run(plan);
}

} // namespace graphloom
