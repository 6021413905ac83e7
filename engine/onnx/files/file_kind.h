// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace graphloom {

/// Tells why a file with these first bytes (a few hundred are enough, or all of a shorter file) is
/// certainly no ONNX model, and what it looks like instead; returns nothing if it may be one.
std::optional<std::string> whyNotOnnx(std::span<const std::byte> head);

} // namespace graphloom
