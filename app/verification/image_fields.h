// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/verification/input_source.h"

#include <QGroupBox>

class QComboBox;
class QLineEdit;

namespace graphloom {

/// Edits how images become tensors: the range of the numbers, the order of the axes, and what
/// happens to images of another size.
class ImageFields final : public QGroupBox {
    Q_OBJECT

public:
    explicit ImageFields(QWidget *parent = nullptr);

    /// Returns the options. Fails (Usage) if a field does not hold numbers.
    Result<ImageOptions> options() const;
    void setOptions(const ImageOptions &options);

Q_SIGNALS:
    void changed();

private:
    void showRange(int preset);

    QComboBox *m_range, *m_layout, *m_fit;
    QLineEdit *m_mean, *m_deviation;
};

} // namespace graphloom
