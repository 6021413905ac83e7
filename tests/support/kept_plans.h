// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_store.h"

#include <map>

namespace graphloom::test {

/// Holds a plan store that keeps its objects in a map.
struct KeptPlans {
    std::map<std::uint64_t, std::string> objects;
    PlanStore store{access()};

    PlanStore::Access access()
    {
        return {[this](std::uint64_t number, std::string bytes) {
                    objects.emplace(number, std::move(bytes));
                },
                [this](std::uint64_t number) -> Result<std::string> {
                    const auto found = objects.find(number);
                    if (found == objects.end())
                        return fail(Error::Kind::Model,
                                    "object " + std::to_string(number) + " is not there");
                    return found->second;
                },
                {}};
    }
};

/// Returns a plan that another store has kept, as read by a new store.
inline Result<Plan> readAgain(const KeptPlans &kept, std::uint64_t number)
{
    KeptPlans other;
    other.objects = kept.objects;
    return other.store.get(number);
}

/// Returns everything that is kept of a plan: equal for equal plans.
inline std::map<std::uint64_t, std::string> keptBytes(const Plan &plan)
{
    KeptPlans kept;
    kept.store.put(plan);
    return kept.objects;
}

} // namespace graphloom::test
