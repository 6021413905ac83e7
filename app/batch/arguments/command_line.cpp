// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/command_line.h"

#include "app/batch/arguments/argument_values.h"
#include "app/batch/arguments/batch_arguments.h"
#include "app/batch/arguments/config_file.h"
#include "app/batch/arguments/help_format.h"

#include <CLI/CLI.hpp>

namespace graphloom {

namespace {

using Words = std::vector<std::string>;

/// The program's command line, once for each time that it is parsed.
struct ParsedArguments {
    CLI::App app{"Workbench for deep-learning graph optimization.\n\n"
                 "  graphloom [MODEL]                       opens the window\n"
                 "  graphloom --batch MODEL [OPTIONS]       works without a window\n"
                 "  graphloom --batch --config FILE.json    the same, with options from a file\n"
                 "  graphloom --list WHAT [--json]\n"
                 "  graphloom --profile info|export FILE|import FILE...\n"
                 "  graphloom MODEL --screenshot FILE.png   needs no display\n"
                 "  graphloom MODEL --export-view VIEW=FILE neither does this\n",
                 "graphloom"};
    RawArguments raw;

    ParsedArguments()
    {
        app.formatter(std::make_shared<HelpFormat>());
        addArguments(app, raw);
    }
    /// True for --help.
    Result<bool> parse(const Words &words)
    {
        try {
            app.parse(Words(words.rbegin(), words.rend()));
        } catch (const CLI::CallForHelp &) {
            return true;
        } catch (const CLI::ParseError &error) {
            return fail(Error::Kind::Usage, error.what());
        }
        return false;
    }
};

Result<ProfileOptions> profileOptionsOf(const RawArguments &raw)
{
    using Action = ProfileOptions::Action;
    const std::string &word = raw.profile.front();
    const std::size_t files = raw.profile.size() - 1;
    ProfileOptions options;
    if (word == "info" && files == 0)
        options.action = Action::Info;
    else if (word == "export" && files == 1)
        options.action = Action::Export;
    else if (word == "import" && files > 0)
        options.action = Action::Import;
    else
        return fail(Error::Kind::Usage, "it takes info, export FILE or import FILE...",
                    "--profile " + word);
    options.files.assign(raw.profile.begin() + 1, raw.profile.end());
    options.database = optionalPath(raw.profileDatabase);
    return options;
}

/// What tuning may take in the window, where there is always an end to it.
Result<std::optional<Budget>> windowBudgetOf(const CLI::App &app, const RawArguments &raw)
{
    if (app.count("--budget") == 0)
        return std::nullopt;
    if (raw.view != "tuning" && raw.view != "memory" && raw.view != "pareto" &&
        raw.exportViews.empty())
        return fail(Error::Kind::Usage,
                    "needs --batch, or --view tuning, memory or pareto, or --export-view",
                    "--budget");
    GL_TRY_CONST(budget, budgetOf(raw.budget));
    if (budget->amount <= 0)
        return fail(Error::Kind::Usage, "there is nothing to show of no tuning",
                    "--budget " + raw.budget);
    return *budget;
}

Result<std::vector<WindowOptions::Export>> exportsOf(const Words &words)
{
    std::vector<WindowOptions::Export> exports;
    for (const std::string &word : words) {
        const std::size_t equals = word.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
            return fail(Error::Kind::Usage, "it takes VIEW=FILE, such as memory=timeline.svg",
                        "--export-view " + word);
        exports.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
    return exports;
}

Result<WindowOptions> windowOptionsOf(const CLI::App &app, const RawArguments &raw)
{
    // Options that were given although they mean nothing without --batch.
    for (const CLI::Option *option : app.get_options())
        if (option->count() > 0 && isOfBatch(*option) && option->get_name() != "--budget" &&
            option->get_name() != "--compare")
            return fail(Error::Kind::Usage, "needs --batch", option->get_name());
    WindowOptions window;
    window.document = optionalPath(raw.model);
    window.screenshot = optionalPath(raw.screenshot);
    GL_TRY_RESULT(exports, exportsOf(raw.exportViews));
    window.exports = std::move(*exports);
    window.exportScale = raw.exportScale;
    window.view = raw.view;
    window.theme = raw.theme;
    GL_TRY_RESULT(shapes, inputShapesOf(raw.inputs));
    window.inputShapes = std::move(*shapes);
    if (app.count("--batch-size"))
        window.batchSize = raw.batchSize;
    GL_TRY_RESULT(training, raw.training.read(app));
    window.training = *training;
    window.compare = optionalPath(raw.compare);
    if (window.compare.has_value() != (raw.view == "compare"))
        return fail(Error::Kind::Usage,
                    window.compare ? "needs --batch, or --view compare" : "needs --compare FILE",
                    window.compare ? "--compare" : "--view compare");
    GL_TRY_RESULT(budget, windowBudgetOf(app, raw));
    window.budget = *budget;
    window.profile = optionalPath(raw.profileDatabase);
    if (window.screenshot && !window.document)
        return fail(Error::Kind::Usage, "needs a model to take a picture of", "--screenshot");
    if (!window.exports.empty() && !window.document)
        return fail(Error::Kind::Usage, "needs a model to show", "--export-view");
    if (app.count("--export-scale") > 0 && window.exports.empty())
        return fail(Error::Kind::Usage, "belongs to --export-view", "--export-scale");
    return window;
}

/// What is refused whatever the command is.
Result<void> checkArguments(const CLI::App &app, const RawArguments &raw)
{
    if (raw.json && !app.count("--list"))
        return fail(Error::Kind::Usage, "belongs to --list", "--json");
    for (const auto &[name, text] : {std::pair{"MODEL", &raw.model},
                                     {"--screenshot", &raw.screenshot},
                                     {"--config", &raw.config},
                                     {"--export", &raw.exportTo},
                                     {"--report", &raw.report},
                                     {"--html", &raw.html},
                                     {"--junit", &raw.junit},
                                     {"--sarif", &raw.sarif},
                                     {"--baseline", &raw.baseline},
                                     {"--compare", &raw.compare},
                                     {"--emit-kernels", &raw.emitKernels},
                                     {"--trace", &raw.trace},
                                     {"--save", &raw.save},
                                     {"--profile-db", &raw.profileDatabase}})
        if (app.count(name) && text->empty())
            return fail(Error::Kind::Usage, "the file's name is empty", name);
    if (raw.batch && raw.model.ends_with(".gloom"))
        return fail(Error::Kind::Usage,
                    "is a session, which the window opens; --batch works on a model's file",
                    raw.model);
    return {};
}

Result<Command> batchCommandOf(const CLI::App &app, const RawArguments &raw)
{
    for (const char *name :
         {"--view", "--theme", "--screenshot", "--export-view", "--export-scale"})
        if (app.count(name))
            return fail(Error::Kind::Usage, "is of the window and does not go with --batch", name);
    GL_TRY_RESULT(options, batchOptionsOf(app, raw));
    if (raw.printConfig)
        return Answer{configOf(app)};
    return std::move(*options);
}

Result<Command> commandOf(const CLI::App &app, const RawArguments &raw)
{
    GL_TRY(checkArguments(app, raw));
    if (app.count("--list")) {
        if (raw.batch || !raw.model.empty())
            return fail(Error::Kind::Usage, "--list goes alone, or with --json");
        return ListOptions{raw.list, raw.json};
    }
    if (app.count("--profile")) {
        if (raw.batch || !raw.model.empty())
            return fail(Error::Kind::Usage, "--profile goes alone, or with --profile-db");
        GL_TRY_RESULT(options, profileOptionsOf(raw));
        return std::move(*options);
    }
    if (app.count("--profile-db") && !raw.batch && raw.model.empty())
        return fail(Error::Kind::Usage, "belongs to --profile, or to a model", "--profile-db");
    if (raw.batch)
        return batchCommandOf(app, raw);
    GL_TRY_RESULT(window, windowOptionsOf(app, raw));
    return std::move(*window);
}

} // namespace

Result<Command> parseCommandLine(const Words &arguments)
{
    // "--option=" alone would take the next word for its value.
    for (const std::string &word : arguments)
        if (word.starts_with("--") && word.find('=') == word.size() - 1)
            return fail(Error::Kind::Usage, "has no value behind its \"=\"",
                        word.substr(0, word.size() - 1));
    ParsedArguments given;
    GL_TRY_CONST(help, given.parse(arguments));
    if (*help)
        return Answer{given.app.help()};
    if (given.raw.version)
        return Answer{"graphloom " GRAPHLOOM_VERSION "\n"};
    if (!given.raw.batch || given.raw.config.empty())
        return commandOf(given.app, given.raw);
    GL_TRY_CONST(words, withConfig(given.app, arguments, given.raw.config));
    ParsedArguments all;
    if (auto parsed = all.parse(*words); !parsed) {
        Error error = parsed.error();
        error.where = "with --config " + given.raw.config;
        return tl::unexpected(std::move(error));
    }
    return commandOf(all.app, all.raw);
}

} // namespace graphloom
