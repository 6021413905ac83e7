// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/ir/tensor_data.h"

#include <QLineEdit>

namespace graphloom {

/// Takes the indices of an element to go to.
class ElementEdit final : public QLineEdit {
    Q_OBJECT

public:
    explicit ElementEdit(QWidget *parent = nullptr);

    /// Sets the extents of the tensor. Hidden for a scalar.
    void setExtents(const TensorData::Extents &extents);

Q_SIGNALS:
    /// Emitted when the user wants to go to an element of the tensor.
    void wanted(qint64 position);

private:
    void goTo();

    TensorData::Extents m_extents;
};

} // namespace graphloom
