// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// Checks that the bytes are a complete shared library (ELF) for this processor that defines these
/// functions. A compiler may succeed on a full disk and leave half of one. Fails (Fault) with what
/// is wrong; nothing is loaded.
Result<void> checkLibraryImage(std::string_view bytes, std::span<const std::string> functions);

/// Checks that the bytes are a complete object file (ELF, 64 bits) for any processor. Fails (Fault)
/// with what is wrong.
Result<void> checkObjectImage(std::string_view bytes);

} // namespace graphloom
