// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace graphloom {

/// Writes all of it to an open file, however many calls that takes. False, with errno, where
/// something cannot be written.
bool writeFully(int descriptor, std::string_view bytes);

} // namespace graphloom
