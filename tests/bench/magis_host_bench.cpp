// SPDX-License-Identifier: Apache-2.0
// What plans of the pass "magis" for device=host save on this machine: peak resident memory and
// time of a step of training, of the graph as it came and of the result, each in a process of its
// own. Memory is the peak of a process that runs the step, less the peak of one that only loads it
// (graph, kernels, inputs). Calls are one kernel each, unfused. Options: --models DIR
// (unet_b32_256, resnet18 and bert_tiny, where they are there, also in its folders), --model NAME
// (all), --seconds N (20) of search, --measure N (60) seconds of timing, --latency X (1.10) times
// as long at most, --runs N (9), --threads N (2), --cache DIR of kernels.
#include "engine/cost/instruction_set.h"
#include "engine/interpreter/fill_weights.h"
#include "engine/interpreter/interpreter.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/ops/derive/infer.h"
#include "engine/runtime/executable.h"
#include "engine/target/call_timing.h"
#include "plugins/magis/magis_pass.h"
#include "tests/bench/training_models.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace graphloom;

namespace {

struct Workload {
    const char *file;
    std::int64_t batch;
};
/// Small enough for a desktop machine.
constexpr Workload workloads[] = {{"unet_b32_256", 2}, {"bert_tiny", 16}, {"resnet18", 8}};

struct Options {
    std::filesystem::path models, self,
        cache = std::filesystem::temp_directory_path() / "graphloom-bench-kernels";
    std::string model;
    double seconds = 20, measure = 60, latency = 1.10;
    int runs = 9;
    unsigned threads = 2;
};

int failed(const Error &error)
{
    std::fprintf(stderr, "%s\n", error.text().c_str());
    return 1;
}

/// A figure of this process, in MB of 2^20 bytes: "VmHWM:" or "VmRSS:".
double megabytes(std::string_view key)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key))
            return std::stod(line.substr(key.size())) / 1024;
    return 0;
}

/// What reading and compiling took at some time shall not hide what running takes.
void forgetPeak()
{
    std::ofstream("/proc/self/clear_refs") << "5";
}

/// Indices that every vocabulary has; other inputs are random.
Result<std::vector<TensorData>> inputsOf(const Graph &graph)
{
    auto inputs = randomInputs(graph, 1);
    if (!inputs)
        return inputs;
    for (TensorData &input : *inputs)
        if (input.type() == DataType::Int64) {
            std::vector<std::int64_t> values(std::size_t(input.elements()));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = std::int64_t(i % 2);
            input = TensorData::fromInt64s(values).reshaped(input.extents());
        }
    return inputs;
}

/// The child: loads a file, runs it so many times, and says peak and times.
int runFile(const std::filesystem::path &file, const Options &options)
{
    auto model = importOnnx(file);
    if (!model)
        return failed(model.error());
    const Opsets opsets = opsetsOf(*model);
    std::vector<Runnable> filled{{file.string(), std::move(model->graph), opsets}};
    if (auto done = fillSplatWeights(filled, {.folded = true}); !done)
        return failed(done.error());
    const Graph &graph = filled[0].graph;
    std::vector<std::vector<NodeId>> blocks;
    for (const NodeId id : graph.order())
        blocks.push_back({id});
    const auto compiler = findCCompiler();
    if (!compiler)
        return failed(compiler.error());
    KernelCache cache(options.cache, std::uint64_t{1} << 30);
    ExecutableOptions build;
    build.target = scheduleTargetOf(hostInstructionSet(), int(options.threads));
    build.compiler = &*compiler;
    build.cache = &cache;
    build.threads = options.threads;
    build.compileSeconds = 1800; // others may use the machine, too
    const auto executable = Executable::build(graph, opsets, blocks, build);
    if (!executable)
        return failed(executable.error());
    auto inputs = inputsOf(graph);
    if (!inputs)
        return failed(inputs.error());
    if (auto set = (*executable)->setInputs(*inputs); !set)
        return failed(set.error());
    forgetPeak();
    std::vector<double> times;
    for (int run = 0; run < options.runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        if (auto ran = (*executable)->runOnce(); !ran)
            return failed(ran.error());
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count());
    }
    std::ranges::sort(times);
    const auto interpreted = std::ranges::count_if(
        (*executable)->steps(), [](const auto &step) { return step.symbol.empty(); });
    std::printf("%.1f %.1f %.3f %.3f %td\n", megabytes("VmHWM:"),
                double((*executable)->arenaBytes()) / 0x1p20, times.empty() ? 0 : times.front(),
                times.empty() ? 0 : times[times.size() / 2], interpreted);
    return 0;
}

struct Ran {
    double peak = 0, arena = 0, least = 0, median = 0; // MB, MB, ms, ms
    int interpreted = 0;
};

/// The same in a process of its own.
std::optional<Ran> inProcess(const std::filesystem::path &file, int runs, const Options &options)
{
    int ends[2];
    if (pipe(ends) != 0)
        return std::nullopt;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        const std::string times = std::to_string(runs), threads = std::to_string(options.threads);
        execl(options.self.c_str(), options.self.c_str(), "--run", file.c_str(), "--runs",
              times.c_str(), "--threads", threads.c_str(), "--cache", options.cache.c_str(),
              static_cast<char *>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    std::string said;
    char buffer[256];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, std::size_t(got));
    close(ends[0]);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        return std::nullopt;
    Ran ran;
    std::istringstream(said) >> ran.peak >> ran.arena >> ran.least >> ran.median >> ran.interpreted;
    return ran;
}

/// A plan as a row says it: what a run takes beside what loading does.
std::optional<Ran> measured(const Plan &plan, const std::string &name, const Options &options)
{
    const std::filesystem::path folder = options.cache / ("models-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / (name + ".onnx");
    std::optional<Ran> ran;
    if (auto written = exportOnnx(plan, file, {.flat = true}); !written) {
        failed(written.error());
    } else if (const auto loaded = inProcess(file, 0, options)) {
        ran = inProcess(file, options.runs, options);
        if (ran)
            ran->peak -= loaded->peak;
    }
    std::filesystem::remove_all(folder);
    return ran;
}

std::filesystem::path fileOf(const std::filesystem::path &folder, const std::string &name)
{
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().filename() == name + ".onnx")
            return entry.path();
    return {};
}

bool measure(const Workload &workload, const Options &options)
{
    const std::filesystem::path file = fileOf(options.models, workload.file);
    if (file.empty()) {
        std::printf("%-16s is not there\n", workload.file);
        return true;
    }
    const auto say = [&](const Error &error) {
        std::printf("%-16s %s\n", workload.file, error.text().c_str());
        return false;
    };
    ImportOptions reading;
    reading.batchSize = workload.batch;
    const auto plan =
        bench::trainingPlan(file, {.batchNorm = TrainingOptions::BatchNorm::Frozen}, reading);
    if (!plan)
        return say(plan.error());
    const magis::MagisPass pass;
    Context context;
    context.settings = Settings(pass.parameters(), pass.rules());
    context.objective.mode = Objective::Mode::Memory;
    context.objective.latencyLimit = options.latency;
    context.threads = options.threads;
    context.seed = 1;
    CallTimingOptions timing;
    timing.threads = options.threads;
    timing.cache = options.cache;
    context.timers = timersOn([] { return loadTargetPlugins(defaultTargetFolder()); }, timing,
                              [] { return Result<std::shared_ptr<ProfileDatabase>>(nullptr); });
    for (const auto &[name, value] : {std::pair<const char *, std::string>{"device", "host"},
                                      {"seconds", std::to_string(options.seconds)},
                                      {"measure-seconds", std::to_string(options.measure)}})
        if (auto set = context.settings.set(name, std::string_view(value)); !set)
            return say(set.error());
    const auto result = runPass(pass, *plan, context);
    if (!result)
        return say(result.error());
    const MemoryPlan &memory = *result->memory;
    if (!memory.realized) {
        std::printf("%-16s %s\n", workload.file, memory.unrealized.c_str());
        return false;
    }
    const auto before = measured(*plan, "original", options);
    const auto after = measured(*result, "result", options);
    if (!before || !after) {
        std::printf("%-16s a process did not end well\n", workload.file);
        return false;
    }
    std::printf("%-16s %3lld | %8.1f %8.1f %.3f | %8.1f %8.1f | %8.1f %8.1f %.3f | %9.2f /%9.2f "
                "%9.2f /%9.2f %.3f | %.3f | %.0f %% | %d, %d\n",
                workload.file, static_cast<long long>(workload.batch),
                double(memory.before.peakBytes) / 0x1p20, double(memory.after.peakBytes) / 0x1p20,
                double(memory.after.peakBytes) / double(memory.before.peakBytes), before->arena,
                after->arena, before->peak, after->peak, after->peak / before->peak, before->least,
                before->median, after->least, after->median, after->median / before->median,
                memory.after.ms / memory.before.ms, 100 * memory.times.share, before->interpreted,
                after->interpreted);
    std::fflush(stdout);
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    std::filesystem::path run;
    std::error_code none;
    options.self = std::filesystem::read_symlink("/proc/self/exe", none);
    const bool understood = bench::readOptions(argc, argv,
                                               {{"--models", &options.models},
                                                {"--model", &options.model},
                                                {"--seconds", &options.seconds},
                                                {"--measure", &options.measure},
                                                {"--latency", &options.latency},
                                                {"--runs", &options.runs},
                                                {"--threads", &options.threads},
                                                {"--cache", &options.cache},
                                                {"--run", &run}});
    options.threads = std::max(1u, options.threads);
    if (understood && !run.empty())
        return runFile(run, options);
    if (!understood || options.models.empty()) {
        std::printf("usage: magis_host_bench --models DIR [--model NAME] [--seconds N] "
                    "[--measure N] [--latency X] [--runs N] [--threads N] [--cache DIR]\n");
        return 2;
    }
    std::printf("%u threads, at most %.2f times as long; MB of 2^20 bytes, of times the least and "
                "the median\n%-20s | %-23s | %-17s | %-23s | %-49s | %s | %s | %s\n",
                options.threads, options.latency, "model, batch", "peak as planned", "arena",
                "resident, measured", "ms", "ms as planned", "measured", "interpreted");
    bool all = true;
    for (const Workload &workload : workloads)
        if (options.model.empty() || options.model == workload.file)
            all = measure(workload, options) && all;
    return all ? 0 : 1;
}
