// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"
#include "app/properties/properties_panel.h"
#include "app/workbench/workbench.h"

#include <QTreeView>

namespace graphloom {

namespace {

/// Shows the properties of the selected item.
class PropertiesDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(PropertiesDock)

public:
    explicit PropertiesDock(Workbench &bench)
        : Panel(
              {QStringLiteral("properties"), tr("Properties"), QStringLiteral("info"), Spot::Right},
              new PropertiesPanel(bench.selection)),
          m_bench(bench), m_panel(static_cast<PropertiesPanel &>(widget()))
    {
        const auto setData = [this] {
            m_panel.setData(m_bench.colours.ownTable(), m_bench.colours.metric());
        };
        connect(&bench.colours, &ColourController::changed, this, setData);
        connect(&bench.colours, &ColourController::ownDataChanged, this, setData);
        connect(&m_panel, &PropertiesPanel::linkActivated, this, [this](const Place &place) {
            const SnapshotPointer &shown = m_bench.navigator.shown();
            if (place.item.kind == Item::Kind::Original)
                m_bench.comparison.showOriginal(place.item.node());
            else if (place.item.kind == Item::Kind::Tensor && shown && place.path == shown->path)
                m_bench.tensors.inspect(place.item.tensor());
            else
                m_bench.navigator.go(place);
        });
    }

    void setSnapshot(const SnapshotPointer &shown) override { m_panel.setSnapshot(shown); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see the properties of its nodes."), m_bench.actions.open};
        return {tr("Select a node to see its shapes, cost and index maps."), m_bench.actions.find};
    }
    std::vector<ViewExport> exports() override
    {
        return {
            {QStringLiteral("properties"), tr("Properties of the selection"), &m_panel, {}, [this] {
                 return sourceOf(m_panel.model());
             }}};
    }
    std::vector<QWidget *> exportedViews() override { return {&m_panel.tree()}; }

private:
    Workbench &m_bench;
    PropertiesPanel &m_panel;
};

} // namespace

PanelPointer panels::properties(Workbench &bench)
{
    return std::make_unique<PropertiesDock>(bench);
}

} // namespace graphloom
