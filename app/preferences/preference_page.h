// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>
#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace graphloom {

/// A `PreferencePage` has rows of a label, a field and what the field means. What is changed
/// applies at once.
class PreferencePage : public QWidget {
    Q_OBJECT

public:
    PreferencePage(const QString &title, const QIcon &icon, QWidget *parent = nullptr);

    const QString &title() const { return m_title; }
    const QIcon &icon() const { return m_icon; }
    /// Shows only rows in which each word of the text occurs; all of them if it occurs in the
    /// title. Returns whether there are any.
    virtual bool filter(const QString &text);
    /// Shows the current values, which may have changed elsewhere.
    virtual void refresh() {}
    /// Restores the defaults of the page.
    virtual void reset() {}
    /// Tells whether the page has defaults.
    virtual bool hasDefaults() const { return true; }

Q_SIGNALS:
    /// Emitted when the page has other content, which has to be filtered again.
    void contentChanged();

protected:
    /// Adds a heading above the rows that follow.
    void addHeading(const QString &text);
    /// Adds a row. The field has the label as its accessible name, and the meaning as its tooltip.
    void addRow(const QString &label, QWidget *field, const QString &meaning);
    /// Adds a part that takes the rest of the page, and is shown whatever the filter.
    void addPart(QWidget *part);
    /// Keeps the rows at the top; to be called after the last one.
    void endRows();
    /// Tells whether each word of the filter occurs in one of the texts.
    static bool has(const QString &filter, const QString &texts);

private:
    struct Row {
        QWidget *widget;
        QString texts;
        bool isHeading;
    };
    const QString m_title;
    const QIcon m_icon;
    QVBoxLayout *m_layout;
    std::vector<Row> m_rows;
};

} // namespace graphloom
