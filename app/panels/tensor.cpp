// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"
#include "app/tensors/tensor_panel.h"
#include "app/workbench/workbench.h"

#include <QTableView>

namespace graphloom {

namespace {

/// Shows the values of a tensor of the selected item.
class TensorDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(TensorDock)

public:
    explicit TensorDock(Workbench &bench)
        : Panel({QStringLiteral("tensor"), tr("Tensor"), QStringLiteral("table")}, new TensorPanel),
          m_bench(bench), m_panel(static_cast<TensorPanel &>(widget()))
    {
        TensorController &tensors = bench.tensors;
        m_panel.setJobs(&bench.jobs);
        connect(&tensors, &TensorController::changed, this, &TensorDock::show);
        connect(&m_panel, &TensorPanel::chosen, &tensors, &TensorController::choose);
        connect(&m_panel, &TensorPanel::told, &bench, &Workbench::inform);
        connect(&m_panel, &TensorPanel::refused, &bench, &Workbench::warn);
        connect(&m_panel, &TensorPanel::fileWanted, this, [this](bool sliceOnly) {
            m_bench.tensors.exportTensor(sliceOnly ? std::optional(m_panel.slices().slice())
                                                   : std::nullopt);
        });
    }

    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see the values of its weights and other constants."),
                    m_bench.actions.open};
        return {tr("Select a node or an edge to see the values of its tensors."),
                m_bench.actions.find};
    }
    std::vector<ViewExport> exports() override
    {
        const auto map = [this] { return m_panel.mapPicture(); };
        const auto values = [this] { return m_panel.valueSource(); };
        return {{QStringLiteral("tensor"), tr("Tensor summary"), &m_panel.summary(),
                 [this] { return m_panel.histogramPicture(); },
                 [this] { return m_panel.summarySource(); }},
                {QStringLiteral("tensor-values"), tr("Slice of a tensor"), &m_panel.slices(), map,
                 values}};
    }
    std::vector<QWidget *> exportedViews() override
    {
        return {&m_panel.summary().histogram(), &m_panel.slices().map(), &m_panel.slices().table()};
    }
    bool isBusy() const override { return m_panel.isBusy(); }

private:
    void show()
    {
        const TensorController &tensors = m_bench.tensors;
        if (!tensors.chosen()) {
            m_panel.clear();
            return;
        }
        m_panel.setChoices(tensors.choices(), *tensors.chosen());
        m_panel.setTensor(tensors.tensor());
    }

    Workbench &m_bench;
    TensorPanel &m_panel;
};

} // namespace

PanelPointer panels::tensor(Workbench &bench)
{
    return std::make_unique<TensorDock>(bench);
}

} // namespace graphloom
