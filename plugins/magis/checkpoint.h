// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/variants/variants.h"

#include <string>

namespace graphloom::magis {

/// What the searches of all variants have found (their archives, not what is known to be worse), so
/// that another search can begin there.
std::string checkpointOf(std::span<const Variant> variants);

/// Gives the searches the states of a checkpoint as seeds; how many there were. Fails (Usage) when
/// it is none, or one of another graph or device.
Result<std::size_t> readCheckpoint(const Context::Resume &from, std::span<Variant> variants);

/// One state with its F-Tree, as a plan keeps it: MemoryPlan::state.
struct Decisions {
    std::string variant; // by name
    State state;
    std::vector<EnabledFission> tree; // as treeOf() gives it
    std::vector<bool> locked;         // by place in `tree`
};
std::string textOf(const Variant &variant, const Decisions &decisions);
/// The name of the variant that a text is of; none where it is no such text.
std::optional<std::string> variantIn(const std::string &text);
/// Fails (Usage), naming `where` it is from, when it is no such text, or one of another graph or
/// device.
Result<Decisions> readDecisions(const std::string &text, const Variant &variant,
                                const std::string &where);

} // namespace graphloom::magis
