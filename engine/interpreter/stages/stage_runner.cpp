// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/stage_runner.h"

#include "engine/base/steps.h"
#include "engine/interpreter/stages/contraction.h"
#include "engine/interpreter/stages/literal_runner.h"
#include "engine/interpreter/stages/stage_lowering.h"
#include "engine/interpreter/stages/stage_program.h"
#include "engine/interpreter/stages/strip_runner.h"

namespace graphloom {

namespace {

/// Tells whether registers can hold the type, unlike strings and complex numbers.
bool isNumeric(DataType type)
{
    return isFloatingPoint(type) || isIntegral(type);
}

bool isComplete(const Stage &stage, const StageValues &values)
{
    for (const Read &read : stage.reads)
        if (!values.contains(read.operand) || values[read.operand].type == DataType::Undefined)
            return false;
    return values.contains({Operand::Kind::Value, stage.value});
}

bool fitsRegisters(const Stage &stage, const StageValues &values)
{
    if (!isNumeric(values.value(stage.value).type))
        return false;
    for (const Read &read : stage.reads)
        if (!isNumeric(values[read.operand].type))
            return false;
    return true;
}

Result<void> runStage(const Stage &stage, StageValues &values, const Call &call,
                      const std::stop_token &stop)
{
    if (!fitsRegisters(stage, values))
        return runLiterally(stage, values, call, stop);
    GL_TRY_CONST(lowered, lower(stage, values, call));
    GL_TRY_CONST(program, compile(*lowered, call));
    StageFailure failure;
    if (!runContraction(*lowered, *program, stop, failure))
        runStrips(*lowered, *program, stop, failure);
    if (failure.happened())
        return failure.first().isFault ? faultOf(call, failure.first().message)
                                       : call.refuse(failure.first().message);
    return {};
}

using Runner = Result<void> (*)(const Stage &, StageValues &, const Call &,
                                const std::stop_token &);

Result<std::vector<TensorData>> runWith(Runner runner, const Description &description,
                                        const Call &call, std::span<const TensorData *const> inputs,
                                        const StageOptions &options)
{
    if (description.isOpaque())
        return call.refuse("cannot be run from its description: " + description.opaque);
    if (description.outputs > int(description.values.size()))
        return faultOf(call, "its description lacks outputs");
    GL_TRY_RESULT(values,
                  StageValues::make(description, call, inputs,
                                    options.maxBytes != 0 ? options.maxBytes : machineMemory(),
                                    options.stop));
    for (const Stage &stage : description.stages) {
        if (!isComplete(stage, *values))
            return faultOf(call, "a stage reads or writes a missing tensor");
        GL_TRY(runner(stage, *values, call, options.stop));
        if (options.stop.stop_requested())
            return stopped();
    }
    return values->take(description.outputs);
}

} // namespace

Result<std::vector<TensorData>> runStages(const Description &description, const Call &call,
                                          std::span<const TensorData *const> inputs,
                                          const StageOptions &options)
{
    return runWith(runStage, description, call, inputs, options);
}

Result<std::vector<TensorData>> runStages(const Description &description, const Call &call,
                                          std::span<const TensorData *const> inputs)
{
    return runStages(description, call, inputs, {});
}

Result<std::vector<TensorData>> runStagesLiterally(const Description &description, const Call &call,
                                                   std::span<const TensorData *const> inputs)
{
    return runWith(runLiterally, description, call, inputs, {});
}

tl::unexpected<Error> stopped()
{
    return stoppedError();
}

} // namespace graphloom
