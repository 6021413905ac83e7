// SPDX-License-Identifier: Apache-2.0
#include "plugins/half/half_pass.h"

extern "C" const graphloom::PassEntry *graphloom_pass()
{
    static const graphloom::PassEntry entry{
        graphloom::passAbiVersion, []() -> std::unique_ptr<graphloom::Pass> {
            return std::make_unique<graphloom::half::HalfPass>();
        }};
    return &entry;
}
