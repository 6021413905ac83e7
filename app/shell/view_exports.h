// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/view_export.h"
#include "app/export/view_exporter.h"
#include "app/style/theme.h"

#include <QObject>
#include <QPointer>

#include <memory>
#include <vector>

namespace graphloom {

class ExportDialog;
class Workbench;

/// What of a window's views can be written to files, and the dialog that asks how.
class ViewExports final : public QObject {
    Q_OBJECT

public:
    /// The first view is offered where the one that has the focus has nothing to offer.
    ViewExports(QWidget &window, Workbench &bench, std::vector<ViewExport> views);

    const std::vector<ViewExport> &all() const { return m_views; }
    /// Null: there is no such view.
    const ViewExport *find(const QString &key) const;
    void setTheme(std::shared_ptr<const Theme> theme) { m_theme = std::move(theme); }
    bool isRunning() const { return m_exporter.isRunning(); }
    void cancel() { m_exporter.cancel(); }

private:
    void connectExporter();
    void followFocus();
    void open(bool picture);
    void start(const struct ExportRequest &request);
    /// The view that has the focus, or had it last, or the first one where that has none of these.
    QString chosenView(bool picture) const;

    QWidget &m_window;
    Workbench &m_bench;
    std::vector<ViewExport> m_views;
    QString m_focused; // of them
    std::shared_ptr<const Theme> m_theme;
    QPointer<ExportDialog> m_dialog;
    ViewExporter m_exporter;
};

} // namespace graphloom
