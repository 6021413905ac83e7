// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace graphloom {

/// Receives the fraction done, 0 to 1, and the current activity; from any thread.
using ProgressFunction = std::function<void(double, std::string_view)>;

/// Returns a function that reports to `progress` and never goes backwards: a fraction below an
/// earlier one, as of work whose end came nearer than expected, is reported as the earlier one.
inline ProgressFunction monotone(ProgressFunction progress)
{
    return [progress = std::move(progress), most = std::make_shared<std::atomic<double>>(0)](
               double fraction, std::string_view what) {
        double known = *most;
        while (fraction > known && !most->compare_exchange_weak(known, fraction))
            ;
        progress(std::max(fraction, known), what);
    };
}

} // namespace graphloom
