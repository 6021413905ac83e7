// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/preferences/preference_page.h"

#include <filesystem>
#include <optional>

class QLabel;
class QToolButton;

namespace graphloom {

class Workbench;

/// Shows the folders of the program: where plugins are loaded from, and where it keeps what it
/// makes. The cache of kernels can be emptied.
class FoldersPage final : public PreferencePage {
    Q_OBJECT

public:
    explicit FoldersPage(Workbench &bench);

    void refresh() override;
    bool hasDefaults() const override { return false; }
    QLabel &use() { return *m_use; }
    QToolButton &clearButton() { return *m_clear; }

private:
    void addFolder(const QString &label, const std::filesystem::path &folder,
                   const QString &meaning);
    void addCache();
    void measure();
    void clear();

    Workbench &m_bench;
    std::optional<std::filesystem::path> m_cache; // nothing: there is no folder for it
    QLabel *m_use;
    QToolButton *m_clear;
    Worker m_meter, m_cleaner; // last: see Session
};

} // namespace graphloom
