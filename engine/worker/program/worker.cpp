// SPDX-License-Identifier: Apache-2.0
// The program graphloom-worker runs one pass, which graphloom requests over descriptor 3.
#include "engine/archive/plan_fields.h"
#include "engine/archive/plan_store.h"
#include "engine/base/throttle.h"
#include "engine/pass/plugins.h"
#include "engine/profile/user_profile.h"
#include "engine/target/call_timing.h"
#include "engine/target/target_plugins.h"
#include "engine/worker/frame_socket.h"
#include "engine/worker/pass_request.h"
#include "engine/worker/run_control.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace graphloom {

namespace {

constexpr int connection = 3;
constexpr int courtesy = 5; // nice value: the window comes first
constexpr std::uint64_t firstOwnNumber = std::uint64_t{1} << 40;
using Clock = FrameSocket::Clock;

class WorkerProgram {
public:
    WorkerProgram()
        : m_socket(connection),
          m_store({[this](std::uint64_t number, std::string bytes) { sendObject(number, bytes); },
                   [this](std::uint64_t number) { return fetch(number); },
                   {}},
                  firstOwnNumber)
    {
    }

    void run()
    {
        FrameKind kind{};
        std::string content;
        while (m_socket.receive(kind, content, Clock::time_point::max()) ==
               FrameSocket::Event::Frame) {
            if (kind == FrameKind::Object) {
                if (auto object = readMessage<ObjectMessage>(content))
                    m_objects.insert_or_assign(object->number, std::move(object->bytes));
            } else if (kind == FrameKind::Run) {
                const auto request = readMessage<PassRequest>(content);
                std::jthread listener([this](std::stop_token ended) { listen(ended); });
                finish(request ? runRequest(*request)
                               : Result<Plan>(fail(Error::Kind::Fault,
                                                   "the worker received an unreadable request")));
                std::fflush(nullptr);
                ::_exit(EXIT_SUCCESS); // plugins may have threads that still run
            }
        }
    }

private:
    Result<std::string> fetch(std::uint64_t number) const
    {
        const auto found = m_objects.find(number);
        if (found == m_objects.end())
            return fail(Error::Kind::Fault, "the worker did not receive the complete plan");
        return found->second;
    }
    void sendObject(std::uint64_t number, std::string_view bytes)
    {
        m_socket.send(FrameKind::Object, messageOf(ObjectMessage{number, std::string(bytes)}));
    }

    /// Follows the messages of the program while the pass runs, and exits if the program is gone.
    void listen(const std::stop_token &ended)
    {
        FrameKind kind{};
        std::string content;
        while (!ended.stop_requested()) {
            const auto event =
                m_socket.receive(kind, content, Clock::now() + std::chrono::seconds(1));
            if (event == FrameSocket::Event::Closed)
                ::_exit(EXIT_FAILURE);
            if (event != FrameSocket::Event::Frame)
                continue;
            if (kind == FrameKind::Hold || kind == FrameKind::GoOn)
                m_control.hold(kind == FrameKind::Hold);
            if (kind == FrameKind::Stop) {
                m_control.hold(false);
                m_stop.request_stop();
            }
        }
    }

    Result<Plan> runRequest(const PassRequest &request)
    {
        GL_TRY_RESULT(plan, m_store.get(request.plan));
        const PassPlugin plugin = loadPassPlugin(request.library);
        if (!plugin.pass || plugin.pass->name() != request.pass)
            return fail(Error::Kind::Missing,
                        plugin.pass ? "it provides another pass than before" : plugin.problem,
                        request.library);
        GL_TRY_CONST(context, contextOf(request, *plugin.pass));
        return runPass(*plugin.pass, *std::move(plan), *context);
    }

    Result<Context> contextOf(const PassRequest &request, const Pass &pass)
    {
        Context context;
        context.stop = m_stop.get_token();
        context.seed = request.seed;
        context.threads = request.threads;
        context.settings = Settings(pass.parameters(), pass.rules());
        for (const auto &[name, value] : request.settings)
            GL_TRY(context.settings.set(name, value));
        context.clock = m_control.clock();
        context.objective = request.objective;
        context.checkpoint = request.checkpoint;
        context.resume = request.resume;
        if (context.resume && request.from) {
            GL_TRY_RESULT(from, m_store.get(*request.from));
            context.resume->from = std::make_shared<const Plan>(*std::move(from));
        }
        context.edit = request.edit;
        std::optional<std::filesystem::path> profile;
        if (request.profile)
            profile = *request.profile;
        const auto opened = openProfile(profile, m_stop.get_token());
        if (opened)
            context.profile = opened->database;
        if (const std::string problem = opened ? opened->problem : opened.error().text();
            !problem.empty())
            m_socket.send(FrameKind::Warning, "Measured latencies are not used: " + problem);
        CallTimingOptions timing;
        timing.threads = request.threads;
        timing.version = request.version;
        context.timers =
            timersOn([] { return ownTargetPlugins(); }, timing,
                     [this, profile]() -> Result<std::shared_ptr<ProfileDatabase>> {
                         GL_TRY_RESULT(own, openOrMakeProfile(profile, m_stop.get_token()));
                         if (!own->problem.empty())
                             m_socket.send(FrameKind::Warning,
                                           "Measurements are not saved: " + own->problem);
                         return std::move(own->database);
                     });
        context.progress = [this](double fraction, std::string_view what) {
            if (m_progress.allows())
                m_socket.send(FrameKind::Progress,
                              messageOf(ProgressMessage{fraction, std::string(what)}));
            m_control.wait(m_stop.get_token());
        };
        context.observe = [this](const SearchRecord &record) {
            if (m_searching.allows())
                m_socket.send(FrameKind::Search, messageOf(record));
        };
        context.publish = [this](const std::shared_ptr<const Plan> &plan) {
            if (m_previews.allows())
                preview(*plan);
        };
        return context;
    }

    void preview(const Plan &plan)
    {
        const std::lock_guard lock(m_previewing);
        PlanStore beside(
            {[this](std::uint64_t number, std::string bytes) { sendObject(number, bytes); },
             {},
             {}},
            m_store);
        const std::uint64_t number = beside.put(plan);
        m_socket.send(FrameKind::Preview, messageOf(number));
    }

    void finish(const Result<Plan> &result)
    {
        if (result)
            m_socket.send(FrameKind::Done, messageOf(m_store.put(*result)));
        else
            m_socket.send(FrameKind::Failed, messageOf(result.error()));
    }

    FrameSocket m_socket;
    std::map<std::uint64_t, std::string> m_objects;
    PlanStore m_store;
    RunControl m_control;
    std::stop_source m_stop;
    std::mutex m_previewing;
    Throttle m_progress{std::chrono::milliseconds(50)};
    Throttle m_searching{std::chrono::milliseconds(100)};
    Throttle m_previews{std::chrono::milliseconds(100)};
};

} // namespace

} // namespace graphloom

int main(int argc, char **)
{
    if (argc < 2) {
        std::fputs("graphloom-worker runs passes for graphloom and is started by it.\n", stderr);
        return EXIT_FAILURE;
    }
    std::signal(SIGXFSZ, SIG_IGN); // writing then fails with an error
    ::setpriority(PRIO_PROCESS, 0, graphloom::courtesy);
    graphloom::WorkerProgram().run();
    return EXIT_SUCCESS;
}
