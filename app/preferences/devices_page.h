// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/device/device_choice.h"
#include "app/preferences/preference_page.h"

class QTreeWidget;

namespace graphloom {

class Workbench;

/// Lists targets with their devices and what they need: whether it is ready, or what is missing and
/// how to get it; and the devices that are only described, for estimates.
class DevicesPage final : public PreferencePage {
    Q_OBJECT

public:
    explicit DevicesPage(Workbench &bench);

    bool filter(const QString &text) override;
    /// Asks the targets again, on a thread: they look for compilers and devices.
    void refresh() override;
    bool hasDefaults() const override { return false; }
    bool isBusy() const { return m_worker.isRunning(); }
    QTreeWidget &tree() { return *m_tree; }

private:
    void show(const std::vector<TargetState> &targets);
    void addDescribed();

    Workbench &m_bench;
    QTreeWidget *m_tree;
    Worker m_worker; // last: see Session
};

} // namespace graphloom
