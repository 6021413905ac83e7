// SPDX-License-Identifier: GPL-3.0-or-later
// How the window makes a training graph of the model that is open.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/runs/training_form.h"
#include "engine/autodiff/training_plan.h"

#include <exception>

namespace graphloom {

namespace {

/// Of the model that is open, or of its file where inputs are to have other extents.
Result<std::shared_ptr<const Plan>> makeTrainingPlan(const Model &open,
                                                     const std::filesystem::path &file,
                                                     const ImportOptions &import,
                                                     const TrainingOptions &options)
try {
    Model model = open;
    if (import.batchSize) {
        auto again = importOnnx(file, import);
        if (!again)
            return tl::unexpected(again.error());
        model = *std::move(again);
    }
    auto plan = trainingPlan(std::move(model), options, import.stop);
    if (!plan)
        return tl::unexpected(plan.error());
    return std::make_shared<const Plan>(*std::move(plan));
} catch (const std::exception &exception) { // out of memory: not the end of the session
    return fail(Error::Kind::Fault, exception.what(), file.string());
}

} // namespace

void MainWindow::chooseTraining()
{
    if (!m_session.snapshot())
        return;
    auto *form = new TrainingForm(this);
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &TrainingForm::wanted, this,
            [this, form] { makeTraining(form->options(), form->batchSize()); });
    form->show();
}

void MainWindow::makeTraining(const TrainingOptions &options,
                              const std::optional<std::int64_t> &batchSize)
{
    const SnapshotPointer &snapshot = m_session.snapshot();
    MessageModel &messages = m_session.messages();
    if (!snapshot || m_trainer.isRunning())
        return;
    if (snapshot->plan->training) {
        messages.add(MessageModel::Severity::Warning,
                     tr("This is a training graph already: open the model it was made of"));
        return;
    }
    ImportOptions import = m_options.import;
    import.batchSize = batchSize;
    m_trainer.announce(&m_jobs, tr("Making a training graph"));
    m_trainer.start(
        [model = snapshot->plan->model, import, options](std::stop_token stop) mutable {
            import.stop = stop;
            return makeTrainingPlan(*model, model->path, import, options);
        },
        [this, &messages](const Result<std::shared_ptr<const Plan>> &plan) {
            if (m_trainer.isStopped()) {
                messages.add(MessageModel::Severity::Info,
                             tr("Making a training graph was stopped"));
            } else if (!plan) {
                messages.add(
                    MessageModel::Severity::Error,
                    tr("There is no training graph: %1").arg(fromUtf8(plan.error().text())));
            } else {
                const TrainingRecord &record = *(*plan)->training;
                messages.add(MessageModel::Severity::Info,
                             tr("The training graph is in a window of its own: loss %1, %2 nodes "
                                "forward, %3 backward, %4 updates; %5 kept for gradients")
                                 .arg(fromUtf8(nameOf(record.options.loss)))
                                 .arg(record.forwardNodes)
                                 .arg(record.backwardNodes)
                                 .arg(record.updateNodes)
                                 .arg(formatBytes(double(record.savedBytes))));
                openWindow()->session().show(*plan);
            }
            Q_EMIT settled();
        });
}

} // namespace graphloom
