// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include <QObject>

#include <functional>

class QMainWindow;

namespace graphloom {

class GraphArea;
class Workbench;

/// Asks which files to open, where to write, and whether work may be lost. The dialogs do not block
/// the window.
class DocumentDialogs final : public QObject {
    Q_OBJECT

public:
    DocumentDialogs(QMainWindow &window, Workbench &bench, GraphArea &area);

private:
    void chooseModel();
    void chooseExport(const QString &title, const QStringList &filters, const QString &suffix);
    void choosePlace(bool embed);
    void chooseCompared();
    void chooseData();
    void chooseTensorFile(const QString &name);
    void chooseTraceFile(const QString &name);
    void choosePackageFolder(const QString &name);
    void chooseTraining();
    void chooseShapes();
    void chooseInputs();
    void askForDecision(const std::function<void()> &then);

    QMainWindow &m_window;
    Workbench &m_bench;
};

} // namespace graphloom
