// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/document_dialogs.h"

#include "app/common/format.h"
#include "app/runs/training_form.h"
#include "app/shell/graph_area.h"
#include "app/workbench/workbench.h"

#include <QAbstractButton>
#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>
#include <QMessageBox>
#include <QRegularExpression>

namespace graphloom {

namespace {

const QString sessionSuffix = QStringLiteral("gloom"), unsavedBox = QStringLiteral("unsavedBox");

QFileDialog *makeDialog(QWidget &window, const QString &title, QFileDialog::AcceptMode mode,
                        const QStringList &filters)
{
    auto *dialog = new QFileDialog(&window, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(mode);
    if (mode == QFileDialog::AcceptOpen)
        dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(filters);
    return dialog;
}

} // namespace

DocumentDialogs::DocumentDialogs(QMainWindow &window, Workbench &bench, GraphArea &area)
    : m_window(window), m_bench(bench)
{
    const Actions &a = bench.actions;
    connect(a.open, &QAction::triggered, this, &DocumentDialogs::chooseModel);
    const auto exports = [this](QAction *action, const QString &title, const QString &filter,
                                const QString &suffix) {
        connect(action, &QAction::triggered, this,
                [this, title, filter, suffix] { chooseExport(title, {filter}, suffix); });
    };
    exports(a.exportOnnx, tr("Export ONNX"), tr("ONNX models (*.onnx)"), QStringLiteral("onnx"));
    exports(a.exportDot, tr("Export DOT"), tr("Graphviz files (*.dot *.gv)"),
            QStringLiteral("dot"));
    exports(a.exportReport, tr("Export report"), tr("JSON reports (*.json)"),
            QStringLiteral("json"));
    connect(a.compareFile, &QAction::triggered, this, &DocumentDialogs::chooseCompared);
    connect(a.loadData, &QAction::triggered, this, &DocumentDialogs::chooseData);
    connect(&area, &GraphArea::dataWanted, this, &DocumentDialogs::chooseData);
    connect(a.training, &QAction::triggered, this, &DocumentDialogs::chooseTraining);
    connect(&bench.documents, &DocumentController::placeWanted, this,
            &DocumentDialogs::choosePlace);
    connect(&bench.documents, &DocumentController::decisionWanted, this,
            &DocumentDialogs::askForDecision);
}

void DocumentDialogs::chooseModel()
{
    QFileDialog *dialog =
        makeDialog(m_window, tr("Open a model"), QFileDialog::AcceptOpen,
                   {tr("Models and sessions (*.onnx *.gloom *.dot *.gv)"), tr("All files (*)")});
    if (const auto &path = m_bench.session.path(); !path.empty())
        dialog->setDirectory(
            QString::fromStdString(std::filesystem::absolute(path).parent_path().string()));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { m_bench.documents.open(path.toStdString()); });
    dialog->show();
}

void DocumentDialogs::chooseExport(const QString &title, const QStringList &filters,
                                   const QString &suffix)
{
    QFileDialog *dialog = makeDialog(m_window, title, QFileDialog::AcceptSave, filters);
    dialog->setDefaultSuffix(suffix);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1)
                                     .section(QRegularExpression(QStringLiteral("[ )]")), 0, 0));
    });
    const QString base = QFileInfo(fileNameOf(m_bench.session.path())).completeBaseName();
    dialog->selectFile(
        base +
        (suffix == QLatin1String("onnx") ? QStringLiteral("-graphloom.") : QStringLiteral(".")) +
        suffix);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { m_bench.documents.exportTo(path.toStdString()); });
    dialog->show();
}

void DocumentDialogs::choosePlace(bool embed)
{
    const Session &session = m_bench.session;
    QFileDialog *dialog = makeDialog(m_window, tr("Save the session"), QFileDialog::AcceptSave,
                                     {tr("Sessions (*.gloom)")});
    dialog->setDefaultSuffix(sessionSuffix);
    const auto &path = session.file().empty() ? session.path() : session.file();
    dialog->selectFile(QFileInfo(fileNameOf(path)).completeBaseName() + '.' + sessionSuffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, embed](const QString &file) {
        m_bench.documents.saveTo(file.toStdString(), {.embedsModel = embed});
    });
    connect(dialog, &QFileDialog::rejected, this, [this] { m_bench.documents.forgetWaiting(); });
    dialog->show();
}

void DocumentDialogs::chooseCompared()
{
    QFileDialog *dialog =
        makeDialog(m_window, tr("Compare with"), QFileDialog::AcceptOpen,
                   {tr("Models and sessions (*.onnx *.gloom)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        m_bench.comparison.compareWithFile(path.toStdString());
    });
    dialog->show();
}

void DocumentDialogs::chooseData()
{
    QFileDialog *dialog = makeDialog(m_window, tr("Load node data"), QFileDialog::AcceptOpen,
                                     {tr("Node data (*.csv *.tsv *.json)"), tr("All files (*)")});
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList &files) {
        for (const QString &file : files)
            m_bench.colours.readData(file.toStdString());
    });
    dialog->open();
}

void DocumentDialogs::chooseTraining()
{
    if (!m_bench.session.snapshot())
        return;
    auto *form = new TrainingForm(&m_window);
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &TrainingForm::wanted, this,
            [this, form] { m_bench.training.make(form->options(), form->batchSize()); });
    form->show();
}

void DocumentDialogs::askForDecision(const std::function<void()> &then)
{
    if (m_window.findChild<QMessageBox *>(unsavedBox))
        return; // asked already
    const int active = m_bench.session.runs().activeCount();
    auto *box = new QMessageBox(
        QMessageBox::Question, tr("Unsaved changes"),
        tr("Save changes to %1?").arg(fileNameOf(m_bench.session.path())) +
            (active > 0 ? ' ' + tr("%n run(s) are still in progress.", nullptr, active)
                        : QString()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName(unsavedBox);
    connect(box, &QMessageBox::buttonClicked, this, [this, box, then](QAbstractButton *button) {
        switch (box->standardButton(button)) {
        case QMessageBox::Save:
            m_bench.documents.saveBefore(then);
            break;
        case QMessageBox::Discard:
            then();
            break;
        default:
            break;
        }
    });
    box->open();
}

} // namespace graphloom
