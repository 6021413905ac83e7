// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/command_line.h"

#include "app/batch/training_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace graphloom {

namespace {

constexpr std::int64_t largestExtent = std::int64_t{1} << 40;

/// The whole text as a number; none when it is anything else.
template <class T> std::optional<T> number(std::string_view text)
{
    T value = {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

/// NAME:1x3x224x224, NAME:scalar. Names may hold colons themselves.
Result<std::pair<std::string, std::vector<std::int64_t>>> parseInput(const std::string &text)
{
    const auto refuse = [&](const std::string &why) {
        return fail(Error::Kind::Usage,
                    why + "; it takes NAME:1x3x224x224, or NAME:scalar for rank 0",
                    "--input " + text);
    };
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        return refuse("there is no name and shape in it");
    std::vector<std::int64_t> extents;
    std::string_view shape(text);
    shape.remove_prefix(colon + 1);
    if (shape == "scalar")
        return std::pair{text.substr(0, colon), extents};
    for (;;) {
        const auto end = shape.find('x');
        const auto extent = number<std::int64_t>(shape.substr(0, end));
        if (!extent || *extent < 0 || *extent > largestExtent)
            return refuse("\"" + std::string(shape.substr(0, end)) + "\" is no extent");
        extents.push_back(*extent);
        if (end == std::string_view::npos)
            return std::pair{text.substr(0, colon), extents};
        shape.remove_prefix(end + 1);
    }
}

/// pass.parameter=value. Parameters' names may hold dots themselves, passes' names may not.
Result<BatchOptions::Setting> parseSetting(const std::string &text)
{
    const auto equals = text.find('=');
    const auto dot = text.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 >= equals)
        return fail(Error::Kind::Usage, "it takes pass.parameter=value, as in ago.threshold=600",
                    "--set " + text);
    return BatchOptions::Setting{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1),
                                 text.substr(equals + 1)};
}

Result<Budget> parseBudget(const std::string &text)
{
    if (text == "0")
        return Budget{};
    for (const auto &[suffix, unit] : {std::pair{std::string_view("trials"), Budget::Unit::Trials},
                                       std::pair{std::string_view("s"), Budget::Unit::Seconds}}) {
        if (!text.ends_with(suffix))
            continue;
        const std::string_view digits(text.data(), text.size() - suffix.size());
        const auto amount = number<double>(digits);
        if (amount && std::isfinite(*amount) && *amount > 0)
            return Budget{*amount, unit};
    }
    return fail(Error::Kind::Usage, "it takes a time or a number of trials: 180s, 2000trials",
                "--budget " + text);
}

/// Every option as CLI11 fills it in, before it is looked at more closely.
struct Raw {
    std::string model, view, theme, list, screenshot, profileDatabase;
    std::vector<std::string> inputs, settings, passes, assertions, testData, profile, later;
    std::string budget, exportTo, report, junit, baseline, verify, progress;
    std::string target, emitKernels, trace;
    int measure = 0;
    bool batch = false, exportFlat = false, version = false, json = false;
    std::int64_t batchSize = 0;
    unsigned threads = 0;
    std::uint64_t seed = 0;
    TrainingArguments training;
    ObjectiveArguments objective;
};

/// Options of the program's command line whose meaning comes with later versions.
constexpr std::array laterOptions = {"--html", "--save"};

constexpr int mostRuns = 1'000'000;

constexpr const char *batchGroup = "Without a window";

void addBatchOptions(CLI::App &app, Raw &raw)
{
    const auto add = [&](const char *name, auto &value, const char *help, const char *type) {
        return app.add_option(name, value, help)->group(batchGroup)->type_name(type);
    };
    // CLI11 lets an option with a list take all words that follow; each of ours takes one.
    const auto addEach = [&](const char *name, std::vector<std::string> &values, const char *help,
                             const char *type) {
        return add(name, values, help, type)->expected(1)->take_all()->allow_extra_args(false);
    };
    app.add_flag("--batch", raw.batch, "Do all that is asked for without a window")
        ->group(batchGroup);
    addEach("--input", raw.inputs, "Shape of a graph input; may be repeated", "NAME:1x3x224x224");
    add("--batch-size", raw.batchSize, "First extent of inputs; also in the shapes that hold it",
        "N")
        ->check(CLI::Range(std::int64_t{1}, largestExtent));
    raw.training.addTo(app, batchGroup);
    addEach("--passes", raw.passes, "Passes to run, in this order", "ago,...");
    addEach("--set", raw.settings, "Parameter of a pass; see --list passes",
            "PASS.PARAMETER=VALUE");
    raw.objective.addTo(app, batchGroup);
    add("--budget", raw.budget,
        "For tuning kernels on the target, or without one for passes that search: 180s, "
        "2000trials, 0",
        "AMOUNT");
    add("--threads", raw.threads, "Threads to use; default: one per core", "N")
        ->check(CLI::Range(1u, 4096u));
    add("--seed", raw.seed, "Of everything pseudo-random; default: 0", "N");
    add("--target", raw.target, "Build the result there; see --list targets", "NAME[:DEVICE]");
    add("--measure", raw.measure,
        "Time so many runs of the result and, in turns with them, of the original without fusion; "
        "the target is the host unless one is named",
        "RUNS")
        ->check(CLI::Range(1, mostRuns));
    add("--emit-kernels", raw.emitKernels, "Write the generated kernels as text", "DIR");
    add("--trace", raw.trace, "Write one run as a trace for Perfetto or chrome://tracing",
        "FILE.json");
    add("--export", raw.exportTo, "Write the result as ONNX", "OUT.onnx");
    app.add_flag("--export-flat", raw.exportFlat, "Nodes with metadata in place of local functions")
        ->group(batchGroup);
    add("--report", raw.report, "Write a report", "OUT.json");
    add("--verify", raw.verify,
        "Compare original and result on random inputs; the export is put in place only if they "
        "agree. RTOL is relative to the scale of each output; default: 1e-4",
        "[RTOL]")
        ->expected(0, 1);
    addEach("--test-data", raw.testData,
            "Run stored inputs (input_0.pb...) and compare with output_0.pb...; may be repeated",
            "DIR");
    addEach("--assert", raw.assertions,
            "A condition over the report's keys, as \"partition.subgraphs <= 82\"", "EXPR");
    add("--baseline", raw.baseline, "Fail where figures are worse than in this report", "OLD.json");
    add("--junit", raw.junit, "Write what passed and failed as JUnit", "OUT.xml");
    add("--progress", raw.progress, "On stderr; default: bar at a terminal", "bar|json|none")
        ->check(CLI::IsMember({"bar", "json", "none"}));
}

void addOptions(CLI::App &app, Raw &raw)
{
    app.set_help_flag("-h,--help", "Print this and exit");
    app.add_flag("--version", raw.version, "Print the version and exit");
    app.add_option("MODEL", raw.model, "An ONNX model")->type_name("");
    app.add_option("--view", raw.view,
                   "What to show: model, modules, partition, blocks, fissions, rewriting, kernels, "
                   "heat, roofline, a figure of nodes such as macs or bytes, or tuning, which tunes "
                   "for a --budget")
        ->type_name("NAME");
    app.add_option("--theme", raw.theme, "Colours of the window")
        ->type_name("dark|light")
        ->check(CLI::IsMember({"dark", "light"}));
    app.add_option("--screenshot", raw.screenshot, "Write a picture of the window, then exit")
        ->type_name("FILE.png");
    addBatchOptions(app, raw);
    app.add_option("--list", raw.list, "Print what there is and exit")
        ->type_name("passes|targets|devices|ops|rules")
        ->check(CLI::IsMember({"passes", "targets", "devices", "ops", "rules"}));
    app.add_flag("--json", raw.json, "Print --list as JSON");
    app.add_option("--profile", raw.profile,
                   "Say what the profile database holds, write it to a file, or take up files")
        ->type_name("info|export FILE|import FILE...")
        ->expected(1, CLI::detail::expected_max_vector_size);
    app.add_option("--profile-db", raw.profileDatabase,
                   "The database; default: graphloom/profile.db in the user's data folder")
        ->type_name("FILE");
    for (const char *name : laterOptions)
        app.add_option(name, raw.later)
            ->group("")
            ->expected(0, CLI::detail::expected_max_vector_size);
    app.footer("Exit codes: 0 done; 1 an assertion, comparison or verification failed; 2 wrong "
               "usage;\n3 the model cannot be read; 4 a file, tool or device is missing; 5 a fault "
               "of the\nprogram; 130 cancelled (what was reached so far is still written).");
}

std::optional<std::filesystem::path> optionalPath(const std::string &text)
{
    return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
}

using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

Result<InputShapes> inputShapesOf(const Raw &raw)
{
    InputShapes shapes;
    for (const std::string &text : raw.inputs) {
        auto input = parseInput(text);
        if (!input)
            return tl::unexpected(input.error());
        if (!shapes.insert(std::move(*input)).second)
            return fail(Error::Kind::Usage, "this input has a shape already", "--input " + text);
    }
    return shapes;
}

Result<double> toleranceOf(const std::string &text)
{
    if (text.empty())
        return 1e-4;
    const auto tolerance = number<double>(text);
    if (!tolerance || !std::isfinite(*tolerance) || *tolerance < 0)
        return fail(Error::Kind::Usage,
                    "RTOL is a number such as 1e-4; put the model before --verify",
                    "--verify " + text);
    return *tolerance;
}

/// The target that is named, or the host where something needs one.
Result<std::optional<BatchOptions::TargetName>> targetOf(const CLI::App &app, const Raw &raw)
{
    if (!app.count("--target")) {
        for (const char *name : {"--measure", "--emit-kernels", "--trace"})
            if (app.count(name))
                return BatchOptions::TargetName{"host", ""};
        return std::nullopt;
    }
    const auto colon = raw.target.find(':');
    const BatchOptions::TargetName target{
        raw.target.substr(0, colon),
        colon == std::string::npos ? "" : raw.target.substr(colon + 1)};
    if (target.target.empty() || (colon != std::string::npos && target.device.empty()))
        return fail(Error::Kind::Usage, "it takes NAME or NAME:DEVICE, as in host",
                    "--target " + raw.target);
    return target;
}

Result<BatchOptions> batchOptionsOf(const CLI::App &app, const Raw &raw)
{
    BatchOptions options;
    if (app.count("--verify")) {
        const auto tolerance = toleranceOf(raw.verify);
        if (!tolerance)
            return tl::unexpected(tolerance.error());
        options.verify = *tolerance;
    }
    if (raw.model.empty())
        return fail(Error::Kind::Usage, "--batch needs a model: graphloom --batch MODEL.onnx");
    options.model = raw.model;
    auto shapes = inputShapesOf(raw);
    if (!shapes)
        return tl::unexpected(shapes.error());
    options.inputShapes = std::move(*shapes);
    if (app.count("--batch-size"))
        options.batchSize = raw.batchSize;
    auto training = raw.training.read(app);
    if (!training)
        return tl::unexpected(training.error());
    options.training = *training;
    auto objective = raw.objective.read(app);
    if (!objective)
        return tl::unexpected(objective.error());
    options.objective = *std::move(objective);
    for (const std::string &list : raw.passes) {
        for (std::size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
            end = list.find(',', start);
            options.passes.push_back(list.substr(start, end - start));
            if (options.passes.back().empty())
                return fail(Error::Kind::Usage, "it takes names with commas between them",
                            "--passes " + list);
        }
    }
    for (const std::string &text : raw.settings) {
        auto setting = parseSetting(text);
        if (!setting)
            return tl::unexpected(setting.error());
        options.settings.push_back(std::move(*setting));
    }
    if (app.count("--budget")) {
        const auto budget = parseBudget(raw.budget);
        if (!budget)
            return tl::unexpected(budget.error());
        options.budget = *budget;
    }
    options.threads = raw.threads;
    options.seed = raw.seed;
    options.emitKernels = optionalPath(raw.emitKernels);
    options.trace = optionalPath(raw.trace);
    if (app.count("--measure"))
        options.measure = raw.measure;
    auto target = targetOf(app, raw);
    if (!target)
        return tl::unexpected(target.error());
    options.target = std::move(*target);
    options.exportTo = optionalPath(raw.exportTo);
    options.exportFlat = raw.exportFlat;
    options.report = optionalPath(raw.report);
    options.junit = optionalPath(raw.junit);
    options.baseline = optionalPath(raw.baseline);
    options.profile = optionalPath(raw.profileDatabase);
    if (options.exportFlat && !options.exportTo)
        return fail(Error::Kind::Usage, "--export-flat says how to write what --export names");
    options.testData.assign(raw.testData.begin(), raw.testData.end());
    options.assertions = raw.assertions;
    if (!raw.progress.empty())
        options.progress = raw.progress == "bar"    ? ProgressStyle::Bar
                           : raw.progress == "json" ? ProgressStyle::Json
                                                    : ProgressStyle::None;
    return options;
}

Result<ProfileOptions> profileOptionsOf(const Raw &raw)
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
Result<std::optional<Budget>> windowBudgetOf(const CLI::App &app, const Raw &raw)
{
    if (app.count("--budget") == 0)
        return std::nullopt;
    if (raw.view != "tuning")
        return fail(Error::Kind::Usage, "needs --batch or --view tuning", "--budget");
    const auto budget = parseBudget(raw.budget);
    if (!budget)
        return tl::unexpected(budget.error());
    if (budget->amount <= 0)
        return fail(Error::Kind::Usage, "there is nothing to show of no tuning",
                    "--budget " + raw.budget);
    return *budget;
}

/// Options that were given although they mean nothing without --batch.
Result<void> refuseBatchOptions(const CLI::App &app)
{
    for (const CLI::Option *option : app.get_options())
        if (option->count() > 0 && option->get_group() == batchGroup &&
            option->get_name() != "--input" && option->get_name() != "--budget")
            return fail(Error::Kind::Usage, "needs --batch", option->get_name());
    return {};
}

Result<Command> commandOf(const CLI::App &app, const Raw &raw)
{
    for (const char *name : laterOptions)
        if (app.count(name))
            return fail(Error::Kind::Usage, "this version of graphloom does not have it yet", name);
    if (raw.json && !app.count("--list"))
        return fail(Error::Kind::Usage, "belongs to --list", "--json");
    for (const auto &[name, text] : {std::pair{"MODEL", &raw.model},
                                     {"--screenshot", &raw.screenshot},
                                     {"--export", &raw.exportTo},
                                     {"--report", &raw.report},
                                     {"--junit", &raw.junit},
                                     {"--baseline", &raw.baseline},
                                     {"--emit-kernels", &raw.emitKernels},
                                     {"--trace", &raw.trace},
                                     {"--profile-db", &raw.profileDatabase}})
        if (app.count(name) && text->empty())
            return fail(Error::Kind::Usage, "the file's name is empty", name);
    if (raw.model.ends_with(".gloom"))
        return fail(Error::Kind::Usage, "this version of graphloom has no sessions yet", raw.model);
    if (app.count("--list")) {
        if (raw.batch || !raw.model.empty())
            return fail(Error::Kind::Usage, "--list goes alone, or with --json");
        return ListOptions{raw.list, raw.json};
    }
    if (app.count("--profile")) {
        if (raw.batch || !raw.model.empty())
            return fail(Error::Kind::Usage, "--profile goes alone, or with --profile-db");
        auto options = profileOptionsOf(raw);
        if (!options)
            return tl::unexpected(options.error());
        return std::move(*options);
    }
    if (app.count("--profile-db") && !raw.batch)
        return fail(Error::Kind::Usage, "belongs to --profile or --batch", "--profile-db");
    if (raw.batch) {
        for (const char *name : {"--view", "--theme", "--screenshot"})
            if (app.count(name))
                return fail(Error::Kind::Usage, "is of the window and does not go with --batch",
                            name);
        auto options = batchOptionsOf(app, raw);
        if (!options)
            return tl::unexpected(options.error());
        return std::move(*options);
    }
    if (auto none = refuseBatchOptions(app); !none)
        return tl::unexpected(none.error());
    WindowOptions window;
    window.document = optionalPath(raw.model);
    window.screenshot = optionalPath(raw.screenshot);
    window.view = raw.view;
    window.theme = raw.theme;
    auto shapes = inputShapesOf(raw);
    if (!shapes)
        return tl::unexpected(shapes.error());
    window.inputShapes = std::move(*shapes);
    auto budget = windowBudgetOf(app, raw);
    if (!budget)
        return tl::unexpected(budget.error());
    window.budget = *budget;
    if (window.screenshot && !window.document)
        return fail(Error::Kind::Usage, "needs a model to take a picture of", "--screenshot");
    return window;
}

} // namespace

Result<Command> parseCommandLine(const std::vector<std::string> &arguments)
{
    CLI::App app("Workbench for deep-learning graph optimization.\n\n"
                 "  graphloom [MODEL]                       opens the window\n"
                 "  graphloom --batch MODEL [OPTIONS]       works without a window\n"
                 "  graphloom --list WHAT [--json]\n"
                 "  graphloom --profile info|export FILE|import FILE...\n"
                 "  graphloom MODEL --screenshot FILE.png   needs no display\n",
                 "graphloom");
    Raw raw;
    addOptions(app, raw);
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp &) {
        return Answer{app.help()};
    } catch (const CLI::ParseError &error) {
        return fail(Error::Kind::Usage, error.what());
    }
    if (raw.version)
        return Answer{"graphloom " GRAPHLOOM_VERSION "\n"};
    return commandOf(app, raw);
}

} // namespace graphloom
