// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/document_dialogs.h"

#include "app/common/format.h"
#include "app/export/export_jobs.h"
#include "app/runs/training_form.h"
#include "app/shapes/input_shapes_form.h"
#include "app/shell/graph_area.h"
#include "app/shell/package_dialog.h"
#include "app/verification/input_form.h"
#include "app/workbench/workbench.h"

#include <QAbstractButton>
#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>
#include <QMessageBox>
#include <QRegularExpression>

namespace graphloom {

namespace {

const QString sessionSuffix = QStringLiteral("gloom"), unsavedBox = QStringLiteral("unsavedBox"),
              flatKey = QStringLiteral("export/flat");

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

/// Brings the dialog of a kind to the front if it is open; tells whether it is.
template <class Dialog> bool raiseOpen(const QWidget &window)
{
    auto *open = window.findChild<Dialog *>();
    if (!open || !open->isVisible()) // one that was closed is about to be deleted
        return false;
    open->raise();
    open->activateWindow();
    return true;
}

} // namespace

DocumentDialogs::DocumentDialogs(QMainWindow &window, Workbench &bench, GraphArea &area)
    : m_window(window), m_bench(bench)
{
    const Actions &a = bench.actions;
    connect(a.open, &QAction::triggered, this, &DocumentDialogs::chooseModel);
    const auto exports = [this](QAction *action, const QString &title, const QStringList &filters,
                                const QString &suffix) {
        connect(action, &QAction::triggered, this,
                [this, title, filters, suffix] { chooseExport(title, filters, suffix); });
    };
    exports(a.exportOnnx, tr("Export ONNX"),
            {tr("ONNX with a function for each block (*.onnx)"),
             tr("Flat ONNX with blocks as metadata (*.onnx)")},
            QStringLiteral("onnx"));
    exports(a.exportDot, tr("Export DOT"), {tr("Graphviz files (*.dot *.gv)")},
            QStringLiteral("dot"));
    exports(a.exportReport, tr("Export report"), {tr("JSON reports (*.json)")},
            QStringLiteral("json"));
    exports(a.exportHtml, tr("Export HTML report"), {tr("HTML pages (*.html *.htm)")},
            QStringLiteral("html"));
    connect(a.compareFile, &QAction::triggered, this, &DocumentDialogs::chooseCompared);
    connect(a.loadData, &QAction::triggered, this, &DocumentDialogs::chooseData);
    connect(&area, &GraphArea::dataWanted, this, &DocumentDialogs::chooseData);
    connect(&bench.tensors, &TensorController::fileWanted, this,
            &DocumentDialogs::chooseTensorFile);
    connect(&bench.kernels, &KernelController::traceFileWanted, this,
            &DocumentDialogs::chooseTraceFile);
    connect(&bench.kernels, &KernelController::packageFolderWanted, this,
            &DocumentDialogs::choosePackageFolder);
    connect(a.training, &QAction::triggered, this, &DocumentDialogs::chooseTraining);
    connect(a.inputShapes, &QAction::triggered, this, &DocumentDialogs::chooseShapes);
    connect(a.runOnInputs, &QAction::triggered, this, &DocumentDialogs::chooseInputs);
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
        dialog->setDirectory(QFileInfo(absolutePath(path)).path());
    if (m_bench.documents.host)
        dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList &paths) {
        std::vector<std::filesystem::path> files;
        for (const QString &path : paths)
            files.emplace_back(path.toStdString());
        m_bench.documents.openFiles(files);
    });
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
    // Only ONNX has two forms, the second of which is flat.
    if (filters.size() > 1 && m_bench.settings->value(flatKey).toBool())
        dialog->selectNameFilter(filters[1]);
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, filters](const QString &path) {
        ExportOptions options;
        if (filters.size() > 1) {
            options.flat = dialog->selectedNameFilter() == filters[1];
            m_bench.settings->setValue(flatKey, options.flat);
        }
        m_bench.documents.exportTo(path.toStdString(), options);
    });
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

void DocumentDialogs::chooseTensorFile(const QString &name)
{
    QFileDialog *dialog = makeDialog(m_window, tr("Export a tensor"), QFileDialog::AcceptSave,
                                     {tr("NumPy arrays (*.npy)")});
    dialog->setDefaultSuffix(QStringLiteral("npy"));
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { m_bench.tensors.write(path.toStdString()); });
    dialog->show();
}

void DocumentDialogs::chooseTraceFile(const QString &name)
{
    QFileDialog *dialog = makeDialog(m_window, tr("Export a trace"), QFileDialog::AcceptSave,
                                     {tr("Traces (*.json)")});
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { m_bench.kernels.writeTrace(path.toStdString()); });
    dialog->show();
}

void DocumentDialogs::choosePackageFolder(const QString &name)
{
    auto *dialog = new PackageDialog(name, &m_window);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { m_bench.kernels.writePackage(path.toStdString()); });
    dialog->show();
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

void DocumentDialogs::chooseShapes()
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    const Model &model = *snapshot->plan->model;
    if (snapshot->plan->training || isDotFile(model.path)) {
        m_bench.warn(
            tr("Input shapes can be changed only in ONNX models: open the model's .onnx file"));
        return;
    }
    if (raiseOpen<InputShapesForm>(m_window))
        return;
    auto *form = new InputShapesForm(model.path, m_bench.options.import, model.graph, &m_bench.jobs,
                                     &m_window);
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &InputShapesForm::wanted, this,
            [this](const ImportOptions &options) { m_bench.documents.setInputShapes(options); });
    connect(&m_bench, &Workbench::modelChanged, form, &QDialog::close); // it is of another file
    form->show();
}

void DocumentDialogs::chooseInputs()
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    if (raiseOpen<InputForm>(m_window))
        return;
    VerificationController &runs = m_bench.verification;
    auto *form = new InputForm(snapshot->plan->model->graph, runs.inputs(), &m_window);
    form->setAttribute(Qt::WA_DeleteOnClose);
    form->setBusy(runs.isRunning());
    connect(form, &InputForm::runWanted, &runs, &VerificationController::runOn);
    connect(form, &InputForm::verificationWanted, &runs, &VerificationController::verifyOn);
    connect(&runs, &VerificationController::inputsRefused, form, &InputForm::showProblem);
    connect(&m_bench, &Workbench::stateChanged, form,
            [this, form] { form->setBusy(m_bench.verification.isRunning()); });
    // Another model has other inputs; so may this one, as after a change of its input shapes.
    connect(&m_bench.session, &Session::snapshotChanged, form,
            [form, model = snapshot->plan->model](const SnapshotPointer &now) {
                if (!now || now->plan->model != model)
                    form->close();
            });
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
