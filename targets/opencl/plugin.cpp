// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_target.h"

namespace {

std::unique_ptr<graphloom::Target> make()
{
    return std::make_unique<graphloom::opencl::OpenclTarget>();
}

constexpr graphloom::TargetEntry entry{graphloom::targetAbiVersion, make};

} // namespace

extern "C" const graphloom::TargetEntry *graphloom_target()
{
    return &entry;
}
