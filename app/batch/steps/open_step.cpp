// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/open_step.h"

#include "app/batch/report/summary.h"
#include "engine/autodiff/training_plan.h"
#include "engine/onnx/import.h"

namespace graphloom {

Result<void> openModel(BatchState &batch)
{
    batch.log.begin("open");
    ImportOptions import;
    import.inputShapes = batch.options.inputShapes;
    import.batchSize = batch.options.batchSize;
    import.stop = batch.interrupt.stop();
    GL_TRY_RESULT(model, importOnnx(batch.options.model, import));
    for (const std::string &warning : model->warnings)
        batch.log.warn(warning);
    GL_TRY_RESULT(plan,
                  batch.options.training
                      ? trainingPlan(*std::move(model), *batch.options.training, import.stop)
                      : importPlan(std::make_shared<const Model>(*std::move(model)), import.stop));
    batch.plan = std::move(*plan);
    batch.reached.set(std::make_shared<const Plan>(*batch.plan));
    batch.log.recordPassed("batch", "open");
    batch.log.print(summaryOf(*batch.plan->model, *batch.plan));
    if (batch.plan->training)
        batch.log.print(summaryOf(*batch.plan->training));
    return {};
}

} // namespace graphloom
