// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace graphloom::dnnfusion {

/// Holds fired.json, compiled in (plugins/CMakeLists.txt); `fusion_bench --fired FILE` writes it.
extern const std::string_view firedFile;

/// Returns how often each rule was applied to the models that the paper evaluates. Rules that are
/// missing did not exist yet when that was counted.
const std::map<std::string, std::int64_t> &firedCounts();

} // namespace graphloom::dnnfusion
