// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_bands.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace graphloom {

IndexedVector<ColumnIndex, std::uint32_t> stepsOf(const MemoryTimeline &timeline,
                                                  const TimelineWindow &window)
{
    IndexedVector<ColumnIndex, std::uint32_t> steps;
    if (timeline.isEmpty())
        return steps;
    steps.reserve(std::size_t(window.columns));
    for (int c = 0; c < window.columns; ++c) {
        const std::uint32_t first = timeline.stepAt(window.place(c), window.inTime);
        const double end = window.place(c + 1);
        std::uint32_t last = std::max(first, timeline.stepAt(end, window.inTime));
        if (last > first && timeline.beginOf(last, window.inTime) >= end)
            --last; // it begins in the next column
        steps.push_back(timeline.highest(first, last));
    }
    return steps;
}

TimelineBands bandsOf(const MemoryTimeline &timeline, const TimelineWindow &window,
                      std::int64_t least, std::span<const std::uint32_t> always)
{
    TimelineBands result;
    result.window = window;
    result.steps = stepsOf(timeline, window);
    if (result.steps.empty())
        return result;
    const auto columns = std::size_t(window.columns);
    using Bytes = IndexedVector<ColumnIndex, std::int64_t>;
    // Maps each step to the first column that shows it or a later one, so that steps that no column
    // shows are skipped at once.
    const std::uint32_t begin = result.steps.front(), end = result.steps.back();
    std::vector<ColumnIndex> columnFrom(std::size_t(end - begin) + 2);
    ColumnIndex from(0);
    for (std::uint32_t step = begin; step <= end + 1; ++step) {
        while (result.steps.contains(from) && result.steps[from] < step)
            ++from;
        columnFrom[step - begin] = from;
    }
    IndexedVector<ColumnIndex, std::int32_t> count(columns + 1);
    for (Bytes &others : result.others) // differences at first, one more than columns
        others.assign(columns + 1, 0);
    for (const std::uint32_t t : timeline.stack) {
        const MemoryTimeline::Tensor &tensor = timeline.tensors[t];
        if (tensor.last < begin || tensor.first > end || tensor.bytes == 0)
            continue;
        const ColumnIndex first = columnFrom[std::max(tensor.first, begin) - begin];
        const ColumnIndex last = columnFrom[std::min(tensor.last, end) + 1 - begin] - 1;
        if (last < first)
            continue;
        if (tensor.bytes >= least || std::ranges::binary_search(always, t)) {
            result.bands.push_back({t, first, last});
            continue;
        }
        Bytes &change = result.others[std::size_t(tensor.kind)];
        change[first] += tensor.bytes;
        change[last + 1] -= tensor.bytes;
        ++count[first];
        --count[last + 1];
        // In the columns that show its last step, a part belongs to another tensor.
        ColumnIndex c = last;
        while (tensor.takenOver > 0 && c >= first && result.steps[c] == tensor.last)
            --c;
        change[c + 1] -= tensor.takenOver;
        change[last + 1] += tensor.takenOver;
    }
    for (Bytes &others : result.others) {
        std::partial_sum(others.begin(), others.end(), others.begin());
        others.pop_back();
    }
    std::partial_sum(count.begin(), count.end(), count.begin());
    result.hidden.elements().assign(count.begin(), count.end() - 1);
    for (const std::uint32_t step : result.steps)
        result.extras.push_back(timeline.steps[step].extra);
    return result;
}

std::int64_t TimelineBands::under(const MemoryTimeline &timeline, const Band &band,
                                  ColumnIndex column) const
{
    std::int64_t bytes = 0;
    const std::uint32_t step = steps[column];
    for (const Band &below : bands) {
        if (below.tensor == band.tensor)
            break;
        if (below.first <= column && column <= below.last)
            bytes += timeline.tensors[below.tensor].bytesAt(step);
    }
    return bytes;
}

std::vector<std::int64_t> TimelineBands::under(const MemoryTimeline &timeline,
                                               const Band &band) const
{
    std::vector<std::int64_t> bytes(std::size_t(band.last - band.first) + 1);
    for (const Band &below : bands) {
        if (below.tensor == band.tensor)
            break;
        const MemoryTimeline::Tensor &tensor = timeline.tensors[below.tensor];
        for (const ColumnIndex c :
             IndexRange(std::max(below.first, band.first), std::min(below.last, band.last) + 1))
            bytes[std::size_t(c - band.first)] += tensor.bytesAt(steps[c]);
    }
    return bytes;
}

const TimelineBands::Band *TimelineBands::at(const MemoryTimeline &timeline, ColumnIndex column,
                                             double bytes, std::int64_t *below) const
{
    if (!steps.contains(column) || bytes < 0)
        return nullptr;
    const std::uint32_t step = steps[column];
    std::int64_t sum = 0;
    for (const Band &band : bands) {
        if (column < band.first || band.last < column)
            continue;
        const std::int64_t next = sum + timeline.tensors[band.tensor].bytesAt(step);
        if (bytes < double(next)) {
            if (below)
                *below = sum;
            return &band;
        }
        sum = next;
    }
    return nullptr;
}

} // namespace graphloom
