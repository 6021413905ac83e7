// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/magis_pass.h"

extern "C" const graphloom::PassEntry *graphloom_pass()
{
    static const graphloom::PassEntry entry{
        graphloom::passAbiVersion, []() -> std::unique_ptr<graphloom::Pass> {
            return std::make_unique<graphloom::magis::MagisPass>();
        }};
    return &entry;
}
