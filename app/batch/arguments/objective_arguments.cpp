// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/objective_arguments.h"

#include "engine/plan/memory_limit.h"

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>

namespace graphloom {

namespace {

Objective::Mode modeOf(std::string_view name)
{
    for (const auto mode : {Objective::Mode::Memory, Objective::Mode::Pareto})
        if (nameOf(mode) == name)
            return mode;
    return Objective::Mode::Latency;
}

} // namespace

void ObjectiveArguments::addTo(CLI::App &app, const char *group)
{
    const auto add = [&](const char *name, std::string &value, const char *help, const char *type) {
        return app.add_option(name, value, help)->group(group)->type_name(type);
    };
    add("--objective", m_mode,
        "Objective of passes that search (default: memory, or latency with --memory-limit)",
        "latency|memory|pareto")
        ->check(CLI::IsMember({"latency", "memory", "pareto"}));
    add("--memory-limit", m_memory,
        "Limit of peak memory: a fraction of the original's, or an amount", "0.6|512MiB");
    add("--latency-limit", m_latency,
        "Limit of latency, relative to the original or to the graph from rewriting alone, "
        "whichever "
        "is faster",
        "1.10");
    add("--checkpoint", m_checkpoint, "Write the state of the search periodically", "FILE");
    add("--resume", m_resume, "Resume the search from a checkpoint", "FILE");
}

Result<ObjectiveOptions> ObjectiveArguments::read(const CLI::App &app) const
{
    ObjectiveOptions options;
    constexpr std::array names{"--objective", "--memory-limit", "--latency-limit", "--checkpoint",
                               "--resume"};
    for (const char *name : names)
        if (options.option.empty() && app.count(name))
            options.option = name;
    if (app.count("--memory-limit")) {
        const auto limit = readMemoryLimit(m_memory);
        if (!limit)
            return fail(Error::Kind::Usage, limit.error().message, "--memory-limit " + m_memory);
        options.objective.memoryLimit = *limit;
    }
    if (app.count("--latency-limit")) {
        options.objective.latencyLimit = readPositive(m_latency);
        if (!options.objective.latencyLimit)
            return fail(Error::Kind::Usage,
                        "expected a number greater than 0, relative to the original, such as 1.10",
                        "--latency-limit " + m_latency);
    }
    options.objective.mode = !m_mode.empty()                 ? modeOf(m_mode)
                             : options.objective.memoryLimit ? Objective::Mode::Latency
                                                             : Objective::Mode::Memory;
    for (const auto &[name, text, path] :
         {std::tuple{"--checkpoint", &m_checkpoint, &options.checkpoint},
          {"--resume", &m_resume, &options.resume}}) {
        if (!app.count(name))
            continue;
        if (text->empty())
            return fail(Error::Kind::Usage, "the file name is empty", name);
        *path = *text;
    }
    return options;
}

} // namespace graphloom
