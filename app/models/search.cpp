// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/search.h"

#include "app/models/format.h"

#include <QStringList>

#include <algorithm>

namespace graphloom {

std::vector<Item> findItems(const Snapshot &snapshot, const QString &text)
{
    const QStringList words = text.toLower().split(' ', Qt::SkipEmptyParts);
    std::vector<Item> found;
    if (words.isEmpty())
        return found;
    const auto matches = [&](const QString &in) {
        return std::all_of(words.begin(), words.end(), [&](const QString &word) { return in.contains(word); });
    };
    const Graph &graph = snapshot.graph();
    const auto addTensors = [&](std::span<const TensorId> tensors, Item (*item)(TensorId)) {
        for (const TensorId id : tensors)
            if (matches(fromUtf8(graph.tensor(id).name).toLower()))
                found.push_back(item(id));
    };
    addTensors(graph.inputs(), &Item::input);
    for (const NodeId id : graph.order())
        if (matches(snapshot.facts->of(id).searchText))
            found.push_back(Item::of(id));
    addTensors(graph.outputs(), &Item::output);
    return found;
}

} // namespace graphloom
