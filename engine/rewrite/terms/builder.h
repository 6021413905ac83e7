// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/terms.h"

#include <initializer_list>
#include <vector>

namespace graphloom {

/// Builds the replacement of a match, without touching what was matched. New values and calls have
/// ids from the bounds of the terms on. Types and shapes come from the operator table. A call that
/// cannot be described makes the whole replacement fail: later calls have no effect. A call that
/// the terms have already is reused; one whose inputs are all constants becomes a constant, at once
/// if it is small, else when the replacement is put in place.
class Builder {
public:
    explicit Builder(const Terms &terms) : m_terms(terms) {}

    /// Adds a call and returns its one output. `op` is qualified with its domain unless that is
    /// ai.onnx; an invalid input is an omitted one.
    TensorId call(std::string_view op, std::vector<TensorId> inputs, Attributes attributes = {});
    /// Adds a call with several outputs and returns them.
    std::vector<TensorId> call(std::string_view op, std::vector<TensorId> inputs,
                               Attributes attributes, std::size_t outputs);
    /// Adds a call with the same operator, attributes and number of outputs, but other inputs.
    std::vector<TensorId> again(const Node &node, std::vector<TensorId> inputs);

    TensorId constant(TensorData data);
    TensorId scalar(double value, DataType type);
    TensorId integers(const std::vector<std::int64_t> &values);

    /// Returns what is known of a value, new or old.
    const Tensor &tensor(TensorId value) const;
    /// Refuses: there is no replacement after all.
    void refuse() { m_failed = true; }
    bool failed() const { return m_failed; }

    struct NewCall {
        Node node;
        CallFacts facts;
        /// Tells whether all inputs are constants: the call is then computed, not added.
        bool folds = false;
    };
    const std::vector<NewCall> &calls() const { return m_calls; }
    const std::vector<Tensor> &tensors() const { return m_tensors; }
    bool isNew(TensorId value) const
    {
        return value.valid() && value.index >= m_terms.tensorBound();
    }
    /// Returns the new call that gives a new value; null for constants and old values.
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

/// Returns a constant of rank 0.
TensorData scalarData(double value, DataType type);
/// Runs a call on constants. Returns nothing if that is impossible, or takes more than `maxBytes`.
std::optional<std::vector<TensorData>> computed(const Call &call, const Description &description,
                                                std::uint64_t maxBytes);

} // namespace graphloom
