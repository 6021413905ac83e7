// SPDX-License-Identifier: Apache-2.0
// How well the analytic model of blocks fits this machine: the blocks of the pass "dnnfusion" on
// the models of a folder, as modelled and as timed, by class of kernel. Prints for each class the
// median of the relative errors, that of the ratios modelled / timed, and Spearman's rank
// correlation. Blocks that are alike count once. Options: --models DIR (the samples), --model NAME
// (all that contain it), --seconds N (30) of timing for each model, --threads N (all cores),
// --cache DIR of kernels, --profile FILE (the database of times; none), --worst N (0): lists the
// blocks that are estimated worst.
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/target/call_timing.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"
#include "tests/bench/bench_options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

using namespace graphloom;

namespace {

struct Options {
    std::filesystem::path models = GRAPHLOOM_SAMPLES, profile,
                          cache =
                              std::filesystem::temp_directory_path() / "graphloom-bench-kernels";
    std::string model;
    double seconds = 30;
    unsigned threads = 0;
    int worst = 0;
};

struct Sample {
    std::string kernelClass, where;
    double modelled = 0, timed = 0; // seconds

    double ratio() const { return modelled / timed; }
    double error() const { return std::abs(modelled - timed) / timed; }
};

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

/// Returns the rank of each value; equal values share the mean of their ranks.
std::vector<double> ranksOf(const std::vector<double> &values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() && values[order[end]] == values[order[first]])
            ++end;
        for (std::size_t i = first; i < end; ++i)
            ranks[order[i]] = double(first + end - 1) / 2;
        first = end;
    }
    return ranks;
}

double spearman(const std::vector<double> &a, const std::vector<double> &b)
{
    const std::vector<double> ranksOfA = ranksOf(a), ranksOfB = ranksOf(b);
    const double mean = double(a.size() - 1) / 2;
    double both = 0, squaresOfA = 0, squaresOfB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (ranksOfA[i] - mean) * (ranksOfB[i] - mean);
        squaresOfA += (ranksOfA[i] - mean) * (ranksOfA[i] - mean);
        squaresOfB += (ranksOfB[i] - mean) * (ranksOfB[i] - mean);
    }
    return squaresOfA > 0 && squaresOfB > 0 ? both / std::sqrt(squaresOfA * squaresOfB) : 1;
}

/// Returns the kind of kernel by its most expensive operator: contractions by name, pointwise and
/// depthwise convolutions apart, everything else by mapping type.
std::string classOf(const Ecg &ecg, const std::vector<NodeId> &nodes, MappingType mapping)
{
    const NodeId first =
        *std::ranges::max_element(nodes, {}, [&](NodeId id) { return ecg.node(id).flops; });
    if (ecg.node(first).operatorClass != OperatorClass::Contraction)
        return std::string(nameOf(mapping));
    const Graph &graph = ecg.graph();
    const Node &node = graph.node(first);
    if (node.op != "Conv")
        return node.op;
    const auto &weight = graph.tensor(node.inputs[1]).shape;
    const auto group = node.attributes.integer("group", 1);
    if (!weight || !isStatic(*weight))
        return node.op;
    const bool isPoint = std::ranges::all_of(weight->begin() + 2, weight->end(),
                                             [](const Dim &d) { return d.value() == 1; });
    return group > 1 && (*weight)[1].value() == 1 ? "Conv, depthwise"
           : isPoint                              ? "Conv, pointwise"
                                                  : "Conv, window";
}

void print(const std::string &name, const std::vector<Sample> &samples)
{
    std::vector<double> errors, ratios, modelled, timed;
    for (const Sample &sample : samples) {
        errors.push_back(sample.error());
        ratios.push_back(sample.ratio());
        modelled.push_back(sample.modelled);
        timed.push_back(sample.timed);
    }
    std::printf("%-24s %6zu %9.1f %% %9.2f %9.3f %12.3f\n", name.c_str(), samples.size(),
                100 * median(errors), median(ratios), spearman(modelled, timed),
                1e3 * std::accumulate(timed.begin(), timed.end(), 0.0));
}

/// Plans a model and times its blocks; those in `known` were sampled before.
Result<std::vector<Sample>> sampled(const std::filesystem::path &file, const Options &options,
                                    CallTimer &timer, const Device &device,
                                    std::set<std::uint64_t> &known)
{
    GL_TRY_RESULT(model, importOnnx(file));
    GL_TRY_RESULT(plan, initialPlan(std::make_shared<const Model>(std::move(*model))));
    plan->device = std::make_shared<const Device>(device);
    Context context;
    context.settings = Settings(dnnfusion::DnnFusionPass().parameters());
    GL_TRY_RESULT(fused, runPass(dnnfusion::DnnFusionPass(), *plan, context));
    const Opsets opsets = opsetsOf(*fused->model);
    GL_TRY_CONST(facts, FusionFacts::of(fused->graph, opsets, fused->fusion->limits, device));
    const BlockMerger &merger = (*facts)->merger();
    std::vector<std::vector<NodeId>> blocks;
    for (const Subgraph &block : fused->fusion->partition.subgraphs)
        if (const auto key = kernelKeyOf(fused->graph, opsets, block.nodes);
            key && known.insert(key->hash()).second)
            blocks.push_back(block.nodes);
    const auto times =
        timer.timeBlocks((*facts)->ecg().graph(), opsets, blocks, {.seconds = options.seconds});
    std::vector<Sample> samples;
    std::map<std::string, int> problems;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (!times[b]) {
            ++problems[times[b].error().message];
            continue;
        }
        const BlockAnswer answer = merger.rules().check(blocks[b]);
        samples.push_back(
            {classOf((*facts)->ecg(), blocks[b], answer.mapping),
             file.stem().string() + ", " + fused->graph.node(blocks[b].front()).label(),
             merger.cost().modelled(blocks[b], answer).seconds, times[b]->seconds});
    }
    for (const auto &[problem, count] : problems)
        std::printf("%s: %d not timed: %s\n", file.stem().c_str(), count, problem.c_str());
    return samples;
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!bench::readOptions(argc, argv,
                            {{"--models", &options.models},
                             {"--model", &options.model},
                             {"--seconds", &options.seconds},
                             {"--threads", &options.threads},
                             {"--cache", &options.cache},
                             {"--profile", &options.profile},
                             {"--worst", &options.worst}}))
        return 2;
    const auto target = thisMachineAmong(loadTargetPlugins(GRAPHLOOM_TARGETS));
    if (!target) {
        std::fprintf(stderr, "%s\n", target.error().text().c_str());
        return 1;
    }
    CallTimingOptions timing;
    timing.device = target->device;
    timing.threads = options.threads;
    timing.cache = options.cache;
    timing.version = "bench";
    if (!options.profile.empty()) {
        auto database = ProfileDatabase::open(options.profile);
        if (!database) {
            std::fprintf(stderr, "%s\n", database.error().text().c_str());
            return 1;
        }
        timing.database = std::make_shared<ProfileDatabase>(*std::move(database));
    }
    const auto timer = timerOn(target->target, timing);
    const auto device = timer->device({});
    if (!device) {
        std::fprintf(stderr, "%s\n", device.error().text().c_str());
        return 1;
    }
    std::printf("%s\n", device->fingerprint.c_str());
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(options.models))
        if (entry.path().extension() == ".onnx" &&
            entry.path().stem().string().find(options.model) != std::string::npos)
            files.push_back(entry.path());
    std::ranges::sort(files);
    std::set<std::uint64_t> known;
    std::vector<Sample> all;
    for (const auto &file : files) {
        const auto samples = sampled(file, options, *timer, *device, known);
        if (!samples)
            std::printf("%s: %s\n", file.stem().c_str(), samples.error().text().c_str());
        else
            all.insert(all.end(), samples->begin(), samples->end());
        std::fflush(stdout);
    }
    if (all.empty()) {
        std::fprintf(stderr, "no block was timed\n");
        return 1;
    }
    std::map<std::string, std::vector<Sample>> classes;
    for (const Sample &sample : all)
        classes[sample.kernelClass].push_back(sample);
    std::printf("%-24s %6s %11s %9s %9s %12s\n", "class of kernel", "blocks", "error", "ratio",
                "Spearman", "timed ms");
    for (const auto &[name, samples] : classes)
        print(name, samples);
    print("all", all);
    std::ranges::sort(all, std::greater(), [](const Sample &sample) {
        return std::abs(std::log(sample.ratio())) * sample.timed;
    });
    for (int i = 0; i < std::min(options.worst, int(all.size())); ++i)
        std::printf("%10.3f ms modelled, %10.3f ms timed: %s, %s\n",
                    1e3 * all[std::size_t(i)].modelled, 1e3 * all[std::size_t(i)].timed,
                    all[std::size_t(i)].kernelClass.c_str(), all[std::size_t(i)].where.c_str());
    return 0;
}
