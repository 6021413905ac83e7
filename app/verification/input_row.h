// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/ir/graph.h"

#include <QWidget>

#include <filesystem>

class QLabel;
class QLineEdit;
class QToolButton;

namespace graphloom {

/// Assigns a file to an input of a model: the path is typed, chosen, or a file that is dropped on
/// the row. An empty path stands for random values.
class InputRow final : public QWidget {
    Q_OBJECT

public:
    InputRow(const Tensor &input, QWidget *parent = nullptr);

    std::filesystem::path file() const;
    void setFile(const QString &path);
    QLineEdit &edit() { return *m_edit; }

Q_SIGNALS:
    void changed();

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void choose();

    Tensor m_input;
    QLineEdit *m_edit;
    QToolButton *m_choose, *m_clear;
};

} // namespace graphloom
