// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/raw_arguments.h"

#include "app/batch/arguments/number_check.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>

namespace graphloom {

namespace {

constexpr int mostRuns = 1'000'000;

/// Machines have up to some hundred; each thread has a stack, and an arena of its own.
constexpr unsigned mostThreads = 1024;

/// The order is that of --help.
constexpr const char *workGroup = "Without a window", *modelGroup = "The model, with a window, too",
                     *passGroup = "Without a window: passes",
                     *targetGroup = "Without a window: kernels",
                     *checkGroup = "Without a window: checks",
                     *outputGroup = "Without a window: outputs";

/// Adds options to one group.
class GroupOfOptions {
public:
    GroupOfOptions(CLI::App &app, const char *group) : m_app(app), m_group(group) {}

    template <class Value>
    CLI::Option *add(const char *name, Value &value, const char *help, const char *type) const
    {
        return m_app.add_option(name, value, help)->group(m_group)->type_name(type);
    }
    /// CLI11 lets an option with a list take all words that follow; each of ours takes one.
    CLI::Option *addEach(const char *name, std::vector<std::string> &values, const char *help,
                         const char *type) const
    {
        return add(name, values, help, type)->expected(1)->take_all()->allow_extra_args(false);
    }
    CLI::Option *addFlag(const char *name, bool &value, const char *help) const
    {
        return m_app.add_flag(name, value, help)->group(m_group);
    }

private:
    CLI::App &m_app;
    const char *m_group;
};

void addWork(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, workGroup);
    group.addFlag("--batch", raw.batch, "Do all that is asked for without a window");
    group.add("--config", raw.config,
              "Options from a file: a JSON object with the options' names without dashes, as in "
              "{\"passes\": [\"ago\"], \"set\": {\"ago.threshold\": 600}}; comments are allowed. "
              "The command line wins, of --set and --tolerance entry by entry",
              "FILE.json");
    group.addFlag("--print-config", raw.printConfig,
                  "Print what is asked for, with what is from the file, as such a file; then exit");
    group.addFlag("--dry-run", raw.dryRun,
                  "Check all that can be checked without doing the work, and say what would be "
                  "done; then exit");
    group.add("--threads", raw.threads, "Threads to use; default: one per core", "N")
        ->check(numberIn(1u, mostThreads));
    group.add("--seed", raw.seed, "Of everything pseudo-random; default: 0", "N")
        ->check(numberIn(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
    group
        .add("--progress", raw.progress,
             "On stderr; default: bar at a terminal. As json each line is an object with \"event\" "
             "(start, stage, progress, warning, result, gate, output, end) and \"time\" in seconds "
             "since the start; stage and progress have \"stage\", \"fraction\" and \"text\"",
             "bar|json|none")
        ->check(CLI::IsMember({"bar", "json", "none"}));
}

void addModel(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, modelGroup);
    group.addEach("--input", raw.inputs, "Shape of a graph input; may be repeated",
                  "NAME:1x3x224x224");
    group
        .add("--batch-size", raw.batchSize,
             "First extent of inputs; also in the shapes that hold it", "N")
        ->check(numberIn(std::int64_t{1}, largestExtent));
    raw.training.addTo(app, modelGroup);
}

void addPasses(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, passGroup);
    group.addEach("--passes", raw.passes, "Passes to run, in this order", "ago,...");
    group.addEach("--set", raw.settings, "Parameter of a pass; see --list passes",
                  "PASS.PARAMETER=VALUE");
    raw.objective.addTo(app, passGroup);
    group.add("--budget", raw.budget,
              "For tuning kernels on the target, or without one for passes that search: 180s, "
              "2000trials, 0",
              "AMOUNT");
}

void addKernels(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, targetGroup);
    group.add("--target", raw.target, "Build the result there; see --list targets",
              "NAME[:DEVICE]");
    group
        .add("--measure", raw.measure,
             "Time so many runs of the result and, in turns with them, of the original without "
             "fusion; the target is the host unless one is named",
             "RUNS")
        ->check(numberIn(1, mostRuns));
}

void addChecks(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, checkGroup);
    group
        .add("--verify", raw.verify,
             "Compare original and result on random inputs. RTOL is relative to the scale of each "
             "output; default: 1e-4",
             "[RTOL]")
        ->expected(0, 1);
    group.addEach("--test-data", raw.testData,
                  "Run stored inputs (input_0.pb...) and compare with output_0.pb...; may be "
                  "repeated",
                  "DIR");
    group.addEach("--assert", raw.assertions,
                  "A condition over the report's keys, as \"partition.subgraphs <= 82\"", "EXPR");
    group.add("--baseline", raw.baseline,
              "Fail where figures are worse than in this earlier report, each by its own tolerance",
              "OLD.json");
    group.add("--compare", raw.compare,
              "Say what is different in the result: nodes, tensors and figures beside those of "
              "another model, or of a session's plan",
              "OTHER.onnx|SESSION.gloom");
    group.addEach("--tolerance", raw.tolerances,
                  "How much worse a figure may be, as latency.*=5% or partition.subgraphs=2; the "
                  "last one that matches counts; default: 10% for measured times, 0 for all others",
                  "METRIC=AMOUNT");
}

void addOutputs(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, outputGroup);
    group.add("--export", raw.exportTo,
              "Write the result as ONNX. This, kernels, traces and sessions are put in place only "
              "when no "
              "check has failed",
              "OUT.onnx");
    group.addFlag("--export-flat", raw.exportFlat,
                  "Nodes with metadata in place of local functions");
    group.add("--emit-kernels", raw.emitKernels, "Write the generated kernels as text", "DIR");
    group.add("--trace", raw.trace, "Write one run as a trace for Perfetto or chrome://tracing",
              "FILE.json");
    group.add("--save", raw.save,
              "Write the plans of all passes as a session, which the window opens",
              "SESSION.gloom");
    group.add("--report", raw.report, "Write every figure, also where checks have failed",
              "OUT.json");
    group.add("--html", raw.html, "Write a report to read, with pictures, in one file", "OUT.html");
    group.add("--junit", raw.junit, "Write what passed and failed as JUnit, in any case",
              "OUT.xml");
    group.add("--sarif", raw.sarif,
              "Write what was odd, refused or failed as SARIF 2.1.0, in any case", "OUT.sarif");
}

bool isOneOf(const CLI::Option &option, std::initializer_list<const char *> names)
{
    return std::ranges::any_of(names, [&](const char *name) { return option.get_name() == name; });
}

} // namespace

void addArguments(CLI::App &app, RawArguments &raw)
{
    app.set_help_flag("-h,--help", "Print this and exit");
    app.add_flag("--version", raw.version, "Print the version and exit");
    app.add_option("MODEL", raw.model, "An ONNX model")->type_name("");
    app.add_option("--view", raw.view,
                   "What to show: model, modules, partition, blocks, fissions, rewriting, kernels, "
                   "heat, roofline, memory, pareto, runs, compare (with --compare), a figure of "
                   "nodes such as macs or bytes, or "
                   "tuning, which tunes for a --budget")
        ->type_name("NAME");
    app.add_option("--theme", raw.theme, "Colours of the window")
        ->type_name("dark|light")
        ->check(CLI::IsMember({"dark", "light"}));
    app.add_option("--screenshot", raw.screenshot, "Write a picture of the window, then exit")
        ->type_name("FILE.png");
    app.add_option(
           "--export-view", raw.exportViews,
           "Write a view as a picture (.svg, .png) or a table (.csv, .json), then exit; may "
           "be repeated. Views are those of --view, and nodes, hierarchy, histogram, rules, "
           "arena, steps, search, rejected, messages; those for which a pass runs are shown "
           "as --view shows them. In the colours of --theme; default: light")
        ->type_name("VIEW=FILE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--export-scale", raw.exportScale,
                   "Pixels of a .png for one of the picture; default: 2")
        ->type_name("FACTOR")
        ->check(numberIn(0.1, 10.0));
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
    addWork(app, raw);
    addModel(app, raw);
    addPasses(app, raw);
    addKernels(app, raw);
    addChecks(app, raw);
    addOutputs(app, raw);
    app.footer(
        "Exit codes: 0 done; 1 an assertion, comparison or verification failed; 2 wrong "
        "usage;\n3 the model cannot be read; 4 a file, tool or device is missing; 5 a fault "
        "of the\nprogram; 130 cancelled by SIGINT or SIGTERM (what was reached so far is still\n"
        "written; a second signal ends it within a second).");
}

bool isOfBatch(const CLI::Option &option)
{
    return option.get_group().starts_with(workGroup);
}

bool isConfigurable(const CLI::Option &option)
{
    if (isOneOf(option, {"MODEL", "--profile-db"}) || option.get_group() == modelGroup)
        return true;
    return isOfBatch(option) &&
           !isOneOf(option, {"--batch", "--config", "--print-config", "--dry-run"});
}

} // namespace graphloom
