// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/input_row.h"

#include "app/common/format.h"
#include "app/style/icons.h"
#include "app/verification/input_source.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QToolButton>
#include <QUrl>

namespace graphloom {

namespace {

/// Returns the file that is dragged, if inputs are read from such files; else an empty text.
QString draggedFile(const QMimeData &data)
{
    for (const QUrl &url : data.urls())
        if (url.isLocalFile() && isInputFile(url.toLocalFile()))
            return url.toLocalFile();
    return {};
}

QToolButton *rowButton(const char *icon, const QString &text)
{
    auto *button = new QToolButton;
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setAutoRaise(true);
    button->setToolTip(text);
    button->setAccessibleName(text);
    return button;
}

} // namespace

InputRow::InputRow(const Tensor &input, QWidget *parent) : QWidget(parent), m_input(input)
{
    setAcceptDrops(true);
    const QString name = fromUtf8(input.name);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    auto *label = new QLabel(tr("%1 · %2").arg(elided(name, 40), formatType(input)));
    label->setTextFormat(Qt::PlainText);
    label->setToolTip(name);
    label->setMinimumWidth(200);
    m_edit = new QLineEdit;
    m_edit->setPlaceholderText(tr("random values"));
    m_edit->setAccessibleName(tr("File for %1").arg(name));
    m_edit->setToolTip(tr("NumPy file (.npy), ONNX tensor (.pb) or image; empty: random values. "
                          "You can drop a file here"));
    m_edit->setAcceptDrops(false); // the row takes files, not their addresses as text
    label->setBuddy(m_edit);
    m_choose = rowButton("open", tr("Choose a file for %1").arg(name));
    m_clear = rowButton("clear", tr("Use random values for %1").arg(name));
    m_clear->setEnabled(false);
    row->addWidget(label);
    row->addWidget(m_edit, 1);
    row->addWidget(m_choose);
    row->addWidget(m_clear);
    connect(m_choose, &QToolButton::clicked, this, &InputRow::choose);
    connect(m_clear, &QToolButton::clicked, m_edit, &QLineEdit::clear);
    connect(m_edit, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_clear->setEnabled(!text.isEmpty());
        Q_EMIT changed();
    });
}

std::filesystem::path InputRow::file() const
{
    return m_edit->text().trimmed().toStdString();
}

void InputRow::setFile(const QString &path)
{
    m_edit->setText(path);
}

void InputRow::choose()
{
    QStringList patterns;
    for (const QString &ending : inputFileEndings())
        patterns << QStringLiteral("*.") + ending;
    auto *dialog = new QFileDialog(this, tr("Choose a file for %1").arg(fromUtf8(m_input.name)));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(
        {tr("Arrays, tensors and images (%1)").arg(patterns.join(' ')), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &InputRow::setFile);
    dialog->open();
}

void InputRow::dragEnterEvent(QDragEnterEvent *event)
{
    if (!draggedFile(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void InputRow::dropEvent(QDropEvent *event)
{
    const QString file = draggedFile(*event->mimeData());
    if (file.isEmpty())
        return;
    event->acceptProposedAction();
    setFile(file);
}

} // namespace graphloom
