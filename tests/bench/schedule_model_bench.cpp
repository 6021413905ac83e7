// SPDX-License-Identifier: Apache-2.0
// How well the model of schedules (engine/tuning/phase_model.h) ranks what the tuner tries: the
// kernels of the pass "dnnfusion" on the models of a folder are tuned on this machine, and each
// schedule that was measured is modelled, too. Prints for each model the median over its kernels of
// Spearman's rank correlation, and what the kernels take by default, with the schedule that the
// model ranks first among those measured, and with the fastest of them. Options: --models DIR (the
// samples), --model NAME (all that contain it), --trials N (24) schedules of each kernel, --seconds
// N (60) for each model, --threads N (1), --lanes N of vectors (this machine's), --cache DIR of
// kernels, --list yes: a line for each kernel.
#include "engine/base/steady_clock.h"
#include "engine/codegen/build/c_compiler.h"
#include "engine/codegen/build/kernel_cache.h"
#include "engine/cost/host.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/kernel_plan.h"
#include "engine/target/call_timing.h"
#include "engine/tuning/block_trial.h"
#include "engine/tuning/phase_tuner.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"
#include "tests/bench/bench_options.h"
#include "tests/bench/model_files.h"
#include "tests/bench/rank_correlation.h"

#include <cstdio>
#include <set>

using namespace graphloom;

namespace {

struct Options {
    std::filesystem::path models = GRAPHLOOM_SAMPLES,
                          cache =
                              std::filesystem::temp_directory_path() / "graphloom-bench-kernels";
    std::string model;
    double seconds = 60;
    unsigned threads = 1;
    int trials = 24, lanes = 0;
    bool list = false;
};

/// Holds the schedules of a kernel that were measured, in seconds.
struct Trials {
    std::vector<double> measured, modelled; // the default first

    double ranked() const // of the one that is modelled as the fastest
    {
        return measured[std::size_t(std::ranges::min_element(modelled) - modelled.begin())];
    }
    double best() const { return *std::ranges::min_element(measured); }
};

class ScheduleBench {
public:
    ScheduleBench(const Options &options, const InstructionSet &set, const Device &device,
                  CCompiler compiler)
        : m_options(options), m_device(device),
          m_target(scheduleTargetOf(set, int(options.threads))),
          m_model(modelledPhaseTimes(device, m_target)), m_compiler(std::move(compiler)),
          m_cache(options.cache, std::uint64_t{1} << 30)
    {
    }

    Result<void> run(const std::filesystem::path &file)
    {
        GL_TRY_RESULT(model, importOnnx(file));
        GL_TRY_RESULT(plan, initialPlan(std::make_shared<const Model>(std::move(*model))));
        plan->device = std::make_shared<const Device>(m_device);
        Context context;
        context.settings = Settings(dnnfusion::DnnFusionPass().parameters());
        GL_TRY_RESULT(fused, runPass(dnnfusion::DnnFusionPass(), *plan, context));
        KernelChoices choices;
        choices.target = m_target;
        choices.layouts = layoutsOf(*fused);
        GL_TRY_RESULT(kernels, generateKernels(fused->graph, opsetsOf(*fused->model),
                                               kernelBlocksOf(*fused), GenerateOptions{choices}));
        const double end = steadySeconds() + m_options.seconds;
        std::set<std::string> seen;
        std::vector<Trials> all;
        for (const BlockIndex b : kernels->given()) {
            if (!kernels->kernels[b])
                continue;
            const BlockKernel &kernel = *kernels->kernels[b];
            for (const PhaseIndex p : kernel.phases.indices())
                if (kernel.phases[p].tasks > 0 && !PhaseSpace(kernel, p, m_target).isTrivial() &&
                    steadySeconds() < end && seen.insert(kernel.phases[p].symbol).second) {
                    GL_TRY_RESULT(trials, tried(kernel, p, bytesOfOneRun(*kernels), end));
                    if (trials->measured.size() > 2)
                        all.push_back(std::move(*trials));
                }
        }
        print(file.parent_path().filename().string() + "/" + file.stem().string(), all);
        m_all.insert(m_all.end(), all.begin(), all.end());
        return {};
    }

    void printAll() const { print("all", m_all); }

private:
    Result<Trials> tried(const BlockKernel &kernel, PhaseIndex phase, std::int64_t bytesOfOneRun,
                         double end)
    {
        const PhaseSpace space(kernel, phase, m_target);
        Trials trials;
        PhaseTunerOptions options;
        options.compiler = &m_compiler;
        options.cache = &m_cache;
        options.threads = m_options.threads;
        options.compilers = 2;
        options.seconds = end - steadySeconds();
        options.trials = m_options.trials;
        options.otherBytes = bytesOfOneRun - std::int64_t(workOf(kernel, phase).bytes);
        options.measured = [&](const TunedCandidate &candidate) {
            if (!candidate.problem.empty())
                return;
            trials.measured.push_back(candidate.least);
            trials.modelled.push_back(
                m_model(kernel, phase, space.schedules(candidate.choice).span()).seconds);
        };
        GL_TRY(tunePhase(kernel, phase, m_target, options));
        if (m_options.list && trials.measured.size() > 2) {
            const NestGroup &group = kernel.groups[phase];
            std::printf(
                "  %8.1f us default, %8.1f modelled, %8.1f best of %zu, Spearman %6.3f: %s\n",
                1e6 * trials.measured.front(), 1e6 * trials.ranked(), 1e6 * trials.best(),
                trials.measured.size(), bench::spearman(trials.measured, trials.modelled),
                kernel.block.nests[group.first].name.c_str());
        }
        return trials;
    }

    static void print(const std::string &name, const std::vector<Trials> &all)
    {
        std::vector<double> correlations;
        double byDefault = 0, ranked = 0, best = 0;
        std::size_t schedules = 0;
        for (const Trials &trials : all) {
            correlations.push_back(bench::spearman(trials.measured, trials.modelled));
            byDefault += trials.measured.front();
            ranked += trials.ranked();
            best += trials.best();
            schedules += trials.measured.size();
        }
        std::printf("%-40s %4zu kernels, %5zu schedules: Spearman %6.3f; default %8.3f ms, "
                    "modelled best %8.3f, best %8.3f\n",
                    name.c_str(), all.size(), schedules, bench::median(correlations),
                    1e3 * byDefault, 1e3 * ranked, 1e3 * best);
        std::fflush(stdout);
    }

    const Options &m_options;
    const Device &m_device;
    ScheduleTarget m_target;
    PhaseTimes m_model;
    CCompiler m_compiler;
    KernelCache m_cache;
    std::vector<Trials> m_all;
};

Result<void> run(const Options &options)
{
    const InstructionSet *set =
        options.lanes != 0 ? findInstructionSet(options.lanes) : &hostInstructionSet();
    if (!set)
        return fail(Error::Kind::Usage, "no instruction set has so many lanes", "--lanes");
    GL_TRY_RESULT(target, thisMachineAmong(loadTargetPlugins(GRAPHLOOM_TARGETS)));
    CallTimingOptions timing;
    timing.device = std::string(set->name);
    timing.threads = options.threads;
    timing.cache = options.cache;
    timing.version = "bench";
    GL_TRY_CONST(device, timerOn(target->target, timing)->device({}));
    GL_TRY_RESULT(compiler, findCCompiler());
    std::printf("%s, %s, %u threads\n", device->fingerprint.c_str(), std::string(set->name).c_str(),
                options.threads);
    ScheduleBench bench(options, *set, *device, *std::move(compiler));
    const auto files = bench::modelFiles(options.models, options.model);
    for (const auto &file : files)
        if (const auto done = bench.run(file); !done)
            std::printf("%s: %s\n", file.stem().c_str(), done.error().text().c_str());
    bench.printAll();
    return {};
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!bench::readOptions(argc, argv,
                            {{"--models", &options.models},
                             {"--model", &options.model},
                             {"--trials", &options.trials},
                             {"--seconds", &options.seconds},
                             {"--threads", &options.threads},
                             {"--lanes", &options.lanes},
                             {"--cache", &options.cache},
                             {"--list", &options.list}}))
        return 2;
    if (const auto done = run(options); !done) {
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
        return 1;
    }
    return 0;
}
