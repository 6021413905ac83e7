// SPDX-License-Identifier: Apache-2.0
// How well the analytic model of blocks fits this machine: the blocks of the pass "dnnfusion" on
// the models of a folder, as modelled before and after calibration and as timed, by class of
// kernel. Prints for each class the median of the relative errors, that of the ratios modelled /
// timed, and Spearman's rank correlation. Blocks that are alike count once; the least of several
// timings counts, of which the spread is printed: no model can be nearer than times are to one
// another. Options: --models DIR (the samples), --model NAME (all that contain it), --repeat N (3)
// timings, one after the other for all models, --seconds N (30) of timing for each model, --cache
// DIR of kernels, --profile FILE (the database of times, for the first timing and the calibration;
// none), --worst N (0): lists the blocks that are estimated worst. Blocks run on all cores, which
// the rates of the calibration are of.
#include "engine/cost/machine_text.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/target/call_timing.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"
#include "tests/bench/bench_options.h"
#include "tests/bench/model_files.h"
#include "tests/bench/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

using namespace graphloom;
using bench::median;
using bench::spearman;

namespace {

struct Options {
    std::filesystem::path models = GRAPHLOOM_SAMPLES, profile,
                          cache =
                              std::filesystem::temp_directory_path() / "graphloom-bench-kernels";
    std::string model;
    double seconds = 30;
    int repeat = 3, worst = 0;
};

struct Sample {
    std::string kernelClass, where;
    double before = 0, after = 0; // modelled seconds
    std::vector<double> times = {};

    double timed() const { return *std::ranges::min_element(times); }
};
using Samples = std::map<std::uint64_t, Sample>; // by key of the kernel

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
    const auto figures = [&](double Sample::*model) {
        std::vector<double> errors, ratios, modelled, timed;
        for (const Sample &sample : samples) {
            modelled.push_back(sample.*model);
            timed.push_back(sample.timed());
            ratios.push_back(modelled.back() / timed.back());
            errors.push_back(std::abs(ratios.back() - 1));
        }
        std::printf("%8.1f %% %7.2f %8.3f", 100 * median(errors), median(ratios),
                    spearman(modelled, timed));
    };
    std::printf("%-20s %6zu", name.c_str(), samples.size());
    figures(&Sample::before);
    figures(&Sample::after);
    double total = 0;
    for (const Sample &sample : samples)
        total += sample.timed();
    std::printf("%12.3f\n", 1e3 * total);
}

/// Plans a model and times those of its blocks that have less than `rounds` times.
Result<void> sample(const std::filesystem::path &file, double seconds, std::size_t rounds,
                    CallTimer &timer, const Device &plain, const Device &calibrated,
                    Samples &samples)
{
    GL_TRY_RESULT(model, importOnnx(file));
    GL_TRY_RESULT(plan, initialPlan(std::make_shared<const Model>(std::move(*model))));
    plan->device = std::make_shared<const Device>(calibrated);
    Context context;
    context.settings = Settings(dnnfusion::DnnFusionPass().parameters());
    GL_TRY_RESULT(fused, runPass(dnnfusion::DnnFusionPass(), *plan, context));
    const Opsets opsets = opsetsOf(*fused->model);
    GL_TRY_CONST(facts, FusionFacts::of(fused->graph, opsets, fused->fusion->limits, calibrated));
    const BlockMerger &merger = (*facts)->merger();
    const BlockCost before((*facts)->ecg(), plain);
    std::vector<std::vector<NodeId>> blocks;
    std::vector<std::uint64_t> keys;
    for (const Subgraph &block : fused->fusion->partition.subgraphs) {
        const auto key = kernelKeyOf(fused->graph, opsets, block.nodes);
        if (!key || std::ranges::count(keys, key->hash()))
            continue;
        if (const auto known = samples.find(key->hash());
            known != samples.end() && known->second.times.size() >= rounds)
            continue;
        blocks.push_back(block.nodes);
        keys.push_back(key->hash());
    }
    const auto times =
        timer.timeBlocks((*facts)->ecg().graph(), opsets, blocks, {.seconds = seconds});
    std::map<std::string, int> problems;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (!times[b]) {
            ++problems[times[b].error().message];
            continue;
        }
        const BlockAnswer answer = merger.rules().check(blocks[b]);
        const auto [known, isNew] = samples.try_emplace(keys[b]);
        if (isNew)
            known->second = {classOf((*facts)->ecg(), blocks[b], answer.mapping),
                             file.stem().string() + ", " +
                                 fused->graph.node(blocks[b].front()).label(),
                             before.modelled(blocks[b], answer).seconds,
                             merger.cost().modelled(blocks[b], answer).seconds};
        known->second.times.push_back(times[b]->seconds);
    }
    for (const auto &[problem, count] : problems)
        std::printf("%s: %d not timed: %s\n", file.stem().c_str(), count, problem.c_str());
    return {};
}

/// Returns the same options without the database, so that nothing is known.
CallTimingOptions untold(CallTimingOptions options)
{
    options.database = nullptr;
    return options;
}

/// Prints how far the times of blocks that were timed several times are apart.
void printSpread(const std::vector<Sample> &all)
{
    std::vector<double> spreads;
    for (const Sample &of : all)
        if (of.times.size() > 1)
            spreads.push_back(*std::ranges::max_element(of.times) / of.timed());
    if (!spreads.empty())
        std::printf("greatest / least time of a block: median %.2f of %zu blocks\n",
                    median(spreads), spreads.size());
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!bench::readOptions(argc, argv,
                            {{"--models", &options.models},
                             {"--model", &options.model},
                             {"--seconds", &options.seconds},
                             {"--cache", &options.cache},
                             {"--profile", &options.profile},
                             {"--repeat", &options.repeat},
                             {"--worst", &options.worst}}))
        return 2;
    const auto target = thisMachineAmong(loadTargetPlugins(GRAPHLOOM_TARGETS));
    if (!target) {
        std::fprintf(stderr, "%s\n", target.error().text().c_str());
        return 1;
    }
    CallTimingOptions timing;
    timing.device = target->device;
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
    const auto plain = described(*target, {});
    const auto timer = timerOn(target->target, timing);
    const auto device = timer->device({});
    for (const auto *one : {&plain, &device})
        if (!*one) {
            std::fprintf(stderr, "%s\n", one->error().text().c_str());
            return 1;
        }
    std::printf("%s\n%s\n", device->fingerprint.c_str(),
                jsonOf(*device->machine)["rates"].dump(1).c_str());
    const auto files = bench::modelFiles(options.models, options.model);
    Samples samples;
    for (int round = 1; round <= options.repeat; ++round) {
        const auto again = round == 1 ? timer : timerOn(target->target, untold(timing));
        for (const auto &file : files) {
            const auto done =
                sample(file, options.seconds, std::size_t(round), *again, *plain, *device, samples);
            if (!done)
                std::printf("%s: %s\n", file.stem().c_str(), done.error().text().c_str());
            std::fflush(stdout);
        }
    }
    std::vector<Sample> all;
    std::map<std::string, std::vector<Sample>> classes;
    for (const auto &[key, of] : samples) {
        all.push_back(of);
        classes[of.kernelClass].push_back(of);
    }
    if (all.empty()) {
        std::fprintf(stderr, "no block was timed\n");
        return 1;
    }
    std::printf("%-20s %6s%27s%27s%12s\n%-20s %6s%10s%8s%9s%10s%8s%9s%12s\n", "", "", "before",
                "calibrated", "", "class of kernel", "blocks", "error", "ratio", "Spearman",
                "error", "ratio", "Spearman", "timed ms");
    for (const auto &[name, of] : classes)
        print(name, of);
    print("all", all);
    printSpread(all);
    std::ranges::sort(all, std::greater(), [](const Sample &of) {
        return std::abs(std::log(of.after / of.timed())) * of.timed();
    });
    for (int i = 0; i < std::min(options.worst, int(all.size())); ++i)
        std::printf("%10.3f ms modelled, %10.3f ms timed: %s, %s\n",
                    1e3 * all[std::size_t(i)].after, 1e3 * all[std::size_t(i)].timed(),
                    all[std::size_t(i)].kernelClass.c_str(), all[std::size_t(i)].where.c_str());
    return 0;
}
