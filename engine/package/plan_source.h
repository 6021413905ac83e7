// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/package/package.h"
#include "engine/runtime/execution_plan.h"

#include <string>

namespace graphloom {

/// Holds where the buffers of a package are: bytes from the beginning of inputs and outputs, and of
/// the file of weights, which begins with its number.
struct PackagePlaces {
    IndexedVector<BorderIndex, std::int64_t> border;
    IndexedVector<ConstantIndex, std::int64_t> constants;
    std::int64_t borderBytes = 0, weightBytes = 0;
};

/// `alignment` is that of each buffer.
PackagePlaces packagePlacesOf(const ExecutionPlan &plan, std::int64_t alignment);

/// Names what a package declares: functions, constants and files.
struct PackageNames {
    explicit PackageNames(const std::string &model);
    /// Returns the name of a kernel's function, which differs from those of other packages.
    std::string kernel(const std::string &symbol) const { return prefix + "_" + symbol; }

    std::string model;  // as the user knows it
    std::string prefix; // a C identifier in lower case
    std::string upper;  // the same in upper case
};

/// Returns the header with the functions of a model: create, destroy, run, input, output.
std::string modelHeader(const ExecutionPlan &plan, const PackageNames &names);

/// Returns the tables that the runtime (resources/package/runtime.h) runs. `number` is that of the
/// file of weights; `opencl` is null for kernels in C.
std::string planSource(const ExecutionPlan &plan, const PackageNames &names,
                       const PackagePlaces &places, std::uint64_t number,
                       const KernelFileForm *opencl);

/// Returns the kernels of a plan as texts in C, for a driver of OpenCL.
std::string openclSource(const ExecutionPlan &plan, const PackageNames &names,
                         const KernelFileForm &opencl);

/// Returns why a package cannot hold an input or output of the plan's graph; empty if it can hold
/// all of them.
std::vector<std::string> unfitTensors(const ExecutionPlan &plan);

/// Returns the interpreted nodes of a plan, for which a program that uses the package has to define
/// functions, PREFIX_missing_0 and so on, in this order.
std::vector<NodeId> missingNodes(const ExecutionPlan &plan);

} // namespace graphloom
