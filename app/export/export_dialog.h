// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/view_export.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace graphloom {

/// Asks what of which view is to be written, how and where; shows how far that is, and why it
/// failed. It stays open until it is written, and stands in nobody's way.
class ExportDialog final : public QDialog {
    Q_OBJECT

public:
    enum class Kind { Picture, Table };
    struct Choices {
        std::vector<ViewExport> views; // those that have pictures, or tables
        QString view;                  // the one that is proposed
        QString folder, model;         // where, and after what files are named
        Theme window, light, dark;     // themes: that of the window, and the two
        QString format, theme;         // as they were chosen last; may be empty
        double scale = 2;
        bool title = true, legend = true, transparent = false;
    };
    ExportDialog(Kind kind, Choices choices, QWidget *parent = nullptr);

    Kind kind() const { return m_kind; }
    /// What is chosen now.
    ExportRequest request() const;
    QString theme() const; // "window", "light", "dark"
    /// Proposes another view.
    void choose(const QString &view);
    void setProgress(double fraction);
    /// It is being written, which may be cancelled.
    void setRunning(bool running);
    void setProblem(const QString &problem);

Q_SIGNALS:
    void exportWanted(const graphloom::ExportRequest &request);
    void cancelWanted();

protected:
    void reject() override;

private:
    QWidget *makeLook();
    void showView();
    void browse();
    void look();
    ExportFormat format() const;

    const Kind m_kind;
    Choices m_choices;
    std::optional<ViewPicture> m_picture; // of the chosen view, when it was chosen
    QComboBox *m_view, *m_format, *m_theme = nullptr;
    QDoubleSpinBox *m_scale = nullptr;
    QSpinBox *m_width = nullptr, *m_height = nullptr;
    QCheckBox *m_title = nullptr, *m_legend = nullptr, *m_transparent = nullptr;
    QLineEdit *m_path;
    QLabel *m_size = nullptr, *m_note;
    QProgressBar *m_progress;
    QPushButton *m_export;
    bool m_running = false;
};

} // namespace graphloom
