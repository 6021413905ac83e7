// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/raw_arguments.h"

#include "app/batch/arguments/number_check.h"
#include "engine/target/target.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>

namespace graphloom {

namespace {

constexpr int mostRuns = 1'000'000;

/// In the order of --help.
constexpr const char *workGroup = "Batch mode", *modelGroup = "Model, with or without a window",
                     *passGroup = "Batch mode: passes", *targetGroup = "Batch mode: kernels",
                     *checkGroup = "Batch mode: checks", *outputGroup = "Batch mode: outputs";

/// Adds options to one group.
class GroupOfOptions {
public:
    GroupOfOptions(CLI::App &app, const char *group) : m_app(app), m_group(group) {}

    template <class Value>
    CLI::Option *add(const char *name, Value &value, const char *help, const char *type) const
    {
        return m_app.add_option(name, value, help)->group(m_group)->type_name(type);
    }
    /// Lets each occurrence take one word; by default CLI11 takes all words that follow.
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
    group.addFlag("--batch", raw.batch, "Run without a window");
    group.add("--config", raw.config,
              "Read options from a JSON object whose keys are option names without dashes, such as "
              "{\"passes\": [\"ago\"], \"set\": {\"ago.threshold\": 600}}; comments are allowed. "
              "The command line takes precedence, for --set and --tolerance entry by entry",
              "FILE.json");
    group.addFlag(
        "--print-config", raw.printConfig,
        "Print all given options, including those of --config, as a configuration file and exit");
    group.addFlag("--dry-run", raw.dryRun,
                  "Check what can be checked in advance, print what would be done, and exit");
    group.add("--threads", raw.threads, "Number of threads (default: one per core)", "N")
        ->check(numberIn(1u, mostThreads));
    group.add("--seed", raw.seed, "Seed of all pseudorandom numbers (default: 0)", "N")
        ->check(numberIn(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
    group
        .add("--progress", raw.progress,
             "Format of progress on stderr (default: bar). In json, each line is an object with "
             "\"event\" (start, stage, progress, warning, result, gate, output, end) and "
             "\"time\" in seconds since the start; stage and progress also have \"stage\", "
             "\"fraction\" and \"text\"",
             "bar|json|none")
        ->check(CLI::IsMember({"bar", "json", "none"}));
}

void addModel(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, modelGroup);
    group.addEach("--input", raw.inputs, "Shape of a graph input (repeatable)", "NAME:1x3x224x224");
    group
        .add("--batch-size", raw.batchSize,
             "First extent of the inputs, also in constant shapes that contain it", "N")
        ->check(numberIn(std::int64_t{1}, largestExtent));
    raw.training.addTo(app, modelGroup);
}

void addPasses(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, passGroup);
    group.addEach("--passes", raw.passes, "Passes to run, in this order", "ago,...");
    group.addEach("--set", raw.settings, "Parameter of a pass; see --list passes (repeatable)",
                  "PASS.PARAMETER=VALUE");
    group.add("--device", raw.device,
              "Described device that passes plan for; see --list devices (default: that of "
              "--target, or this machine)",
              "NAME");
    raw.objective.addTo(app, passGroup);
    group.add("--budget", raw.budget,
              "Budget for tuning kernels or, without a target, for passes that search: 180s, "
              "2000trials, 0",
              "AMOUNT");
}

void addKernels(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, targetGroup);
    group.add("--target", raw.target,
              "Target to build the result for, see --list targets; after commas, others that it is "
              "measured on, too",
              "NAME[:DEVICE],...");
    group
        .add("--measure", raw.measure,
             "Measure this many runs of the result, in alternation with the original without "
             "fusion; uses this machine without --target",
             "RUNS")
        ->check(numberIn(1, mostRuns));
    group
        .add(
            "--times", raw.times,
            "Times by which kernels are tuned: measured, or modelled for the device, which repeats "
            "exactly if --budget is a number of trials (default: measured)",
            "measured|modelled")
        ->check(CLI::IsMember({"measured", "modelled"}));
}

void addChecks(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, checkGroup);
    group
        .add("--verify", raw.verify,
             "Compare original and result on random inputs; RTOL is relative to the scale of each "
             "output (default: 1e-4)",
             "[RTOL]")
        ->expected(0, 1);
    group.addEach(
        "--test-data", raw.testData,
        "Run stored inputs (input_0.pb, ...) and compare with stored outputs (output_0.pb, "
        "...) (repeatable)",
        "DIR");
    group.addEach(
        "--assert", raw.assertions,
        "Require a condition on keys of the report, such as \"partition.subgraphs <= 82\" "
        "(repeatable)",
        "EXPR");
    group.add("--baseline", raw.baseline,
              "Fail if a figure is worse than in this earlier report by more than its tolerance",
              "OLD.json");
    group.add("--compare", raw.compare,
              "Report how nodes, tensors and figures of the result differ from those of another "
              "model or of the plan of a session",
              "OTHER.onnx|SESSION.gloom");
    group.addEach("--tolerance", raw.tolerances,
                  "Tolerance of --baseline for a figure, such as latency.*=5% or "
                  "partition.subgraphs=2; the last match applies (repeatable; default: 10% for "
                  "measured times, otherwise 0)",
                  "METRIC=AMOUNT");
}

void addOutputs(CLI::App &app, RawArguments &raw)
{
    const GroupOfOptions group(app, outputGroup);
    group.add("--export", raw.exportTo,
              "Write the result as ONNX. Models, kernels, traces and sessions are only written if "
              "no check fails",
              "OUT.onnx");
    group.addFlag("--export-flat", raw.exportFlat,
                  "Export nodes with metadata instead of local functions");
    group.add("--emit-kernels", raw.emitKernels, "Write the source code of the generated kernels",
              "DIR");
    group.add("--emit-package", raw.emitPackage,
              "Write the plan as C that builds and runs without this program", "DIR");
    group.addFlag("--partial", raw.partial,
                  "Write a package even if blocks have no kernel; your program defines these");
    group.add("--trace", raw.trace, "Write a trace of one run for Perfetto or chrome://tracing",
              "FILE.json");
    group.add("--save", raw.save, "Write the plans of all passes as a session for the window",
              "SESSION.gloom");
    group.add("--report", raw.report, "Write all figures as JSON, even if checks fail", "OUT.json");
    group.add("--html", raw.html, "Write a readable report with pictures, in one file", "OUT.html");
    group.add("--junit", raw.junit,
              "Write the results of all checks as JUnit XML, even if the run fails", "OUT.xml");
    group.add("--sarif", raw.sarif,
              "Write warnings and errors as SARIF 2.1.0, even if the run fails", "OUT.sarif");
}

bool isOneOf(const CLI::Option &option, std::initializer_list<const char *> names)
{
    return std::ranges::any_of(names, [&](const char *name) { return option.get_name() == name; });
}

} // namespace

void addArguments(CLI::App &app, RawArguments &raw)
{
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.add_flag("--version", raw.version, "Print the version and exit");
    app.add_option("MODEL", raw.model, "ONNX model, or for the window a session")->type_name("");
    app.add_option("MORE", raw.more, "Further models or sessions, which the window opens in tabs")
        ->type_name("");
    app.add_option("--view", raw.view,
                   "View to show: model, modules, partition, blocks, fissions, rewriting, kernels, "
                   "heat, roofline, timeline, memory, pareto, runs, compare (with --compare), a "
                   "figure of nodes such as macs or bytes, or tuning, which tunes within --budget")
        ->type_name("NAME");
    app.add_option("--theme", raw.theme, "Colour theme of the window")
        ->type_name("dark|light")
        ->check(CLI::IsMember({"dark", "light"}));
    app.add_option("--screenshot", raw.screenshot, "Write a picture of the window and exit")
        ->type_name("FILE.png");
    app.add_option(
           "--export-view", raw.exportViews,
           "Write a view as a picture (.svg, .png) or a table (.csv, .json) and exit "
           "(repeatable). Views are those of --view, and nodes, hierarchy, histogram, rules, "
           "arena, steps, search, rejected, messages; as with --view, some of them run a pass "
           "first. Colours are those of --theme (default: light)")
        ->type_name("VIEW=FILE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--export-scale", raw.exportScale, "Scale of exported .png files (default: 2)")
        ->type_name("FACTOR")
        ->check(numberIn(0.1, 10.0));
    app.add_option("--list", raw.list, "List what is available and exit")
        ->type_name("passes|targets|devices|ops|rules|fusions")
        ->check(CLI::IsMember({"passes", "targets", "devices", "ops", "rules", "fusions"}));
    app.add_flag("--json", raw.json, "Print the list as JSON");
    app.add_option("--profile", raw.profile,
                   "Summarize the profile database, export it to a file, or import files")
        ->type_name("info|export FILE|import FILE...")
        ->expected(1, CLI::detail::expected_max_vector_size);
    app.add_option("--profile-db", raw.profileDatabase,
                   "Profile database (default: graphloom/profile.db in the user's data folder)")
        ->type_name("FILE");
    addWork(app, raw);
    addModel(app, raw);
    addPasses(app, raw);
    addKernels(app, raw);
    addChecks(app, raw);
    addOutputs(app, raw);
    app.footer(
        "Exit codes: 0 success; 1 an assertion, comparison or verification failed; 2 usage "
        "error;\n3 the model cannot be read; 4 a file, tool or device is missing; 5 internal "
        "error;\n130 cancelled by SIGINT or SIGTERM (results so far are still written; a second "
        "signal\nends the program within a second).");
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
