// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/call_timing.h"

namespace graphloom {

/// Describes a kernel that is timed to learn a rate.
struct RateKernel {
    /// Key of the rate in a description (machine_keys.h): "window_gflops", "launch_us".
    std::string_view rate;
    std::vector<NodeId> nodes;
    KernelWork work;
};

/// Holds small kernels that together show the launch and all rates of KernelRates, those of one
/// rate in several shapes as they occur in models for phones.
struct RateKernels {
    Graph graph;
    Opsets opsets;
    std::vector<RateKernel> kernels;
};
/// Fails (Fault) only if the operator table contradicts them.
Result<RateKernels> rateKernels();

/// Returns the device with the launch and the rates by which the model explains the seconds of the
/// kernels: for each the median over its kernels; a rate that explains none of them stays at the
/// peak. `seconds` holds one time for each kernel, 0 where there is none. The sources of the
/// figures say their spread and `when`. Fails (Fault) if no kernel of some rate has a time.
Result<Device> withRates(const Device &device, std::span<const RateKernel> kernels,
                         std::span<const double> seconds, const std::string &when);

/// Describes a device with rates of its kernels, which are timed now or were timed earlier: the
/// profile database keeps them. Takes some seconds the first time. Fails as Target::describe() and
/// Target::build() do, and (Fault) when stopped.
Result<Device> calibrated(const ChosenTarget &chosen, CallTimingOptions options,
                          const TimingLimits &limits);

} // namespace graphloom
