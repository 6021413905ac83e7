// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/table_content.h"
#include "app/tensors/content/byte_model.h"
#include "app/tensors/slice_view.h"
#include "app/tensors/summary_view.h"
#include "app/widgets/hinted_panel.h"

class QComboBox;
class QDockWidget;
class QTabWidget;
class QTableView;
class QToolButton;

namespace graphloom {

/// Shows a tensor: what it is, its figures, its values as a table and as a heat map, and its bytes.
/// A box offers the other tensors of the selected node.
class TensorPanel final : public HintedPanel {
    Q_OBJECT

public:
    enum class Tab { Summary, Values, Bytes };

    explicit TensorPanel(QWidget *parent = nullptr);

    void setJobs(JobList *jobs);
    /// Sets the tensors to choose from, and the one that is shown.
    void setChoices(const std::vector<TensorChoice> &choices, TensorId chosen);
    /// Sets the tensor that is shown.
    void setTensor(const InspectedTensor &tensor);
    /// Shows that there is no tensor.
    void clear();
    void setTheme(std::shared_ptr<const Theme> theme);
    void showTab(Tab tab);
    bool isBusy() const { return m_summary->isBusy() || m_slices->isBusy(); }

    SummaryView &summary() { return *m_summary; }
    SliceView &slices() { return *m_slices; }
    QTableView &bytes() { return *m_bytes; }
    QComboBox &chooser() { return *m_chooser; }

    /// These return the content for export.
    TableSource summarySource();
    TableSource valueSource();
    std::optional<ViewPicture> mapPicture() const;
    std::optional<ViewPicture> histogramPicture() const;

protected:
    bool event(QEvent *event) override;

Q_SIGNALS:
    /// Emitted when the user has chosen another tensor.
    void chosen(graphloom::TensorId id);
    /// Emitted when the tensor is to be written to a file: the whole, or the slice.
    void fileWanted(bool sliceOnly);
    /// Emitted to tell something, or why something is not possible.
    void told(const QString &text);
    void refused(const QString &reason);

private:
    QWidget *makeHeader();
    QWidget *makeBytes();
    void makeFileMenu();
    void setSeen(bool seen);
    void copyPicture();
    void showButtons();

    InspectedTensor m_tensor;
    std::shared_ptr<const Theme> m_theme;
    ByteModel m_byteModel;
    QComboBox *m_chooser;
    QToolButton *m_copy, *m_copyPicture, *m_file;
    QAction *m_wholeFile, *m_sliceFile;
    QTabWidget *m_tabs;
    int m_tab = 0; // that the user wants; not every tensor has it
    bool m_isSettingTabs = false;
    SummaryView *m_summary;
    SliceView *m_slices;
    QTableView *m_bytes;
    QDockWidget *m_dock = nullptr; // that the panel is in, as soon as it was shown
    PageBar *m_bytePages;
};

} // namespace graphloom
