// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/slice_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace graphloom {

SliceBar::SliceBar(QWidget *parent) : QScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    auto *content = new QWidget;
    m_row = new QHBoxLayout(content);
    m_row->setContentsMargins(6, 3, 6, 3);
    m_row->setSpacing(5);
    m_row->addStretch(1);
    setWidget(content);
}

QSize SliceBar::sizeHint() const
{
    const QSize content = widget()->sizeHint();
    return {content.width(), content.height() + (horizontalScrollBar()->isVisible()
                                                     ? horizontalScrollBar()->sizeHint().height()
                                                     : 0)};
}

void SliceBar::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    const int all = widget()->minimumSizeHint().width() > width()
                        ? horizontalScrollBar()->sizeHint().height()
                        : 0;
    setFixedHeight(widget()->sizeHint().height() + all);
}

void SliceBar::setSlice(const TensorSlice &slice)
{
    const bool sameAxes = m_axes && slice.extents() == m_slice.extents();
    m_slice = slice;
    if (!sameAxes)
        makeAxes();
    showSlice();
}

QComboBox *SliceBar::makeAxisBox(const char *name, const QString &meaning)
{
    auto *box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->setToolTip(meaning);
    box->setAccessibleName(meaning);
    for (int axis = 0; axis < m_slice.rank(); ++axis)
        box->addItem(tr("%1 (%2)").arg(axis).arg(m_slice.extents()[std::size_t(axis)]));
    return box;
}

/// Makes the widgets for the axes of another tensor.
void SliceBar::makeAxes()
{
    delete m_axes;
    m_axes = new QWidget;
    m_rows = m_columns = nullptr;
    m_labels.clear();
    m_boxes.clear();
    auto *row = new QHBoxLayout(m_axes);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(5);
    if (m_slice.rank() >= 2) {
        m_rows = makeAxisBox("rowAxis", tr("Axis that runs down the rows"));
        m_columns = makeAxisBox("columnAxis", tr("Axis that runs across the columns"));
        row->addWidget(new QLabel(tr("Down")));
        row->addWidget(m_rows);
        row->addWidget(new QLabel(tr("Across")));
        row->addWidget(m_columns);
        connect(m_rows, &QComboBox::activated, this, [this](int axis) {
            TensorSlice next = m_slice;
            next.setRowAxis(axis);
            change(next);
        });
        connect(m_columns, &QComboBox::activated, this, [this](int axis) {
            TensorSlice next = m_slice;
            next.setColumnAxis(axis);
            change(next);
        });
        makeIndices();
    }
    m_row->insertWidget(0, m_axes);
    setVisible(m_slice.rank() >= 2);
}

void SliceBar::makeIndices()
{
    for (int axis = 0; axis < m_slice.rank(); ++axis) {
        auto *box = new QSpinBox;
        box->setObjectName(QStringLiteral("axisIndex%1").arg(axis));
        box->setAccessibleName(tr("Index of axis %1").arg(axis));
        box->setKeyboardTracking(false);
        const std::int64_t extent = m_slice.extents()[std::size_t(axis)];
        box->setRange(
            0, int(std::clamp<std::int64_t>(extent - 1, 0, std::numeric_limits<int>::max())));
        box->setToolTip(tr("Index of axis %1: 0 to %2").arg(axis).arg(box->maximum()));
        auto *label = new QLabel(tr("Axis %1").arg(axis));
        label->setBuddy(box);
        m_axes->layout()->addWidget(label);
        m_axes->layout()->addWidget(box);
        m_labels.push_back(label);
        m_boxes.push_back(box);
        connect(box, &QSpinBox::valueChanged, this, [this, axis](int index) {
            if (m_showing)
                return;
            TensorSlice next = m_slice;
            next.setIndex(axis, index);
            change(next);
        });
    }
}

void SliceBar::showSlice()
{
    m_showing = true;
    if (m_rows) {
        m_rows->setCurrentIndex(m_slice.rowAxis());
        m_columns->setCurrentIndex(m_slice.columnAxis());
    }
    for (std::size_t axis = 0; axis < m_boxes.size(); ++axis) {
        const bool chosen = int(axis) != m_slice.rowAxis() && int(axis) != m_slice.columnAxis();
        m_labels[axis]->setVisible(chosen);
        m_boxes[axis]->setVisible(chosen);
        m_boxes[axis]->setValue(int(m_slice.index(int(axis))));
    }
    m_showing = false;
}

void SliceBar::change(const TensorSlice &slice)
{
    m_slice = slice;
    showSlice();
    Q_EMIT sliceChosen(m_slice);
}

} // namespace graphloom
