// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/devices/device_panel.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows the devices, the jobs on them, and what was measured there.
class DevicesDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(DevicesDock)

public:
    explicit DevicesDock(Workbench &bench)
        : Panel(
              {QStringLiteral("devices"), tr("Devices"), QStringLiteral("machine")},
              new DevicePanel(bench.devices, bench.deviceJobs.queue(), bench.deviceJobs.history())),
          m_bench(bench), m_panel(static_cast<DevicePanel &>(widget()))
    {
        connect(&m_panel, &DevicePanel::measureWanted, this, [this](bool tunes) {
            const KernelController::Choices &choices = m_bench.kernels.choices;
            m_bench.deviceJobs.measureOn(m_panel.selected(), choices.run(),
                                         tunes ? std::optional(choices.limits()) : std::nullopt);
            m_panel.show(DevicePanel::Tab::Jobs);
        });
        connect(&m_panel, &DevicePanel::jobActivated, this, [this](int number) {
            const DeviceQueue &queue = m_bench.deviceJobs.queue();
            if (const int row = queue.rowOfJob(number); row >= 0 && queue.at(row).run)
                m_bench.deviceJobs.apply(queue.at(row).run);
        });
        connect(&bench, &Workbench::stateChanged, this, [this] {
            m_panel.setPossible(m_bench.session.snapshot() && !m_bench.session.isBusy());
        });
    }

    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("devices"),
                 tr("Devices"),
                 &m_panel.devices(),
                 {},
                 tableOf(m_panel.devices())},
                {QStringLiteral("deviceJobs"),
                 tr("Jobs on devices"),
                 &m_panel.jobs(),
                 {},
                 tableOf(m_panel.jobs())},
                {QStringLiteral("measurements"),
                 tr("Measurements"),
                 &m_panel.history(),
                 {},
                 tableOf(m_panel.history())}};
    }

private:
    Workbench &m_bench;
    DevicePanel &m_panel;
};

} // namespace

PanelPointer panels::devices(Workbench &bench)
{
    return std::make_unique<DevicesDock>(bench);
}

} // namespace graphloom
