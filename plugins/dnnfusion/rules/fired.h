// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace graphloom::dnnfusion {

/// fired.json, compiled in (plugins/CMakeLists.txt): written by `fusion_bench --fired FILE`.
extern const std::string_view firedFile;

/// How often each rule was applied to the models that the paper evaluates; rules that are not in it
/// were not known when it was counted.
const std::map<std::string, std::int64_t> &firedCounts();

} // namespace graphloom::dnnfusion
