// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/tensors/slice.h"

#include <QScrollArea>

#include <vector>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;

namespace graphloom {

/// Lets the user choose a slice: its two axes, and the indices of the others. Hidden for scalars
/// and vectors, which have one slice.
class SliceBar final : public QScrollArea {
    Q_OBJECT

public:
    explicit SliceBar(QWidget *parent = nullptr);

    void setSlice(const TensorSlice &slice);
    const TensorSlice &slice() const { return m_slice; }
    QSize sizeHint() const override;

Q_SIGNALS:
    /// Emitted when the user has chosen another slice.
    void sliceChosen(const graphloom::TensorSlice &slice);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void makeAxes();
    void makeIndices();
    QComboBox *makeAxisBox(const char *name, const QString &meaning);
    void showSlice();
    void change(const TensorSlice &slice);

    TensorSlice m_slice;
    QHBoxLayout *m_row;
    QWidget *m_axes = nullptr; // replaced with the tensor
    QComboBox *m_rows = nullptr, *m_columns = nullptr;
    std::vector<QLabel *> m_labels;  // of the indices, by axis
    std::vector<QSpinBox *> m_boxes; // by axis
    bool m_showing = false;          // widgets change because the slice does
};

} // namespace graphloom
