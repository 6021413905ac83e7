// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/results/plan_verification.h"

#include <map>

namespace graphloom {

/// Lists the tensors of a verified plan with their errors, one a row.
class TensorErrorModel final : public RowsModel<TensorError> {
    Q_OBJECT

public:
    enum Column {
        Tensor,
        Node,
        Outcome,
        Relative,
        Absolute,
        Snr,
        Different,
        Position,
        Original,
        Worst
    };

    explicit TensorErrorModel(QObject *parent = nullptr);

    /// Sets the verification; null for none. `linked` tells that the graph that is shown is the
    /// verified one, so that rows stand for its nodes.
    void setVerification(VerificationPointer verification, bool linked);
    const VerificationPointer &verification() const { return m_verification; }

    Item itemAt(int row) const override;
    /// Returns the row of a node; if it writes several tensors, that of the worst one.
    int rowOf(const Item &item) const override;
    QString provenance(int row) const override;

protected:
    std::span<const TensorError> allRows() const override
    {
        return m_verification ? std::span<const TensorError>(m_verification->errors.tensors)
                              : std::span<const TensorError>();
    }

private:
    const Graph &graph() const { return m_verification->plan->graph; }
    QString outcomeOf(const TensorError &error) const;

    VerificationPointer m_verification;
    bool m_linked = false;
    std::map<NodeId, int> m_rows;
};

/// Returns the name of a node: "Conv · conv1", or the operator alone.
QString nodeText(const Node &node);

} // namespace graphloom
