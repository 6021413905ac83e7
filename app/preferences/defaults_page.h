// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/preferences/defaults.h"
#include "app/preferences/preference_page.h"

class QComboBox;
class QSpinBox;

namespace graphloom {

class Workbench;

/// Edits what the program starts with, and the values with which the fields of passes, measurements
/// and tuning begin. Panels that are open follow at once.
class DefaultsPage final : public PreferencePage {
    Q_OBJECT

public:
    explicit DefaultsPage(Workbench &bench);

    void refresh() override;
    void reset() override;

Q_SIGNALS:
    /// Emitted when the user has changed values that were shown, with these and those shown now.
    void defaultsChanged(const graphloom::Defaults &before, const graphloom::Defaults &now);

private:
    void addStart();
    void addPasses();
    void addKernels();
    QSpinBox *addNumber(const char *name, const QString &label, int least, int most,
                        const QString &unit, const QString &special, const QString &meaning);
    /// Returns the values in the fields.
    Defaults shown() const;
    void show(const Defaults &defaults);
    /// Keeps what the user has changed of the values in the fields.
    void store();

    Workbench &m_bench;
    QComboBox *m_start, *m_pass;
    QSpinBox *m_passSeconds, *m_seed, *m_threads, *m_runs, *m_runThreads, *m_seconds, *m_trials;
    Defaults m_before;      // the values in the fields before the user changes them
    bool m_showing = false; // values of the settings, which are no choice of the user
};

} // namespace graphloom
