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

/// Holds the program's command line; each instance is parsed once.
struct ParsedArguments {
    CLI::App app{"Workbench for deep-learning graph optimization.\n\n"
                 "  graphloom [MODEL...]                    open the window\n"
                 "  graphloom --batch MODEL [OPTIONS]       run without a window\n"
                 "  graphloom --batch --config FILE.json    same, with options from a file\n"
                 "  graphloom --list WHAT [--json]\n"
                 "  graphloom --profile info|export FILE|import FILE...\n"
                 "  graphloom MODEL --screenshot FILE.png   works without a display\n"
                 "  graphloom MODEL --export-view VIEW=FILE works without a display\n",
                 "graphloom"};
    RawArguments raw;

    ParsedArguments()
    {
        app.formatter(std::make_shared<HelpFormat>());
        addArguments(app, raw);
    }
    /// Returns true for --help.
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
        return fail(Error::Kind::Usage, "expected info, export FILE or import FILE...",
                    "--profile " + word);
    options.files.assign(raw.profile.begin() + 1, raw.profile.end());
    options.database = optionalPath(raw.profileDatabase);
    return options;
}

/// Returns the tuning budget of the window, which must be limited.
Result<std::optional<Budget>> windowBudgetOf(const CLI::App &app, const RawArguments &raw)
{
    if (app.count("--budget") == 0)
        return std::nullopt;
    if (raw.view != "tuning" && raw.view != "memory" && raw.view != "pareto" &&
        raw.exportViews.empty())
        return fail(Error::Kind::Usage,
                    "requires --batch, --export-view, or --view tuning, memory or pareto",
                    "--budget");
    GL_TRY_CONST(budget, budgetOf(raw.budget));
    if (budget->amount <= 0)
        return fail(Error::Kind::Usage, "a view of tuning requires a budget greater than 0",
                    "--budget " + raw.budget);
    return *budget;
}

Result<std::vector<WindowOptions::Export>> exportsOf(const Words &words)
{
    std::vector<WindowOptions::Export> exports;
    for (const std::string &word : words) {
        const std::size_t equals = word.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
            return fail(Error::Kind::Usage, "expected VIEW=FILE, such as memory=timeline.svg",
                        "--export-view " + word);
        exports.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
    return exports;
}

Result<WindowOptions> windowOptionsOf(const CLI::App &app, const RawArguments &raw)
{
    // Refuse options that have no effect without --batch.
    for (const CLI::Option *option : app.get_options())
        if (option->count() > 0 && isOfBatch(*option) && option->get_name() != "--budget" &&
            option->get_name() != "--compare")
            return fail(Error::Kind::Usage, "requires --batch", option->get_name());
    WindowOptions window;
    window.document = optionalPath(raw.model);
    window.more.assign(raw.more.begin(), raw.more.end());
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
                    window.compare ? "requires --batch or --view compare"
                                   : "requires --compare FILE",
                    window.compare ? "--compare" : "--view compare");
    GL_TRY_RESULT(budget, windowBudgetOf(app, raw));
    window.budget = *budget;
    window.profile = optionalPath(raw.profileDatabase);
    if (window.screenshot && !window.document)
        return fail(Error::Kind::Usage, "requires a model or session", "--screenshot");
    if (!window.exports.empty() && !window.document)
        return fail(Error::Kind::Usage, "requires a model or session", "--export-view");
    if (!window.more.empty() && (window.screenshot || !window.exports.empty()))
        return fail(Error::Kind::Usage, "only the window takes several models or sessions",
                    raw.more.front());
    if (app.count("--export-scale") > 0 && window.exports.empty())
        return fail(Error::Kind::Usage, "requires --export-view", "--export-scale");
    return window;
}

/// Checks that do not depend on the command.
Result<void> checkArguments(const CLI::App &app, const RawArguments &raw)
{
    if (raw.json && !app.count("--list"))
        return fail(Error::Kind::Usage, "requires --list", "--json");
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
                                     {"--emit-package", &raw.emitPackage},
                                     {"--trace", &raw.trace},
                                     {"--save", &raw.save},
                                     {"--profile-db", &raw.profileDatabase}})
        if (app.count(name) && text->empty())
            return fail(Error::Kind::Usage, "the file name is empty", name);
    if (raw.batch && !raw.more.empty())
        return fail(Error::Kind::Usage, "--batch takes one model", raw.more.front());
    if (raw.batch && raw.model.ends_with(".gloom"))
        return fail(Error::Kind::Usage,
                    "is a session, which only the window opens; --batch requires a model file",
                    raw.model);
    return {};
}

Result<Command> batchCommandOf(const CLI::App &app, const RawArguments &raw)
{
    for (const char *name :
         {"--view", "--theme", "--screenshot", "--export-view", "--export-scale"})
        if (app.count(name))
            return fail(Error::Kind::Usage, "cannot be combined with --batch", name);
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
            return fail(Error::Kind::Usage, "can only be combined with --json", "--list");
        return ListOptions{raw.list, raw.json};
    }
    if (app.count("--profile")) {
        if (raw.batch || !raw.model.empty())
            return fail(Error::Kind::Usage, "can only be combined with --profile-db", "--profile");
        GL_TRY_RESULT(options, profileOptionsOf(raw));
        return std::move(*options);
    }
    if (app.count("--profile-db") && !raw.batch && raw.model.empty())
        return fail(Error::Kind::Usage, "requires --profile or a model", "--profile-db");
    if (raw.batch)
        return batchCommandOf(app, raw);
    GL_TRY_RESULT(window, windowOptionsOf(app, raw));
    return std::move(*window);
}

} // namespace

Result<Command> parseCommandLine(const Words &arguments)
{
    // CLI11 would take the next word as the value of "--option=".
    for (const std::string &word : arguments)
        if (word.starts_with("--") && word.find('=') == word.size() - 1)
            return fail(Error::Kind::Usage, "has no value after \"=\"",
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
