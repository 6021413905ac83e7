// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/made_lanes.h"

namespace graphloom::test {

LanesPointer madeLanes(std::uint32_t slices, unsigned threads)
{
    constexpr double apart = 1e-6, busy = 0.8e-6;
    auto lanes = std::make_shared<Lanes>();
    Lanes::Run run;
    run.endLane = threads;
    for (unsigned thread = 0; thread < threads; ++thread) {
        Lanes::Lane lane;
        lane.thread = thread;
        lane.first = std::uint32_t(lanes->slices.size());
        for (std::uint32_t step = thread; step < slices; step += threads) {
            const double start = apart * double(step / threads);
            lanes->slices.push_back({thread, step, start, busy, start > 0 ? apart - busy : 0});
            lane.busy += busy;
            run.seconds = std::max(run.seconds, start + busy);
        }
        lane.end = std::uint32_t(lanes->slices.size());
        run.kernels += lane.busy;
        lanes->lanes.push_back(lane);
    }
    run.steps.resize(slices);
    for (std::uint32_t i = 0; i < slices; ++i) {
        Lanes::Step &step = run.steps[lanes->slices[i].step];
        step.name = QStringLiteral("step %1").arg(lanes->slices[i].step);
        step.operatorClass = OperatorClass::Elementwise;
        step.mapping = MappingType::OneToOne;
        step.start = lanes->slices[i].start;
        step.seconds = step.busy = step.usual = busy;
        step.threads = 1;
        step.slice = i;
    }
    lanes->seconds = run.seconds;
    lanes->runs.push_back(std::move(run));
    return lanes;
}

} // namespace graphloom::test
