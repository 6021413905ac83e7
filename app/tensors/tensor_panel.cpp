// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/tensor_panel.h"

#include "app/common/format.h"
#include "app/style/icons.h"
#include "app/tensors/page_bar.h"
#include "app/widgets/panel_layout.h"
#include "app/widgets/table.h"
#include "engine/tensors/element_text.h"
#include "engine/tensors/npy.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int leastPanelWidth = 240;
constexpr double pictureScale = 2;

/// Returns what NumPy's type is called in which elements are written, if it is another one.
QString conversionText(DataType type)
{
    const NpyType written = npyTypeOf(type);
    return written.type == type ? QString()
                                : TensorPanel::tr(" as %1 (NumPy has no %2)")
                                      .arg(fromUtf8(nameOf(written.type)), fromUtf8(nameOf(type)));
}

/// Returns an element for exported tables.
QVariant cellOf(const TensorData &data, const std::optional<std::int64_t> &position)
{
    if (!position)
        return {};
    if (isFloatingPoint(data.type())) // with as many digits as its type needs
        return fromUtf8(elementText(data, *position)).toDouble();
    switch (data.type()) {
    case DataType::String:
    case DataType::Complex64:
    case DataType::Complex128:
        return fromUtf8(elementText(data, *position));
    case DataType::Bool:
        return data.integer(*position) != 0;
    case DataType::Uint64:
        return qulonglong(data.integer(*position));
    default:
        return qlonglong(data.integer(*position));
    }
}

} // namespace

TensorPanel::TensorPanel(QWidget *parent)
    : HintedPanel(parent), m_tabs(new QTabWidget), m_summary(new SummaryView),
      m_slices(new SliceView), m_bytes(new QTableView)
{
    auto *content = new QWidget;
    QVBoxLayout *rows = makeColumn(*content);
    rows->addWidget(makeHeader());
    m_tabs->setDocumentMode(true);
    m_tabs->setMinimumWidth(leastPanelWidth);
    m_tabs->setObjectName(QStringLiteral("tensorTabs"));
    m_tabs->addTab(m_summary, tr("Summary"));
    m_tabs->addTab(m_slices, tr("Values"));
    m_tabs->addTab(makeBytes(), tr("Bytes"));
    m_tabs->setCornerWidget(&m_slices->tools());
    m_slices->tools().hide();
    rows->addWidget(m_tabs, 1);
    setContent(content);
    setEmpty(true);
    connect(m_summary, &SummaryView::statisticsChanged, this, [this] {
        m_slices->setStatistics(m_summary->statistics());
        showButtons();
    });
    connect(m_slices, &SliceView::copied, this, [this](qint64 elements) {
        Q_EMIT told(elements == 1 ? tr("Copied 1 value") : tr("Copied %1 values").arg(elements));
    });
    connect(m_slices, &SliceView::refused, this, &TensorPanel::refused);
    connect(&m_slices->map(), &HeatMap::shown, this, &TensorPanel::showButtons);
    connect(&m_slices->bar(), &SliceBar::sliceChosen, this, &TensorPanel::showButtons);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this](int tab) {
        if (!m_isSettingTabs)
            m_tab = tab;
        m_slices->tools().setVisible(tab == int(Tab::Values));
        showButtons();
    });
}

QWidget *TensorPanel::makeHeader()
{
    auto *bar = new QWidget;
    QHBoxLayout *row = makeToolRow(*bar);
    m_chooser = new QComboBox;
    m_chooser->setObjectName(QStringLiteral("tensorChooser"));
    m_chooser->setAccessibleName(tr("Tensor"));
    m_chooser->setToolTip(tr("Tensor of the selected item"));
    m_chooser->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_chooser->setMinimumContentsLength(5);
    row->addWidget(m_chooser, 1);
    m_copy = addTool(*row, "copyTensor", tr("Copy"),
                     tr("Copy the selected values, or the whole slice, as text with tabs"));
    m_copy->setIcon(themedIcon(QStringLiteral("copy")));
    m_copyPicture = addTool(*row, "copyTensorPicture", tr("Copy picture"),
                            tr("Copy the heat map, or the histogram, as an image"));
    m_copyPicture->setIcon(themedIcon(QStringLiteral("picture")));
    m_file = addTool(*row, "writeTensor", tr("Export .npy"),
                     tr("Export the tensor or the slice as a NumPy file"));
    m_file->setIcon(themedIcon(QStringLiteral("export")));
    m_file->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    makeFileMenu();
    connect(m_chooser, &QComboBox::activated, this,
            [this](int index) { Q_EMIT chosen(TensorId{m_chooser->itemData(index).toUInt()}); });
    connect(m_copy, &QToolButton::clicked, m_slices, &SliceView::copy);
    connect(m_copyPicture, &QToolButton::clicked, this, &TensorPanel::copyPicture);
    return bar;
}

void TensorPanel::makeFileMenu()
{
    auto *menu = new QMenu(m_file);
    m_wholeFile = menu->addAction(tr("Whole tensor…"));
    m_wholeFile->setObjectName(QStringLiteral("writeWholeTensor"));
    m_sliceFile = menu->addAction(tr("Slice…"));
    m_sliceFile->setObjectName(QStringLiteral("writeSlice"));
    m_file->setMenu(menu);
    m_file->setPopupMode(QToolButton::InstantPopup);
    connect(m_wholeFile, &QAction::triggered, this, [this] { Q_EMIT fileWanted(false); });
    connect(m_sliceFile, &QAction::triggered, this, [this] { Q_EMIT fileWanted(true); });
}

QWidget *TensorPanel::makeBytes()
{
    auto *content = new QWidget;
    QVBoxLayout *rows = makeColumn(*content);
    m_bytes->setModel(&m_byteModel);
    setUpTable(*m_bytes);
    m_bytes->setSortingEnabled(false);
    m_bytes->verticalHeader()->show();
    m_bytes->horizontalHeader()->setDefaultSectionSize(m_bytes->fontMetrics().averageCharWidth() *
                                                       58);
    m_bytes->setAccessibleName(tr("Stored bytes"));
    m_bytes->setObjectName(QStringLiteral("tensorBytes"));
    m_bytePages = new PageBar(tr("rows %1 to %2 of %3"), ByteModel::mostRows);
    rows->addWidget(m_bytes, 1);
    rows->addWidget(m_bytePages);
    connect(m_bytePages, &PageBar::wanted, this, [this](qint64 first) {
        m_byteModel.showPart(first);
        m_bytePages->setPlace(m_byteModel.firstRow(), m_byteModel.allRows());
    });
    return content;
}

/// A panel behind another one in tabs counts as visible, but its dock knows, which says so after it
/// has shown the panel.
bool TensorPanel::event(QEvent *event)
{
    if (event->type() == QEvent::Show && !m_dock) {
        for (QWidget *around = parentWidget(); around && !m_dock; around = around->parentWidget())
            m_dock = qobject_cast<QDockWidget *>(around);
        if (m_dock) {
            setSeen(false);
            connect(m_dock, &QDockWidget::visibilityChanged, this, &TensorPanel::setSeen);
        }
    }
    return HintedPanel::event(event);
}

void TensorPanel::setSeen(bool seen)
{
    m_summary->setSeen(seen);
    m_slices->map().setSeen(seen);
}

void TensorPanel::setJobs(JobList *jobs)
{
    m_summary->setJobs(jobs);
    m_slices->setJobs(jobs);
}

void TensorPanel::setTheme(std::shared_ptr<const Theme> theme)
{
    m_theme = std::move(theme);
    m_summary->setTheme(*m_theme);
    m_slices->setTheme(*m_theme);
}

void TensorPanel::setChoices(const std::vector<TensorChoice> &choices, TensorId chosen)
{
    const QSignalBlocker blocker(m_chooser);
    m_chooser->clear();
    for (const TensorChoice &choice : choices) {
        m_chooser->addItem(choice.text, choice.id.index);
        m_chooser->setItemData(m_chooser->count() - 1, choice.text, Qt::ToolTipRole);
    }
    m_chooser->setCurrentIndex(m_chooser->findData(chosen.index));
}

void TensorPanel::setTensor(const InspectedTensor &tensor)
{
    m_tensor = tensor;
    m_slices->setTensor(tensor.data);
    m_summary->setTensor(tensor);
    m_slices->setStatistics(m_summary->statistics());
    m_byteModel.setTensor(tensor.data);
    m_bytePages->setPlace(0, m_byteModel.allRows());
    const bool hasValues = tensor.data && tensor.data->elements() > 0;
    {
        const QScopedValueRollback setting(m_isSettingTabs, true);
        m_tabs->setTabEnabled(int(Tab::Values), hasValues);
        m_tabs->setTabEnabled(int(Tab::Bytes), m_byteModel.allRows() > 0);
        if (m_tabs->isTabEnabled(m_tab)) // a tensor before may not have had it
            m_tabs->setCurrentIndex(m_tab);
    }
    m_tabs->setTabToolTip(int(Tab::Values), hasValues ? QString() : tensor.origin);
    m_tabs->setTabToolTip(int(Tab::Bytes),
                          tensor.data && tensor.data->isSplat()
                              ? tr("Bytes of the single value that all elements share")
                              : QString());
    const QString type = tensor.data ? conversionText(tensor.data->type()) : QString();
    m_wholeFile->setText(tr("Whole tensor%1…").arg(type));
    m_sliceFile->setText(tr("Slice%1…").arg(type));
    setEmpty(false);
    showButtons();
}

void TensorPanel::clear()
{
    m_tensor = {};
    m_summary->setTensor({});
    m_slices->setTensor(nullptr);
    m_byteModel.setTensor(nullptr);
    m_chooser->clear();
    setEmpty(true);
}

void TensorPanel::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(int(tab));
}

void TensorPanel::showButtons()
{
    const bool hasValues = m_tensor.data && m_tensor.data->elements() > 0;
    m_copy->setEnabled(hasValues);
    m_file->setEnabled(m_tensor.data != nullptr);
    m_sliceFile->setEnabled(hasValues && !m_slices->slice().isWhole());
    const bool ofSlice = m_tabs->currentIndex() == int(Tab::Values);
    m_copyPicture->setEnabled((ofSlice ? mapPicture() : histogramPicture()).has_value());
}

std::optional<ViewPicture> TensorPanel::mapPicture() const
{
    auto picture = m_slices->map().picture();
    if (!picture)
        return std::nullopt;
    picture->title = m_tensor.name;
    QStringList indices;
    const TensorSlice &slice = m_slices->slice();
    for (int axis = 0; axis < slice.rank() && slice.rank() > 2; ++axis)
        indices << (axis == slice.rowAxis() || axis == slice.columnAxis()
                        ? QStringLiteral(":")
                        : QString::number(slice.index(axis)));
    picture->notes.prepend(
        m_tensor.type + ' ' + m_tensor.shape +
        (indices.isEmpty() ? QString() : " [" + indices.join(QStringLiteral(", ")) + ']'));
    return picture;
}

std::optional<ViewPicture> TensorPanel::histogramPicture() const
{
    auto picture = m_summary->histogram().picture();
    if (picture)
        picture->title = m_tensor.name;
    return picture;
}

void TensorPanel::copyPicture()
{
    const bool ofSlice = m_tabs->currentIndex() == int(Tab::Values);
    const auto picture = ofSlice ? mapPicture() : histogramPicture();
    if (!picture || !m_theme)
        return;
    PictureOptions options{.theme = *m_theme};
    options.scale = pictureScale;
    const auto image = imageOf(*picture, options);
    if (!image) {
        Q_EMIT refused(fromUtf8(image.error().text()));
        return;
    }
    QApplication::clipboard()->setImage(*image);
    Q_EMIT told(tr("Copied the picture"));
}

TableSource TensorPanel::summarySource()
{
    return sourceOf(m_summary->filter());
}

TableSource TensorPanel::valueSource()
{
    const ValueModel &model = m_slices->model();
    TableSource source;
    source.rowCount = [rows = model.rowCount()] { return rows; };
    source.keys << QStringLiteral("row");
    for (int column = 0; column < model.columnCount(); ++column)
        source.keys << QStringLiteral("column_%1").arg(model.firstColumn() + column);
    // By value: the rows are read in many turns, in which another slice may be chosen.
    source.row = [data = model.tensor(), slice = model.slice(), firstRow = model.firstRow(),
                  firstColumn = model.firstColumn(), columns = model.columnCount()](int row) {
        TableRow cells{qlonglong(firstRow + row)};
        for (int column = 0; column < columns; ++column)
            cells.push_back(cellOf(*data, slice.position(firstRow + row, firstColumn + column)));
        return cells;
    };
    return source;
}

} // namespace graphloom
