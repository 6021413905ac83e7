// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace graphloom {

/// Writes all of the bytes to an open file, in as many calls as that takes. Returns false, with
/// errno set, if some cannot be written.
bool writeFully(int descriptor, std::string_view bytes);

} // namespace graphloom
