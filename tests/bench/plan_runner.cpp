// SPDX-License-Identifier: Apache-2.0
// plan_runner MODEL [--threads N] [--inputs DIR] [--passes dnnfusion,ago|none]
//             [--set PASS.NAME=VALUE] [--lanes 16] [--steps] [--verify] [--all] [--source]
//             [--cache DIR] [--tune SECONDS] [--trials N] [--winograd none|2x2|4x4]
// Runs a model's plan as a runner of tests/bench/peers: says "ready {json}", then answers `run`,
// `output FILE`, `rss` and `quit`. The plan is made and tuned for this machine as the program does
// it, by the host target. With --steps, --verify or --source it prints the times of the steps, the
// error against the interpreter (--all: of what goes from block to block, too), or the code
// instead, and ends.
#include "engine/cost/host.h"
#include "engine/interpreter/compare.h"
#include "engine/interpreter/fill_weights.h"
#include "engine/interpreter/interpreter.h"
#include "engine/onnx/files/tensor_file.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/infer.h"
#include "engine/runtime/executable.h"
#include "engine/target/call_timing.h"
#include "plugins/ago/ago_pass.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"
#include "tests/bench/peak_memory.h"
#include "tests/bench/sequence_proto.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace graphloom;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Options {
    std::string model, inputs,
        passes = "dnnfusion",
        cache = (std::filesystem::temp_directory_path() / "graphloom-bench-kernels").string();
    unsigned threads = 1;
    int lanes = 0;
    std::vector<std::string> settings; // PASS.NAME=VALUE
    double tune = 0;                   // seconds
    std::int64_t trials = 0;           // of tuning; 0: as many as there is time for
    std::string winograd; // for all convolutions that can be computed so: "2x2", "4x4", "none"
    bool steps = false, verify = false, all = false, source = false;
};

Result<Plan> withPass(Plan plan, const std::string &name, const Options &options)
{
    const dnnfusion::DnnFusionPass dnnfusion;
    const ago::AgoPass ago;
    const Pass *passes[] = {&dnnfusion, &ago};
    const auto pass = std::ranges::find(passes, name, &Pass::name);
    if (pass == std::end(passes))
        return fail(Error::Kind::Usage, "there is no pass \"" + name + "\"");
    Context context;
    context.settings = Settings((*pass)->parameters(), (*pass)->rules());
    for (const std::string &setting : options.settings) {
        const std::size_t dot = setting.find('.'), equals = setting.find('=');
        if (dot == std::string::npos || equals == std::string::npos || equals < dot)
            return fail(Error::Kind::Usage, "--set takes PASS.NAME=VALUE, not " + setting);
        if (setting.substr(0, dot) != name)
            continue;
        if (auto set = context.settings.set(setting.substr(dot + 1, equals - dot - 1),
                                            std::string_view(setting).substr(equals + 1));
            !set)
            return tl::unexpected(set.error());
    }
    return runPass(**pass, std::move(plan), context);
}

/// Returns the plan of the model for the device, after the passes.
Result<Plan> planOf(const Options &options, std::shared_ptr<const Device> device)
{
    GL_TRY_RESULT(model, importOnnx(options.model, {}));
    auto plan = initialPlan(std::make_shared<const Model>(std::move(*model)));
    if (plan)
        plan->device = std::move(device);
    for (std::istringstream names(options.passes); plan && !names.eof();) {
        std::string name;
        std::getline(names, name, ',');
        if (name != "none")
            plan = withPass(*std::move(plan), name, options);
    }
    return plan;
}

using Blocks = std::vector<std::vector<NodeId>>;

/// Returns the graph with the tensors that go from block to block as further outputs.
Graph withTensorsBetween(const Graph &graph, const Blocks &blocks)
{
    std::map<NodeId, std::size_t> blockOf;
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (const NodeId id : blocks[b])
            blockOf[id] = b;
    GraphEditor editor(graph);
    std::vector<TensorId> outputs(graph.outputs().begin(), graph.outputs().end());
    for (const NodeId id : graph.order())
        for (const TensorId tensor : graph.node(id).outputs)
            if (tensor.valid() && !graph.isOutput(tensor) &&
                std::ranges::any_of(graph.uses(tensor), [&](const Use &use) {
                    return blockOf[use.node] != blockOf[id];
                }))
                outputs.push_back(tensor);
    editor.setOutputs(std::move(outputs));
    return std::move(*std::move(editor).finish());
}

/// Builds the kernels of a plan, and does with them what the options say.
class PlanRunner {
public:
    explicit PlanRunner(const Options &options) : m_options(options) {}

    Result<void> run()
    {
        GL_TRY(prepare());
        if (!m_options.winograd.empty())
            GL_TRY(chooseAlgorithms());
        if (m_options.tune > 0)
            GL_TRY(tune());
        GL_TRY_CONST(executable, Executable::build(m_graph, m_opsets, m_blocks, m_build));
        m_executable = *executable;
        if (m_options.source) {
            printSource();
            return {};
        }
        GL_TRY(runFirst());
        if (m_options.verify)
            GL_TRY(verify());
        if (m_options.steps)
            GL_TRY(printSteps());
        if (m_options.steps || m_options.verify)
            return {};
        return answer();
    }

private:
    Result<void> prepare()
    {
        m_vectors =
            m_options.lanes != 0 ? findInstructionSet(m_options.lanes) : &hostInstructionSet();
        if (!m_vectors)
            return fail(Error::Kind::Usage, "no instruction set has so many lanes", "--lanes");
        GL_TRY(findDevice());
        GL_TRY_RESULT(plan, planOf(m_options, m_device));
        m_plan = *std::move(plan);
        m_planned = millisecondsSince(m_start);
        m_opsets = opsetsOf(*m_plan->model);
        takeBlocks();
        GL_TRY_CONST(compiler, findCCompiler());
        m_compiler = *compiler;
        m_cache.emplace(m_options.cache, std::uint64_t{1} << 30);
        m_build.target = scheduleTargetOf(*m_vectors, int(m_options.threads));
        m_build.compiler = &*m_compiler;
        m_build.cache = &*m_cache;
        m_build.threads = m_options.threads;
        m_build.pinning = Team::Pinning::OneCoreEach;
        return {};
    }

    /// Describes this machine with the instruction set, as the program does: its rates are measured
    /// the first time, and kept in the folder of kernels.
    Result<void> findDevice()
    {
        GL_TRY_RESULT(target, thisMachineAmong(loadTargetPlugins(GRAPHLOOM_TARGETS)));
        m_target = *std::move(target);
        m_target.device = std::string(m_vectors->name);
        std::filesystem::create_directories(m_options.cache);
        GL_TRY_RESULT(database,
                      ProfileDatabase::open(std::filesystem::path(m_options.cache) / "tuning.db"));
        m_database = std::make_shared<ProfileDatabase>(*std::move(database));
        CallTimingOptions timing;
        timing.device = m_target.device;
        timing.cache = m_options.cache;
        timing.database = m_database;
        timing.version = "bench";
        GL_TRY_RESULT(device, timerOn(m_target.target, timing)->device({}));
        m_device = std::make_shared<const Device>(*std::move(device));
        return {};
    }

    /// Chooses direct convolutions or Winograd's for all convolutions that can be computed so.
    Result<void> chooseAlgorithms()
    {
        GL_TRY_CONST(estimated,
                     generateKernels(m_graph, m_opsets, m_blocks, GenerateOptions{m_build}));
        m_build.algorithms.resize(m_blocks.size());
        for (const BlockIndex block : estimated->given())
            for (const auto &[nest, costs] : estimated->convolutions[block]) {
                const std::string number = std::to_string(nest.number());
                m_build.algorithms[estimated->part(block)] +=
                    (m_options.winograd == "none"
                         ? "direct " + number
                         : "winograd " + number + " " + m_options.winograd) +
                    "; ";
            }
        return {};
    }

    /// Tunes the plan, which may get other blocks.
    Result<void> tune()
    {
        TuneOptions tuner;
        tuner.device = m_target.device;
        tuner.threads = m_options.threads;
        tuner.cache = m_options.cache;
        tuner.seconds = m_options.tune;
        tuner.trials = m_options.trials;
        tuner.database = m_database;
        const double begin = steadySeconds();
        int trials = 0;
        tuner.tried = [&](const TuningTrial &) { ++trials; };
        GL_TRY_RESULT(tuned, m_target.target->tune(*m_plan, tuner));
        std::fprintf(stderr, "%zu blocks before, %zu tuned, %d trials in %.1f s\n", m_blocks.size(),
                     kernelBlocksOf(*tuned).size(), trials, steadySeconds() - begin);
        m_plan = *std::move(tuned);
        takeBlocks();
        if (m_options.steps && m_plan->fusion)
            for (const FusionBlock &block : m_plan->fusion->blocks)
                for (const BlockDecision &decision : block.decisions)
                    std::fprintf(stderr, "%s + %s: %s\n",
                                 m_plan->graph.node(decision.producer).name.c_str(),
                                 m_plan->graph.node(decision.consumer).name.c_str(),
                                 decision.reason.c_str());
        for (const std::vector<NestKernel> &block : m_plan->kernels->blocks) {
            NestSchedules &nests = m_build.schedules.emplace_back();
            for (const NestKernel &nest : block) {
                nests.push_back(nest.schedule);
                if (m_options.steps && nest.time && nest.before)
                    std::fprintf(stderr, "%8.1f -> %8.1f us, %lld trials: %s\n",
                                 1e3 * nest.before->value, 1e3 * nest.time->value,
                                 static_cast<long long>(nest.trials), nest.schedule.c_str());
            }
        }
        m_build.algorithms = PartAlgorithms(m_plan->kernels->algorithms);
        return {};
    }

    void takeBlocks()
    {
        m_blocks = kernelBlocksOf(*m_plan);
        m_graph = m_options.all ? withTensorsBetween(m_plan->graph, m_blocks) : m_plan->graph;
        m_build.layouts = layoutsOf(*m_plan);
    }

    void printSource() const
    {
        for (const auto &kernel : m_executable->kernels())
            if (kernel)
                for (const PhaseIndex p : kernel->phases.indices()) {
                    for (const NestIndex n : kernel->groups[p].nests())
                        std::printf("/* %s\n%s\n%s */\n", kernel->block.nests[n].name.c_str(),
                                    textOf(kernel->block.nests[n], kernel->block.tensors).c_str(),
                                    kernel->schedules[n].text().c_str());
                    std::printf("%s\n", kernel->phases[p].code.c_str());
                }
    }

    Result<void> runFirst()
    {
        GL_TRY_RESULT(inputs, randomInputs(m_graph, 0));
        if (!m_options.inputs.empty())
            for (std::size_t i = 0; i < inputs->size(); ++i) {
                GL_TRY_RESULT(data, readTensorFile(std::filesystem::path(m_options.inputs) /
                                                   ("input_" + std::to_string(i) + ".pb")));
                (*inputs)[i] = std::move(*data);
            }
        m_inputs = *std::move(inputs);
        GL_TRY(m_executable->setInputs(m_inputs));
        GL_TRY(m_executable->runOnce());
        m_first = millisecondsSince(m_start);
        return {};
    }

    Result<void> verify() const
    {
        const auto expected = interpret(m_graph, m_opsets, m_inputs);
        if (!expected) {
            std::fprintf(stderr, "the interpreter: ");
            return tl::unexpected(expected.error());
        }
        GL_TRY_CONST(actual, m_executable->outputs());
        for (std::size_t i = 0; i < expected->size(); ++i) {
            const Comparison difference = compare((*expected)[i], (*actual)[i]);
            if (m_options.all && difference.maxRelError < 1e-5)
                continue;
            std::printf("output %zu \"%s\": relative error %.2e, %lld finite, %s\n", i,
                        m_graph.tensor(m_graph.outputs()[i]).name.c_str(), difference.maxRelError,
                        static_cast<long long>(difference.finite), difference.worst.c_str());
        }
        std::size_t interpreted = 0;
        for (const auto &step : m_executable->steps())
            if (step.symbol.empty()) {
                ++interpreted;
                std::printf("interpreted: %s\n", step.reason.c_str());
            }
        std::printf("%zu steps, %zu interpreted; planned in %.0f ms, first run after %.0f ms\n",
                    m_executable->steps().size(), interpreted, m_planned, m_first);
        return {};
    }

    double macsOf(const Executable::Step &step) const
    {
        double macs = 0;
        if (const auto &kernel = m_executable->kernels()[step.block])
            for (const NestIndex n : kernel->groups[step.phase].nests())
                macs += double(kernel->block.nests[n].points(true));
        return macs;
    }

    Result<void> printSteps()
    {
        constexpr int rounds = 30;
        const auto &steps = m_executable->steps();
        std::vector<std::vector<double>> times(steps.size()); // of each step
        for (int round = 0; round < rounds; ++round) {
            GL_TRY_CONST(seconds, m_executable->timeSteps());
            auto of = times.begin();
            for (const double time : *seconds)
                (of++)->push_back(time);
        }
        double total = 0;
        auto of = times.begin();
        for (const Executable::Step &step : steps) {
            const double median = medianOf(*of++);
            total += median;
            std::printf("%9.1f us %7.1f GFLOP/s  %s | %s | %s\n", 1e6 * median,
                        2e-9 * macsOf(step) / median, step.text.c_str(), step.schedule.c_str(),
                        step.symbol.c_str());
        }
        std::printf("%9.1f us in all\n", 1e6 * total);
        return {};
    }

    /// Says "ready", and carries out the lines of the standard input.
    Result<void> answer()
    {
        std::printf("ready {\"name\": \"graphloom\", \"version\": \"0.1\", \"threads\": %u, "
                    "\"load_ms\": %.1f, \"first_run_ms\": %.1f, \"rss_mb\": %.0f}\n",
                    m_options.threads, m_planned, m_first, peakMegabytes());
        std::fflush(stdout);
        for (std::string line; std::getline(std::cin, line) && line != "quit";) {
            if (line == "run") {
                const auto before = Clock::now();
                GL_TRY(m_executable->runOnce());
                std::printf("%.6f\n", millisecondsSince(before));
            } else if (line == "rss") {
                std::printf("%.1f\n", peakMegabytes());
            } else if (line.starts_with("output ")) {
                GL_TRY_CONST(outputs, m_executable->outputs());
                std::ofstream file(line.substr(7), std::ios::binary);
                file << sequenceProto(*outputs);
                file.close();
                std::printf("%s\n", file ? "written" : "cannot be written");
            } else {
                std::printf("unknown\n");
            }
            std::fflush(stdout);
        }
        return {};
    }

    const Options &m_options;
    const Clock::time_point m_start = Clock::now();
    double m_planned = 0, m_first = 0; // milliseconds since the start
    std::optional<Plan> m_plan;
    Opsets m_opsets;
    Blocks m_blocks;
    Graph m_graph;
    std::optional<CCompiler> m_compiler;
    std::optional<KernelCache> m_cache;
    ChosenTarget m_target;
    std::shared_ptr<ProfileDatabase> m_database;
    std::shared_ptr<const Device> m_device;
    const InstructionSet *m_vectors = nullptr;
    ExecutableOptions m_build;
    std::shared_ptr<Executable> m_executable;
    std::vector<TensorData> m_inputs;
};

} // namespace

int main(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
        if (argument == "--threads")
            options.threads = unsigned(std::stoul(value()));
        else if (argument == "--inputs")
            options.inputs = value();
        else if (argument == "--passes")
            options.passes = value();
        else if (argument == "--set")
            options.settings.push_back(value());
        else if (argument == "--lanes")
            options.lanes = std::stoi(value());
        else if (argument == "--cache")
            options.cache = value();
        else if (argument == "--tune")
            options.tune = std::stod(value());
        else if (argument == "--trials")
            options.trials = std::stoll(value());
        else if (argument == "--winograd")
            options.winograd = value();
        else if (argument == "--steps")
            options.steps = true;
        else if (argument == "--verify")
            options.verify = true;
        else if (argument == "--all")
            options.verify = options.all = true;
        else if (argument == "--source")
            options.source = true;
        else
            options.model = argument;
    }
    const auto ran = PlanRunner(options).run();
    if (!ran)
        std::fprintf(stderr, "%s\n", ran.error().text().c_str());
    return ran ? 0 : 1;
}
