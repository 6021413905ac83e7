// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/tensors/content/tensor_source.h"
#include "app/verification/input_source.h"

#include <functional>
#include <stop_token>
#include <string_view>
#include <unordered_map>

namespace graphloom {

/// Holds the values of all tensors that a run of a plan's graph has computed, and of its inputs. It
/// is immutable and shared by all views.
class InputRun final : public TensorSource {
public:
    InputRun(std::shared_ptr<const Plan> plan, QString title)
        : m_plan(std::move(plan)), m_title(std::move(title))
    {
    }

    QString title() const override { return m_title; }
    std::shared_ptr<const TensorData> valuesOf(const Snapshot &snapshot,
                                               TensorId id) const override;
    /// Tells whether a plan has the same graph, so that the values are those of its tensors.
    bool isOf(const Plan &plan) const;

    std::size_t tensors() const { return m_values.size(); }
    std::uint64_t memoryBytes = 0, fileBytes = 0; // where the values are
    std::size_t dropped = 0;                      // tensors whose values fit nowhere
    std::size_t uniformWeights = 0;               // constants that have one value for all elements

    /// Keeps a value. Those that take more than `most` bytes of memory together go to an unnamed
    /// file, and are dropped if there is no room for one.
    void keep(TensorId id, const DataValue &value, std::uint64_t most);

private:
    std::shared_ptr<const Plan> m_plan;
    QString m_title;
    std::unordered_map<TensorId, std::shared_ptr<const TensorData>> m_values;
};
using InputRunPointer = std::shared_ptr<const InputRun>;

/// Bytes of memory that the values of a run may take before they go to a file.
inline constexpr std::uint64_t mostValueBytes = std::uint64_t{512} << 20;

/// Runs the graph of a plan on inputs, with `inputs` one for each input of the model. Fails as
/// readInputs() and interpretValues() do, and with stoppedError() if stopped.
Result<InputRunPointer> runOnInputs(std::shared_ptr<const Plan> plan,
                                    const std::vector<InputSource> &inputs, std::uint64_t seed,
                                    std::stop_token stop,
                                    std::function<void(double, std::string_view)> progress,
                                    std::uint64_t mostBytes = mostValueBytes);

} // namespace graphloom
