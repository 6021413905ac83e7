// SPDX-License-Identifier: Apache-2.0
// plan_runner MODEL [--threads N] [--inputs DIR] [--passes dnnfusion,ago|none]
//             [--set PASS.NAME=VALUE] [--lanes 16] [--steps] [--verify] [--all] [--source]
//             [--cache DIR] [--tune SECONDS] [--winograd none|2x2|4x4]
// Runs a model's plan on this machine as a runner of tests/bench/peers: says "ready {json}", then
// answers `run`, `output FILE`, `rss` and `quit`. With --steps, --verify or --source it prints
// the times of the steps, the error against the interpreter (--all: of what goes from block to
// block, too), or the code instead, and ends.
#include "engine/cost/host.h"
#include "engine/interpreter/compare.h"
#include "engine/interpreter/fill_weights.h"
#include "engine/interpreter/interpreter.h"
#include "engine/onnx/files/tensor_file.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "engine/runtime/executable.h"
#include "engine/tuning/plan_tuner.h"
#include "plugins/ago/ago_pass.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"
#include "tests/bench/peak_memory.h"

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

int failed(const Error &error)
{
    std::fprintf(stderr, "%s\n", error.text().c_str());
    return 1;
}

void putNumber(std::string &to, std::uint64_t value)
{
    for (; value > 127; value >>= 7)
        to += char((value & 127) | 128);
    to += char(value);
}

void putBytes(std::string &to, int field, std::string_view bytes)
{
    putNumber(to, std::uint64_t(field) << 3 | 2);
    putNumber(to, bytes.size());
    to += bytes;
}

/// The tensors as ONNX's SequenceProto, with raw data.
std::string sequenceProto(const std::vector<TensorData> &tensors)
{
    std::string sequence;
    putNumber(sequence, 2 << 3); // elem_type: tensors
    putNumber(sequence, 1);
    for (const TensorData &tensor : tensors) {
        std::string proto, dims;
        for (const std::int64_t extent : tensor.extents())
            putNumber(dims, std::uint64_t(extent));
        putBytes(proto, 1, dims);
        putNumber(proto, 2 << 3);
        putNumber(proto, std::uint64_t(tensor.type()));
        const auto bytes = tensor.bytes();
        putBytes(proto, 9, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
        putBytes(sequence, 3, proto);
    }
    return sequence;
}

struct Options {
    std::string model, inputs,
        passes = "dnnfusion",
        cache = (std::filesystem::temp_directory_path() / "graphloom-bench-kernels").string();
    unsigned threads = 1;
    int lanes = 0;
    std::vector<std::string> settings; // PASS.NAME=VALUE
    double tune = 0;                   // seconds
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

int run(const Options &options)
{
    const auto start = Clock::now();
    auto model = importOnnx(options.model, {});
    if (!model)
        return failed(model.error());
    const auto shared = std::make_shared<const Model>(std::move(*model));
    auto plan = initialPlan(shared);
    if (!plan)
        return failed(plan.error());
    for (std::istringstream names(options.passes); plan && !names.eof();) {
        std::string name;
        std::getline(names, name, ',');
        if (name != "none")
            plan = withPass(*std::move(plan), name, options);
    }
    if (!plan)
        return failed(plan.error());
    const double planned = millisecondsSince(start);
    const Opsets opsets = opsetsOf(*shared);
    std::vector<std::vector<NodeId>> blocks;
    if (plan->fusion)
        for (const Subgraph &block : plan->fusion->partition.subgraphs)
            blocks.push_back(block.nodes);
    else
        for (const NodeId id : plan->graph.order())
            blocks.push_back({id});

    Graph graph = plan->graph;
    if (options.all) {
        // What goes from block to block is given out, too.
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
        graph = std::move(*std::move(editor).finish());
    }
    const auto compiler = findCCompiler();
    if (!compiler)
        return failed(compiler.error());
    KernelCache cache(options.cache, std::uint64_t{1} << 30);
    ExecutableOptions build;
    const InstructionSet *vectors =
        options.lanes != 0 ? findInstructionSet(options.lanes) : &hostInstructionSet();
    if (!vectors)
        return failed(Error{Error::Kind::Usage, "no instruction set has so many lanes", "--lanes",
                            std::source_location::current()});
    build.target = scheduleTargetOf(*vectors, int(options.threads));
    build.compiler = &*compiler;
    build.cache = &cache;
    build.threads = options.threads;
    build.pinning = Team::Pinning::OneCoreEach;
    build.layouts = layoutsOf(*plan);
    GenerateOptions generate{build};
    if (!options.winograd.empty()) {
        const auto estimated = generateKernels(graph, opsets, blocks, generate);
        if (!estimated)
            return failed(estimated.error());
        build.algorithms.resize(blocks.size());
        for (std::size_t b = estimated->copies; b < estimated->blocks.size(); ++b)
            for (const auto &[nest, costs] : estimated->convolutions[b])
                build.algorithms[*estimated->part(b)] +=
                    (options.winograd == "none"
                         ? "direct " + std::to_string(nest)
                         : "winograd " + std::to_string(nest) + " " + options.winograd) +
                    "; ";
    }
    if (options.tune > 0) {
        auto generated = generateKernels(graph, opsets, blocks, generate);
        if (!generated)
            return failed(generated.error());
        auto database = ProfileDatabase::open(std::filesystem::path(options.cache) / "tuning.db");
        if (!database)
            return failed(database.error());
        PlanTunerOptions tuner;
        tuner.compiler = &*compiler;
        tuner.cache = &cache;
        tuner.threads = options.threads;
        tuner.seconds = options.tune;
        tuner.database = &*database;
        tuner.device = hostFacts().cpu + ", " + std::string(vectors->title);
        generate.known = &*generated;
        tuner.generate = [&](const std::vector<std::string> &algorithms, std::stop_token stop) {
            generate.algorithms = algorithms;
            generate.stop = std::move(stop);
            return generateKernels(graph, opsets, blocks, generate);
        };
        auto tuning = tunePlan(*generated, build.target, tuner);
        if (!tuning)
            return failed(tuning.error());
        build.schedules = tuning->schedules;
        build.algorithms = tuning->algorithms;
        std::fprintf(stderr, "%zu kernels, %d trials: %.3f ms to %.3f ms\n", tuning->phases.size(),
                     tuning->trials, 1e3 * tuning->startSeconds, 1e3 * tuning->bestSeconds);
        if (options.steps)
            for (const TunedBlock &block : tuning->blocks)
                std::fprintf(stderr, "%8.1f -> %8.1f us, %d uses, %d trials: %s\n",
                             1e6 * block.startSeconds, 1e6 * block.bestSeconds, block.uses,
                             block.trials, block.algorithm.c_str());
        if (options.steps)
            for (const TunedPhase &phase : tuning->phases)
                std::fprintf(stderr, "%8.1f -> %8.1f us, %d uses, %d trials: %s\n",
                             1e6 * phase.startSeconds, 1e6 * phase.bestSeconds, phase.uses,
                             phase.trials, phase.schedule.c_str());
    }
    const auto executable = Executable::build(graph, opsets, blocks, build);
    if (!executable)
        return failed(executable.error());
    if (options.source) {
        for (const auto &kernel : (*executable)->kernels())
            if (kernel)
                for (std::size_t p = 0; p < kernel->phases.size(); ++p) {
                    for (int n = kernel->groups[p].first;
                         n < kernel->groups[p].first + kernel->groups[p].count; ++n)
                        std::printf(
                            "/* %s\n%s\n%s */\n", kernel->block.nests[std::size_t(n)].name.c_str(),
                            textOf(kernel->block.nests[std::size_t(n)], kernel->block.tensors)
                                .c_str(),
                            kernel->schedules[std::size_t(n)].text().c_str());
                    std::printf("%s\n", kernel->phases[p].code.c_str());
                }
        return 0;
    }
    auto inputs = randomInputs(graph, 0);
    if (!inputs)
        return failed(inputs.error());
    if (!options.inputs.empty())
        for (std::size_t i = 0; i < inputs->size(); ++i) {
            auto data = readTensorFile(std::filesystem::path(options.inputs) /
                                       ("input_" + std::to_string(i) + ".pb"));
            if (!data)
                return failed(data.error());
            (*inputs)[i] = std::move(*data);
        }
    if (auto set = (*executable)->setInputs(*inputs); !set)
        return failed(set.error());
    if (auto ran = (*executable)->runOnce(); !ran)
        return failed(ran.error());
    const double first = millisecondsSince(start);

    if (options.verify) {
        const auto expected = interpret(graph, opsets, *inputs);
        if (!expected) {
            std::fprintf(stderr, "the interpreter: ");
            return failed(expected.error());
        }
        const auto actual = (*executable)->outputs();
        if (!actual)
            return failed(actual.error());
        for (std::size_t i = 0; i < expected->size(); ++i) {
            const Comparison difference = compare((*expected)[i], (*actual)[i]);
            if (options.all && difference.maxRelError < 1e-5)
                continue;
            std::printf("output %zu \"%s\": relative error %.2e, %lld finite, %s\n", i,
                        graph.tensor(graph.outputs()[i]).name.c_str(), difference.maxRelError,
                        static_cast<long long>(difference.finite), difference.worst.c_str());
        }
        std::size_t interpreted = 0;
        for (const auto &step : (*executable)->steps())
            if (step.symbol.empty()) {
                ++interpreted;
                std::printf("interpreted: %s\n", step.reason.c_str());
            }
        std::printf("%zu steps, %zu interpreted; planned in %.0f ms, first run after %.0f ms\n",
                    (*executable)->steps().size(), interpreted, planned, first);
    }
    if (options.steps) {
        std::vector<std::vector<double>> times;
        for (int i = 0; i < 30; ++i) {
            auto seconds = (*executable)->timeSteps();
            if (!seconds)
                return failed(seconds.error());
            times.push_back(std::move(*seconds));
        }
        double total = 0;
        for (std::size_t s = 0; s < (*executable)->steps().size(); ++s) {
            std::vector<double> of;
            for (const auto &round : times)
                of.push_back(round[s]);
            std::ranges::sort(of);
            const auto &step = (*executable)->steps()[s];
            total += of[of.size() / 2];
            double macs = 0;
            if (const auto &kernel = (*executable)->kernels()[step.block])
                for (int n = 0; n < kernel->groups[step.phase].count; ++n)
                    macs += double(
                        kernel->block.nests[std::size_t(kernel->groups[step.phase].first + n)]
                            .points(true));
            std::printf("%9.1f us %7.1f GFLOP/s  %s | %s | %s\n", 1e6 * of[of.size() / 2],
                        2e-9 * macs / of[of.size() / 2], step.text.c_str(), step.schedule.c_str(),
                        step.symbol.c_str());
        }
        std::printf("%9.1f us in all\n", 1e6 * total);
    }
    if (options.steps || options.verify)
        return 0;
    std::printf(
        "ready {\"name\": \"graphloom\", \"version\": \"0.1\", \"threads\": %u, \"load_ms\": %.1f, "
        "\"first_run_ms\": %.1f, \"rss_mb\": %.0f}\n",
        options.threads, planned, first, peakMegabytes());
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
        if (line == "run") {
            const auto before = Clock::now();
            if (auto ran = (*executable)->runOnce(); !ran)
                return failed(ran.error());
            std::printf("%.6f\n", millisecondsSince(before));
        } else if (line == "rss") {
            std::printf("%.1f\n", peakMegabytes());
        } else if (line.starts_with("output ")) {
            const auto outputs = (*executable)->outputs();
            if (!outputs)
                return failed(outputs.error());
            std::ofstream file(line.substr(7), std::ios::binary);
            file << sequenceProto(*outputs);
            file.close();
            std::printf("%s\n", file ? "written" : "cannot be written");
        } else {
            std::printf("unknown\n");
        }
        std::fflush(stdout);
    }
    return 0;
}

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
    return run(options);
}
