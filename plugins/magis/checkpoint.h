// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/variants.h"

#include <filesystem>

namespace graphloom::magis {

/// Writes what the searches of all variants have found (their archives, not what is known to be
/// worse), so that another search can begin there. Fails (Missing) when the file cannot be written;
/// an older one then stays as it was.
Result<void> writeCheckpoint(const std::filesystem::path &path, std::span<const Variant> variants);

/// Gives the searches the states of a file as seeds; how many there were. Fails (Missing) when it
/// cannot be read, (Usage) when it is no checkpoint or one of another graph or device.
Result<std::size_t> readCheckpoint(const std::filesystem::path &path, std::span<Variant> variants);

} // namespace graphloom::magis
