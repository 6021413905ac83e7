// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/arm64_target.h"

namespace {

std::unique_ptr<graphloom::Target> make()
{
    return std::make_unique<graphloom::arm64::Arm64Target>();
}

constexpr graphloom::TargetEntry entry{graphloom::targetAbiVersion, make};

} // namespace

extern "C" const graphloom::TargetEntry *graphloom_target()
{
    return &entry;
}
