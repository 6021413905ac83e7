// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_tuning.h"

#include "engine/base/steady_clock.h"
#include "engine/deploy/plan_tuning.h"
#include "engine/tuning/block_trial.h"
#include "engine/tuning/reformer/tuned_plan.h"
#include "targets/opencl/opencl_build.h"

#include <algorithm>

namespace graphloom::opencl {

namespace {

/// Runs phases of kernels alone, on memory that all of them share.
class PhaseMeter {
public:
    PhaseMeter(std::shared_ptr<OpenclQueue> queue, const ScheduleTarget &target,
               std::filesystem::path folder, std::stop_token stop)
        : m_queue(std::move(queue)), m_target(target), m_folder(std::move(folder)),
          m_stop(std::move(stop))
    {
    }

    PhaseTime time(const BlockKernel &kernel, PhaseIndex number, GroupSchedules schedules)
    {
        auto measured = measure(kernel, number, schedules);
        if (measured)
            return *std::move(measured);
        PhaseTime failed;
        failed.samples = 0;
        if (!m_stop.stop_requested())
            failed.problem = measured.error().text();
        return failed;
    }

private:
    Result<PhaseTime> measure(const BlockKernel &kernel, PhaseIndex number,
                              GroupSchedules schedules)
    {
        GL_TRY_CONST(phase, phaseOf(kernel, number, schedules, m_target));
        if (phase->scratchBytes > std::int64_t(m_queue->device().local))
            return fail(Error::Kind::Missing, "the device does not have the local memory");
        GL_TRY_CONST(program, m_queue->program(programOf(*phase, m_target.lanes), m_folder));
        GL_TRY_CONST(made, m_queue->kernel(*program, phase->symbol));
        const NestGroup &group = kernel.groups[number];
        cl_uint argument = 0;
        std::vector<Memory> images; // which a kernel does not keep
        for (const KernelBuffer &buffer : phase->buffers) {
            const bool isPacked = buffer.kind == KernelBuffer::Kind::Packed;
            const TrialBuffer needed = trialBufferOf(
                kernel, buffer, isPacked ? &schedules[group.memberOf(buffer.nest)] : nullptr);
            GL_TRY_CONST(memory, memoryFor(argument, needed));
            if (!buffer.isImage) {
                GL_TRY(m_queue->set(*made, argument++, *memory));
                continue;
            }
            GL_TRY_CONST(image, m_queue->image(*memory, kernel.block.tensors[buffer.tensor].type,
                                               std::uint64_t(needed.bytes)));
            images.push_back(*image);
            GL_TRY(m_queue->set(*made, argument++, *image));
            GL_TRY(m_queue->setNumber(*made, argument++, 0));
        }
        if (phase->scratchBytes > 0)
            GL_TRY(m_queue->setLocal(*made, argument++, std::size_t(phase->scratchBytes)));
        TrialBuffer flag;
        flag.bytes = sizeof(cl_int);
        GL_TRY_CONST(status, memoryFor(argument, flag));
        GL_TRY(m_queue->set(*made, argument, *status));
        return run(*made, phase->items);
    }

    Result<PhaseTime> run(const Kernel &kernel, const WorkItems &items)
    {
        constexpr double enough = 0.05; // seconds
        constexpr int most = 24, fewest = 3;
        std::vector<double> seconds;
        GL_TRY(m_queue->run(kernel, items)); // the driver may compile for its work-groups
        GL_TRY(m_queue->finish());
        for (const double begin = steadySeconds();
             int(seconds.size()) < fewest ||
             (int(seconds.size()) < most && steadySeconds() < begin + enough);) {
            if (m_stop.stop_requested())
                return stoppedError();
            Event event;
            GL_TRY(m_queue->run(kernel, items, &event));
            GL_TRY(m_queue->finish());
            GL_TRY_CONST(took, m_queue->secondsOf(event));
            seconds.push_back(*took);
        }
        std::ranges::sort(seconds);
        return PhaseTime{seconds[seconds.size() / 2], seconds.front(), int(seconds.size())};
    }

    /// Returns memory for an argument: that of an earlier kernel if it is large enough and alike.
    Result<Memory> memoryFor(cl_uint argument, const TrialBuffer &needed)
    {
        Pool &pool = m_pools[{argument, needed.fill == TrialBuffer::Fill::Floats}];
        if (pool.memory && pool.bytes >= needed.bytes)
            return pool.memory;
        GL_TRY_RESULT(memory, m_queue->memory(std::uint64_t(needed.bytes)));
        // Indices that depend on data are valid, and numbers are normal ones.
        const std::vector<float> numbers(std::size_t(needed.bytes + 3) / 4,
                                         needed.fill == TrialBuffer::Fill::Floats ? 0.5F : 0.F);
        GL_TRY(m_queue->write(*memory,
                              std::as_bytes(std::span(numbers)).first(std::size_t(needed.bytes))));
        pool = {*std::move(memory), needed.bytes};
        return pool.memory;
    }

    struct Pool {
        Memory memory;
        std::int64_t bytes = 0;
    };
    std::shared_ptr<OpenclQueue> m_queue;
    ScheduleTarget m_target;
    std::filesystem::path m_folder;
    std::stop_token m_stop;
    std::map<std::pair<cl_uint, bool>, Pool> m_pools;
};

} // namespace

Result<Plan> tuneOnDevice(const Plan &plan, const ChosenDevice &device,
                          const std::filesystem::path &folder, const TuneOptions &options,
                          const Target &target)
{
    GL_TRY_RESULT(queue, OpenclQueue::open(*device.runs, options.threads));
    const ScheduleTarget schedules = device.schedules(options.threads);
    const Provenance provenance = device.runs->isCpu ? Provenance::Host : Provenance::Device;
    PlanTunerOptions tuner = tunerOptionsOf(schedules, options, provenance);
    const auto meter =
        std::make_shared<PhaseMeter>(*std::move(queue), schedules, folder, options.stop);
    tuner.times = [meter](const BlockKernel &kernel, PhaseIndex phase, GroupSchedules of) {
        return meter->time(kernel, phase, of);
    };
    tuner.database = options.database.get();
    tuner.device = device.fingerprint();
    tuner.wholeRuns = [&](std::span<const Plan> plans, double seconds) {
        return runInTurns(plans, target, options, seconds);
    };
    return tunedPlan(plan, {std::string(target.name()), provenance, schedules}, tuner);
}

} // namespace graphloom::opencl
