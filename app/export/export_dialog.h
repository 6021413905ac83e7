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

/// Asks which view to export, how and where. Shows the progress, and why an export failed. The
/// dialog is not modal and stays open until the file is written.
class ExportDialog final : public QDialog {
    Q_OBJECT

public:
    enum class Kind { Picture, Table };
    struct Choices {
        std::vector<ViewExport> views; // views that have pictures, or tables
        QString view;                  // key of the proposed view
        QString folder, model;         // folder of the file, and model that it is named after
        Theme window, light, dark;     // themes: that of the window, light and dark
        QString format, theme;         // last choices; may be empty
        double scale = 2;
        bool title = true, legend = true, transparent = false;
    };
    ExportDialog(Kind kind, Choices choices, QWidget *parent = nullptr);

    Kind kind() const { return m_kind; }
    /// Returns the current choices.
    ExportRequest request() const;
    QString theme() const; // "window", "light", "dark"
    /// Proposes another view.
    void choose(const QString &view);
    void setProgress(double fraction);
    /// Tells whether the file is being written, which the user may cancel.
    void setRunning(bool running);
    void setProblem(const QString &problem);

Q_SIGNALS:
    void exportWanted(const graphloom::ExportRequest &request);
    void cancelWanted();

protected:
    void reject() override;

private:
    QWidget *makeLook();
    QLayout *makeFileLine();
    void makeOutcome();
    void showView();
    void browse();
    void look();
    ExportFormat format() const;

    const Kind m_kind;
    Choices m_choices;
    std::optional<ViewPicture> m_picture; // of the chosen view at the time it was chosen
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
