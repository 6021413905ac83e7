// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/search.h"

#include "app/models/format.h"

#include <QStringList>

#include <algorithm>

namespace graphloom {

namespace {

class Search {
public:
    explicit Search(QStringList words) : m_words(std::move(words)) {}

    void in(const Graph &graph, const GraphFacts &facts)
    {
        addTensors(graph, graph.inputs(), &Item::input);
        for (const NodeId id : graph.order()) {
            if (matches(facts.of(id).searchText))
                m_found.push_back({m_path, Item::of(id)});
            for (const NestedGraph &nested : facts.nestedIn(id)) {
                m_path.push_back(nested.step);
                in(*nested.graph, *nested.facts);
                m_path.pop_back();
            }
        }
        addTensors(graph, graph.outputs(), &Item::output);
    }
    std::vector<Place> takeFound() { return std::move(m_found); }

private:
    bool matches(const QString &text) const
    {
        return std::all_of(m_words.begin(), m_words.end(),
                           [&](const QString &word) { return text.contains(word); });
    }
    void addTensors(const Graph &graph, std::span<const TensorId> tensors, Item (*item)(TensorId))
    {
        for (const TensorId id : tensors)
            if (matches(fromUtf8(graph.tensor(id).name).toLower()))
                m_found.push_back({m_path, item(id)});
    }

    const QStringList m_words;
    GraphPath m_path;
    std::vector<Place> m_found;
};

} // namespace

std::vector<Place> findPlaces(const Snapshot &own, const QString &text)
{
    QStringList words = text.toLower().split(' ', Qt::SkipEmptyParts);
    if (words.isEmpty())
        return {};
    Search search(std::move(words));
    search.in(own.graph(), *own.facts);
    return search.takeFound();
}

} // namespace graphloom
