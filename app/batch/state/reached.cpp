// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/state/reached.h"

#include "app/batch/state/staged_export.h"
#include "app/batch/terminal/terminal_text.h"
#include "engine/session/session_file.h"
#include "engine/system/temporary.h"

#include <cstdio>

namespace graphloom {

void Reached::set(std::shared_ptr<const Plan> plan)
{
    const std::lock_guard lock(m_mutex);
    m_plan = std::move(plan);
}

void Reached::beginWriting()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_writer != Writer::Saver; });
    m_writer = Writer::Worker;
}

void Reached::endWriting()
{
    {
        const std::lock_guard lock(m_mutex);
        m_written = true;
    }
    m_changed.notify_all();
}

void Reached::save()
{
    std::unique_lock lock(m_mutex);
    if (m_writer == Writer::Worker)
        return m_changed.wait(lock, [this] { return m_written; });
    m_writer = Writer::Saver;
    if (const auto plan = m_plan) {
        lock.unlock();
        write(*plan);
    }
}

void Reached::write(const Plan &plan) const
{
    const auto tell = [](const char *option, const std::filesystem::path &path,
                         const Result<void> &written) {
        std::fprintf(stderr, "graphloom: ended; %s %s: %s\n", option, path.c_str(),
                     written ? "wrote the last plan, unverified"
                             : forTerminal(written.error().text()).c_str());
    };
    if (m_options.exportTo) {
        ExportOptions options;
        options.flat = m_options.exportFlat;
        auto staged = StagedExport::write(plan, *m_options.exportTo, options);
        tell("--export", *m_options.exportTo,
             staged ? staged->place() : Result<void>(tl::unexpected(staged.error())));
    }
    if (m_options.save) {
        SessionContent session;
        session.states.push_back({std::make_shared<const Plan>(plan), {}, false});
        session.view["model"] = std::filesystem::absolute(m_options.model).string();
        tell("--save", *m_options.save, saveSession(*m_options.save, session));
    }
}

void Reached::tidy() const
{
    if (m_options.exportTo)
        StagedExport::removeOwn(*m_options.exportTo);
    if (m_options.save)
        removeOwnTemporaries(std::filesystem::absolute(*m_options.save).parent_path());
}

} // namespace graphloom
