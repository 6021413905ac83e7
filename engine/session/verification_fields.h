// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_fields.h"
#include "engine/verify/verified_plan.h"

/// Defines the fields of verifications in a session, as measurement_fields.h does for measurements.
namespace graphloom {

constexpr TensorError::State lastOf(TensorError::State)
{
    return TensorError::State::NotRun;
}

template <class Archive> void fields(Archive &archive, Verification &outcome)
{
    archive(outcome.passed, outcome.comparable, outcome.maxAbsError, outcome.maxRelError,
            outcome.tolerance, outcome.inputs, outcome.filledWeights, outcome.message,
            outcome.warnings);
}

template <class Archive> void fields(Archive &archive, Comparison &comparison)
{
    archive(comparison.maxAbsError, comparison.maxRelError, comparison.withinBackendTolerance,
            comparison.finite, comparison.different, comparison.signal, comparison.noise,
            comparison.worst);
}

template <class Archive> void fields(Archive &archive, TensorError &error)
{
    archive(error.tensor, error.original, error.node, error.state, error.comparison, error.passes);
}

template <class Archive> void fields(Archive &archive, TensorErrors &errors)
{
    archive(errors.verification, errors.tensors, errors.begins, errors.spilledBytes);
}

} // namespace graphloom
