// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/training_controller.h"

#include "app/common/format.h"
#include "app/workbench/workbench.h"
#include "engine/autodiff/training_plan.h"
#include "engine/onnx/import.h"

#include <exception>

namespace graphloom {

namespace {

/// Uses the open model, or reads its file again if inputs get other extents.
Result<std::shared_ptr<const Plan>> makeTrainingPlan(const Model &open,
                                                     const std::filesystem::path &file,
                                                     const ImportOptions &import,
                                                     const TrainingOptions &options)
try {
    Model model = open;
    if (import.batchSize) {
        GL_TRY_RESULT(again, importOnnx(file, import));
        model = *std::move(again);
    }
    GL_TRY_RESULT(plan, trainingPlan(std::move(model), options, import.stop));
    return std::make_shared<const Plan>(*std::move(plan));
} catch (const std::exception &exception) { // such as out of memory, which must not end the session
    return fail(Error::Kind::Fault, exception.what(), file.string());
}

} // namespace

void TrainingController::make(const TrainingOptions &options,
                              const std::optional<std::int64_t> &batchSize)
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!snapshot || isRunning())
        return;
    if (snapshot->plan->training) {
        m_bench.warn(tr("This is already a training graph: open the model that it was made from"));
        return;
    }
    ImportOptions import = m_bench.options.import;
    import.batchSize = batchSize;
    m_trainer.announce(&m_bench.jobs, tr("Creating a training graph"));
    m_trainer.start(
        [model = snapshot->plan->model, import, options](std::stop_token stop) mutable {
            import.stop = stop;
            return makeTrainingPlan(*model, model->path, import, options);
        },
        [this](const Result<std::shared_ptr<const Plan>> &plan) {
            if (m_trainer.isStopped()) {
                m_bench.inform(tr("Creation of the training graph cancelled"));
            } else if (!plan) {
                m_bench.tell(
                    MessageModel::Severity::Error,
                    tr("Cannot create a training graph: %1").arg(fromUtf8(plan.error().text())));
            } else {
                const TrainingRecord &record = *(*plan)->training;
                m_bench.inform((m_bench.documents.host
                                    ? tr("The training graph opened in a new tab: loss %1, %2 "
                                         "forward nodes, %3 backward nodes, %4 updates; %5 kept "
                                         "for gradients")
                                    : tr("The training graph opened in a new window: loss %1, %2 "
                                         "forward nodes, %3 backward nodes, %4 updates; %5 kept "
                                         "for gradients"))
                                   .arg(fromUtf8(nameOf(record.options.loss)))
                                   .arg(record.forwardNodes)
                                   .arg(record.backwardNodes)
                                   .arg(record.updateNodes)
                                   .arg(formatBytes(double(record.savedBytes))));
                Q_EMIT made(*plan);
            }
            Q_EMIT m_bench.settled();
        });
}

} // namespace graphloom
