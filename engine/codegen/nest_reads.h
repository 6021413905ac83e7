// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nest.h"

#include <functional>

/// The reads of a nest, which expressions and lookups know by their numbers.
namespace graphloom {

/// Does an index of a read or store look its value up in the read?
bool isLookedUp(const Nest &nest, int read);
/// Does anything that the nest computes need it?
bool isUsed(const Nest &nest, int read);
/// The others go, and those that are left are numbered anew.
void dropUnusedReads(Nest &nest);

/// Adds another nest's reads, `axes` being that nest's axes as forms over this one's, and gives
/// their numbers here.
std::vector<int> adoptReads(Nest &nest, const Nest &other, const std::vector<IndexForm> &axes);
/// A value of the other nest, with those numbers and axes. `instead` gives what a leaf becomes;
/// an empty Expr: as the others.
Expr adopted(const Expr &value, const std::vector<int> &reads, const std::vector<IndexForm> &axes,
             const std::function<Expr(const Expr::Node &leaf)> &instead = {});

} // namespace graphloom
