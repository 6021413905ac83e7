// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Declares functions that rearrange generated code, a statement to a line.
namespace graphloom {

/// Returns the code with other names and numbers: `of` gives what takes the place of one.
std::string withNames(std::string_view code,
                      const std::function<std::string(std::string_view name)> &of);

/// Returns the statements of short pieces, which are about as long, next to each other: those that
/// are as far from the ends of their pieces follow each other, of eight pieces at a time. Longer
/// pieces stay one after the other, and all do if a name were used before it is declared.
std::string sideBySide(const std::vector<std::string> &pieces);

} // namespace graphloom
