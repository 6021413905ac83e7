// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/terms.h"

#include <initializer_list>
#include <vector>

namespace graphloom {

/// Puts the replacement of a match together, without touching what was matched. New values and
/// calls have ids from the bounds of the terms on. Types and shapes come from the operator table.
/// A call that cannot be described makes the whole replacement fail: what follows has no effect.
/// A call that the terms have already is taken from there; one whose inputs are all constants
/// becomes a constant, at once if it is small, else when the replacement is put in place.
class Builder {
public:
    explicit Builder(const Terms &terms) : m_terms(terms) {}

    /// The one output of a new call. `op` is qualified with its domain unless that is ai.onnx;
    /// an invalid input is an omitted one.
    TensorId call(std::string_view op, std::vector<TensorId> inputs, Attributes attributes = {});
    /// The outputs of a new call that has several.
    std::vector<TensorId> call(std::string_view op, std::vector<TensorId> inputs,
                               Attributes attributes, std::size_t outputs);
    /// The same operator, attributes and number of outputs on other inputs.
    std::vector<TensorId> again(const Node &node, std::vector<TensorId> inputs);

    TensorId constant(TensorData data);
    TensorId scalar(double value, DataType type);
    TensorId integers(const std::vector<std::int64_t> &values);

    /// What is known of a value, new or old.
    const Tensor &tensor(TensorId value) const;
    /// There is no replacement after all.
    void refuse() { m_failed = true; }
    bool failed() const { return m_failed; }

    struct NewCall {
        Node node;
        CallFacts facts;
        /// All inputs are constants: it is to be computed, not called.
        bool folds = false;
    };
    const std::vector<NewCall> &calls() const { return m_calls; }
    const std::vector<Tensor> &tensors() const { return m_tensors; }
    bool isNew(TensorId value) const
    {
        return value.valid() && value.index >= m_terms.tensorBound();
    }
    /// The new call that gives a new value; null for constants and old values.
    const NewCall *producer(TensorId value) const;
    const Terms &terms() const { return m_terms; }

private:
    bool isConstant(TensorId value) const;
    TensorId add(Tensor tensor);

    const Terms &m_terms;
    std::vector<NewCall> m_calls;
    std::vector<Tensor> m_tensors;
    bool m_failed = false;
};

/// A constant of rank 0.
TensorData scalarData(double value, DataType type);
/// Runs a call on constants. None where it cannot be done, or takes more than `maxBytes`.
std::optional<std::vector<TensorData>> computed(const Call &call, const Description &description,
                                                std::uint64_t maxBytes);

} // namespace graphloom
