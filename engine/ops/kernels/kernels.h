// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

/// Declares reference kernels of operators that have no index maps, because they carry state or the
/// shape of their result depends on data. They are slow and plain; their results are checked
/// against ONNX's backend tests. They require types and shapes of the inputs that the operator's
/// describe() has accepted.
namespace graphloom::kernels {

using Tensors = std::vector<TensorData>;
using Inputs = std::span<const TensorData *const>;

Result<Tensors> lstm(const Call &call, Inputs inputs);
Result<Tensors> gru(const Call &call, Inputs inputs);
Result<Tensors> rnn(const Call &call, Inputs inputs);

/// Converts numbers to decimal text and back: Cast and CastLike from or to strings.
Result<Tensors> castText(const Call &call, Inputs inputs);

Result<Tensors> normalizeStrings(const Call &call, Inputs inputs);
Result<Tensors> concatStrings(const Call &call, Inputs inputs);
Result<Tensors> splitStrings(const Call &call, Inputs inputs);
/// Counts how often the n-grams of a pool occur (TfIdfVectorizer).
Result<Tensors> countGrams(const Call &call, Inputs inputs);

Result<Tensors> compress(const Call &call, Inputs inputs);
Result<Tensors> determinant(const Call &call, Inputs inputs);
Result<Tensors> maxRoiPool(const Call &call, Inputs inputs);
Result<Tensors> nonMaxSuppression(const Call &call, Inputs inputs);
Result<Tensors> nonZero(const Call &call, Inputs inputs);
/// Computes RoiAlign with sampling_ratio 0, which takes as many samples for each cell as it has
/// elements.
Result<Tensors> roiAlign(const Call &call, Inputs inputs);
Result<Tensors> topK(const Call &call, Inputs inputs);
Result<Tensors> unique(const Call &call, Inputs inputs);

/// Draws the same numbers every time for the same node.
Result<Tensors> bernoulli(const Call &call, Inputs inputs);
/// Returns output and mask in training mode.
Result<Tensors> dropout(const Call &call, Inputs inputs);
Result<Tensors> multinomial(const Call &call, Inputs inputs);
Result<Tensors> randomNormal(const Call &call, Inputs inputs);
Result<Tensors> randomUniform(const Call &call, Inputs inputs);

using Values = std::vector<DataValue>;
using ValueInputs = std::span<const DataValue *const>;
using Run = Operator::RunNested;

/// Run If, Loop, Scan and SequenceMap. Fail (Model) if the outputs of the nested graph do not fit.
Result<Values> branch(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> loop(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> scan(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> mapSequence(const Call &call, ValueInputs inputs, const Run &run);

Result<Values> passOn(const Call &call, ValueInputs inputs, const Run &run); // Identity
Result<Values> concatFromSequence(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> optional(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> optionalGetElement(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> optionalHasElement(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> sequenceAt(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> sequenceConstruct(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> sequenceEmpty(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> sequenceErase(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> sequenceInsert(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> sequenceLength(const Call &call, ValueInputs inputs, const Run &run);
Result<Values> splitToSequence(const Call &call, ValueInputs inputs, const Run &run);

} // namespace graphloom::kernels
