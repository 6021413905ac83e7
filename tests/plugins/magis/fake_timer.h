// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/cost/call_work.h"

namespace graphloom::test {

/// Says that a call takes so many times what the model says, and notes what it was asked for.
class FakeTimer final : public CallTimer {
public:
    explicit FakeTimer(Device device) : m_device(std::move(device)) {}

    Result<Device> device(const TimingLimits &) const override { return m_device; }
    std::vector<Result<double>> time(const Graph &, const Opsets &, std::span<const CallPart> calls,
                                     const TimingLimits &limits) override
    {
        std::vector<Result<double>> times;
        for (const CallPart &call : calls) {
            if (limits.seconds <= 0 || call.node.op == untimed) {
                times.push_back(fail(Error::Kind::Usage, "the time for measuring is used up"));
                continue;
            }
            asked.push_back(call);
            const double modelled =
                kernelSeconds(m_device, CallWork(call.description, call.call()).work());
            times.push_back(factor(call) * modelled);
        }
        return times;
    }
    std::vector<Result<KernelTime>> timeBlocks(const Graph &, const Opsets &,
                                               std::span<const std::vector<NodeId>> blocks,
                                               const TimingLimits &) override
    {
        return std::vector<Result<KernelTime>>(blocks.size(),
                                               fail(Error::Kind::Usage, "times calls alone"));
    }

    std::function<double(const CallPart &)> factor = [](const CallPart &) { return 3.0; };
    std::string untimed; // an operator that it cannot run
    std::vector<CallPart> asked;

private:
    Device m_device;
};

} // namespace graphloom::test
