// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"
#include "app/tensors/content/inspected_tensor.h"
#include "engine/tensors/statistics.h"

#include <span>

namespace graphloom {

/// Holds a fact about a tensor.
struct TensorFact {
    QString name, value;
};

/// Returns what is known of a tensor without reading it, and the values of one that has few.
std::vector<TensorFact> factsOf(const InspectedTensor &tensor);
/// Returns its figures.
std::vector<TensorFact> factsOf(const TensorStatistics &statistics, const TensorData &data);

/// Lists facts about a tensor.
class SummaryModel final : public RowsModel<TensorFact> {
    Q_OBJECT

public:
    enum Columns { Name, Value };

    explicit SummaryModel(QObject *parent = nullptr);
    void setFacts(std::vector<TensorFact> facts) { replace(m_facts, std::move(facts)); }
    /// Returns the value of the fact with a name; empty if there is none.
    QString valueOf(const QString &name) const;

protected:
    std::span<const TensorFact> allRows() const override { return m_facts; }

private:
    std::vector<TensorFact> m_facts;
};

} // namespace graphloom
