// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/fired.h"

#include "engine/system/json_text.h"

#include <nlohmann/json.hpp>

namespace graphloom::dnnfusion {

const std::map<std::string, std::int64_t> &firedCounts()
{
    static const std::map<std::string, std::int64_t> counts = [] {
        std::map<std::string, std::int64_t> found;
        const auto json = jsonOf(firedFile);
        if (json.is_object() && json.contains("rules"))
            for (const auto &[rule, count] : json["rules"].items())
                if (count.is_number_integer())
                    found[rule] = count.get<std::int64_t>();
        return found;
    }();
    return counts;
}

} // namespace graphloom::dnnfusion
