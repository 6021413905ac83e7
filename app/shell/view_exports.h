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

/// Holds the exports of a window's views, and the dialog that asks for their options.
class ViewExports final : public QObject {
    Q_OBJECT

public:
    /// Creates the exports. The dialog offers the first view if the one with the focus has no
    /// exports.
    ViewExports(QWidget &window, Workbench &bench, std::vector<ViewExport> views);

    const std::vector<ViewExport> &all() const { return m_views; }
    /// Returns the export with this key, or null if there is none.
    const ViewExport *find(const QString &key) const;
    void setTheme(std::shared_ptr<const Theme> theme) { m_theme = std::move(theme); }
    bool isRunning() const { return m_exporter.isRunning(); }
    void cancel() { m_exporter.cancel(); }

private:
    void connectExporter();
    void followFocus();
    void open(bool picture);
    void tellBusy();
    /// Copies a picture of the view to the clipboard.
    void copy();
    void start(const struct ExportRequest &request);
    /// Returns the view that has the focus or had it last, or the first view if that one has no
    /// such export.
    QString chosenView(bool picture) const;

    QWidget &m_window;
    Workbench &m_bench;
    std::vector<ViewExport> m_views;
    QString m_focused; // key of the view that had the focus last
    std::shared_ptr<const Theme> m_theme;
    QPointer<ExportDialog> m_dialog;
    ViewExporter m_exporter;
};

} // namespace graphloom
