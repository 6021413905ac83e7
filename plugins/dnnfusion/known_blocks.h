// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/match.h"

#include <functional>
#include <string>
#include <vector>

namespace graphloom::dnnfusion {

/// What a block looks like: every call of the patterns has a name, equal ones where they are one.
struct KnownBlock {
    std::string name;
    std::vector<Pattern> spellings;
    std::function<bool(const Match &)> when = {};
};

/// Those that recognise() looks for.
const std::vector<KnownBlock> &knownBlocks();

} // namespace graphloom::dnnfusion
