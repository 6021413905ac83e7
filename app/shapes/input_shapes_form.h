// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/shapes/input_shapes.h"

#include <QDialog>
#include <QTimer>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace graphloom {

/// Edits the shapes of a model's inputs: each extent, and the values and ranges of symbols such as
/// "batch". Every change is inferred in the background at once, at the values and at both ends of
/// the ranges, and shows what follows or which node fails. The dialog is not modal.
class InputShapesForm final : public QDialog {
    Q_OBJECT

public:
    /// Edits the inputs of a model's file; `base` are the other options to read it with, `now` is
    /// the graph that is open, `jobs` lists what is read and inferred (null: nowhere).
    InputShapesForm(std::filesystem::path file, ImportOptions base, const Graph &now, JobList *jobs,
                    QWidget *parent = nullptr);

    /// Tells whether shapes are being inferred, or about to be.
    bool isBusy() const { return m_worker.isRunning() || m_patience.isActive(); }

Q_SIGNALS:
    /// Emitted when the user asks for these shapes; `options` reads the file with them.
    void wanted(const graphloom::ImportOptions &options);
    /// Emitted when the result of the last change is shown.
    void inferred();

private:
    struct InputRow {
        ModelInput input;
        QLineEdit *text;
    };
    struct SymbolRow {
        std::string symbol;
        QSpinBox *value, *from, *to;
    };
    struct Trial {
        QString title;
        ImportOptions options;
    };
    struct Outcome {
        QString title;
        Result<ShapeFigures> figures;
    };
    void makeLayout();
    void setInputs(const std::vector<ModelInput> &inputs);
    void addInputs(QVBoxLayout &column, const std::vector<ModelInput> &inputs);
    void addSymbols(QVBoxLayout &column, const std::vector<SymbolValue> &symbols);
    void changed();
    void infer();
    void showFigures(const std::vector<Outcome> &outcomes);
    void showProblem(const QString &text);
    void reset();
    Result<std::vector<std::vector<std::int64_t>>> read() const;
    ImportOptions optionsWith(const std::vector<std::vector<std::int64_t>> &read,
                              QSpinBox *SymbolRow::*end) const;
    std::vector<Trial> trials(const std::vector<std::vector<std::int64_t>> &read) const;
    QString endText(QSpinBox *SymbolRow::*end) const;

    std::filesystem::path m_file;
    QPointer<JobList> m_jobs;
    ImportOptions m_base, m_wanted;
    std::vector<InputRow> m_inputs;
    std::vector<SymbolRow> m_symbols;
    std::vector<SymbolValue> m_initial;
    QVBoxLayout *m_fields;
    QLabel *m_result, *m_problem;
    QPushButton *m_apply;
    QTimer m_patience;
    Worker m_worker; // last: its thread ends first
};

} // namespace graphloom
