// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/tensor_controller.h"

#include "app/common/format.h"
#include "app/workbench/workbench.h"
#include "engine/tensors/npy.h"

#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace graphloom {

namespace {

const QString panelKey = QStringLiteral("tensor");
constexpr int leastHeight = 300; // of the panel, to see some rows of values

bool has(const std::vector<TensorChoice> &choices, TensorId id)
{
    return std::ranges::find(choices, id, &TensorChoice::id) != choices.end();
}

} // namespace

TensorController::TensorController(Workbench &bench) : m_bench(bench)
{
    connect(&bench, &Workbench::graphShown, this, &TensorController::setSnapshot);
    connect(&bench.selection, &Selection::changed, this, &TensorController::followSelection);
    connect(bench.actions.inspectTensor, &QAction::triggered, this, [this] {
        followSelection();
        if (m_chosen)
            inspect(*m_chosen);
    });
    connect(bench.actions.exportTensor, &QAction::triggered, this, [this] { exportTensor(); });
}

/// Follows to an item that has tensors; otherwise what is inspected stays.
void TensorController::followSelection()
{
    if (!m_shown)
        return;
    const Item item = m_bench.selection.item();
    std::vector<TensorChoice> choices = tensorsOf(*m_shown, item);
    if (choices.empty())
        return;
    const bool stays = item == m_item && m_chosen && has(choices, *m_chosen);
    m_item = item;
    const TensorId chosen = stays ? *m_chosen : choices.front().id;
    show(std::move(choices), chosen);
}

/// Keeps the tensor if the graph still has it.
void TensorController::setSnapshot(const SnapshotPointer &shown)
{
    const bool sameGraph = shown && m_shown && shown->path == m_shown->path &&
                           shown->plan->model == m_shown->plan->model;
    m_shown = shown;
    std::vector<TensorChoice> choices;
    if (sameGraph)
        choices = tensorsOf(*shown, m_item);
    if (choices.empty()) {
        m_item = {};
        show({}, std::nullopt);
        followSelection();
        return;
    }
    const TensorId chosen = m_chosen && has(choices, *m_chosen) ? *m_chosen : choices.front().id;
    show(std::move(choices), chosen);
}

void TensorController::show(std::vector<TensorChoice> choices, std::optional<TensorId> chosen)
{
    m_choices = std::move(choices);
    m_chosen = chosen;
    m_tensor = chosen ? inspected(*m_shown, *chosen, m_source.get()) : InspectedTensor();
    updateActions();
    Q_EMIT changed();
}

void TensorController::choose(TensorId id)
{
    if (!m_shown || !m_shown->graph().contains(id))
        return;
    if (has(m_choices, id)) {
        show(m_choices, id);
        return;
    }
    m_item = Item::tensor(id);
    show(tensorsOf(*m_shown, m_item), id);
}

void TensorController::inspect(TensorId id)
{
    choose(id);
    Q_EMIT m_bench.panelWanted(panelKey);
    Q_EMIT m_bench.heightWanted(panelKey, leastHeight);
}

void TensorController::setSource(TensorSourcePointer source)
{
    m_source = std::move(source);
    if (m_chosen)
        show(m_choices, m_chosen);
}

void TensorController::exportTensor(const std::optional<TensorSlice> &slice)
{
    if (!m_chosen)
        return;
    m_export = Export{m_tensor, slice};
    if (!m_export->tensor.data)
        return;
    static const QRegularExpression odd(QStringLiteral("[^A-Za-z0-9_.-]+"));
    QString name = m_export->tensor.name;
    name.replace(odd, QStringLiteral("_"));
    constexpr int longestName = 100;
    Q_EMIT fileWanted(name.left(longestName) +
                      (slice ? QStringLiteral("-slice.npy") : QStringLiteral(".npy")));
}

void TensorController::write(const std::filesystem::path &path)
{
    const std::optional<Export> wanted = std::exchange(m_export, std::nullopt);
    if (!wanted)
        return;
    m_bench.documents.write(path, [data = wanted->tensor.data, slice = wanted->slice,
                                   path](const std::stop_token &stop) {
        return slice ? writeNpy(*data, *slice, path, {stop}) : writeNpy(*data, path, {stop});
    });
    const DataType type = wanted->tensor.data->type();
    if (const NpyType written = npyTypeOf(type); written.type != type)
        m_bench.inform(tr("NumPy has no %1: the elements are written as %2")
                           .arg(fromUtf8(nameOf(type)), fromUtf8(nameOf(written.type))));
}

void TensorController::updateActions()
{
    const Actions &a = m_bench.actions;
    a.inspectTensor->setEnabled(m_shown && !tensorsOf(*m_shown, m_bench.selection.item()).empty());
    a.exportTensor->setEnabled(m_tensor.data != nullptr);
}

} // namespace graphloom
