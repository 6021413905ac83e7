// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/variants/variants.h"

#include <string>

namespace graphloom::magis {

/// Returns the results of the searches of all variants (their archives, but not the states that are
/// known to be worse) as text, so that another search can start from them.
std::string checkpointOf(std::span<const Variant> variants);

/// Gives the states of a checkpoint to the searches as seeds, and returns their number. Fails
/// (Usage) if it is not a checkpoint, or one of another graph or device.
Result<std::size_t> readCheckpoint(const Context::Resume &from, std::span<Variant> variants);

/// Holds one state with its F-Tree, as a plan stores it in MemoryPlan::state.
struct Decisions {
    std::string variant; // by name
    State state;
    std::vector<EnabledFission> tree; // as treeOf() gives it
    std::vector<bool> locked;         // by place in `tree`
};
/// Returns the state of a variant as text, for readDecisions().
std::string textOf(const Variant &variant, const Decisions &decisions);
/// Returns the name of the variant that such a text belongs to. Returns nothing if it is not such a
/// text.
std::optional<std::string> variantIn(const std::string &text);
/// Reads the text of a state. Fails (Usage), naming its source `where`, if it is not such a text,
/// or one of another graph or device.
Result<Decisions> readDecisions(const std::string &text, const Variant &variant,
                                const std::string &where);

} // namespace graphloom::magis
