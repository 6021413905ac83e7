// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int leastChart = 200, mostChart = 8000, leastPath = 380;

QString formatText(ExportFormat format)
{
    switch (format) {
    case ExportFormat::Svg:
        return ExportDialog::tr("SVG: lines and text, in any size");
    case ExportFormat::Png:
        return ExportDialog::tr("PNG: pixels");
    case ExportFormat::Csv:
        return ExportDialog::tr("CSV: for spreadsheets");
    case ExportFormat::Json:
        return ExportDialog::tr("JSON: for programs");
    }
    return {};
}

} // namespace

ExportDialog::ExportDialog(Kind kind, Choices choices, QWidget *parent)
    : QDialog(parent), m_kind(kind), m_choices(std::move(choices))
{
    const bool picture = kind == Kind::Picture;
    setWindowTitle(picture ? tr("Export picture") : tr("Export table"));
    setObjectName(picture ? QStringLiteral("exportPicture") : QStringLiteral("exportTable"));
    auto *form = new QFormLayout(this);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_view = new QComboBox;
    m_view->setObjectName(QStringLiteral("exportView"));
    for (const ViewExport &view : m_choices.views)
        m_view->addItem(view.name, view.key);
    form->addRow(tr("&View:"), m_view);
    m_format = new QComboBox;
    m_format->setObjectName(QStringLiteral("exportFormat"));
    for (const ExportFormat format : picture ? pictureFormats : tableFormats)
        m_format->addItem(formatText(format), extensionOf(format));
    m_format->setCurrentIndex(std::max(0, m_format->findData(m_choices.format)));
    form->addRow(tr("For&mat:"), m_format);
    if (picture)
        form->addRow(makeLook());
    auto *note =
        new QLabel(picture ? QString()
                           : tr("Exports all columns of the visible rows in their current order: "
                                "plain numbers, with the units in the column names."));
    note->setWordWrap(true);
    note->setVisible(!picture);
    form->addRow(note);

    auto *label = new QLabel(tr("&File:"));
    QLayout *file = makeFileLine();
    label->setBuddy(m_path);
    form->addRow(label, file);
    makeOutcome();
    form->addRow(m_note);
    form->addRow(m_progress);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_export = buttons->addButton(tr("&Export"), QDialogButtonBox::AcceptRole);
    m_export->setObjectName(QStringLiteral("exportButton"));
    form->addRow(buttons);
    // Only now the buttons have a dialog, which would otherwise make the first one the default.
    for (QPushButton *button : findChildren<QPushButton *>())
        button->setAutoDefault(button == m_export);
    m_export->setDefault(true);

    connect(m_view, &QComboBox::currentIndexChanged, this, &ExportDialog::showView);
    connect(m_format, &QComboBox::currentIndexChanged, this, [this] {
        const QFileInfo chosen(m_path->text());
        m_path->setText(
            chosen.dir().filePath(chosen.completeBaseName() + u'.' + extensionOf(format())));
        look();
    });
    connect(m_path, &QLineEdit::textChanged, this, &ExportDialog::look);
    connect(m_export, &QPushButton::clicked, this, [this] { Q_EMIT exportWanted(request()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
    m_path->setText(QDir(m_choices.folder).filePath(QStringLiteral("x")));
    choose(m_choices.view);
    showView();
    m_path->setFocus();
}

QLayout *ExportDialog::makeFileLine()
{
    m_path = new QLineEdit;
    m_path->setObjectName(QStringLiteral("exportPath"));
    m_path->setMinimumWidth(leastPath);
    auto *browse = new QToolButton;
    browse->setText(tr("…"));
    browse->setToolTip(tr("Choose the file"));
    browse->setAccessibleName(tr("Choose the file"));
    auto *line = new QHBoxLayout;
    line->addWidget(m_path, 1);
    line->addWidget(browse);
    connect(browse, &QToolButton::clicked, this, &ExportDialog::browse);
    return line;
}

/// Makes the widgets that tell what becomes of the export.
void ExportDialog::makeOutcome()
{
    m_note = new QLabel;
    m_note->setObjectName(QStringLiteral("exportNote"));
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_progress = new QProgressBar;
    m_progress->setObjectName(QStringLiteral("exportProgress"));
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->hide();
}

QWidget *ExportDialog::makeLook()
{
    auto *look = new QWidget;
    auto *form = new QFormLayout(look);
    form->setContentsMargins(0, 0, 0, 0);
    m_theme = new QComboBox;
    m_theme->setObjectName(QStringLiteral("exportTheme"));
    m_theme->addItem(tr("as in the window"), QStringLiteral("window"));
    m_theme->addItem(tr("light"), QStringLiteral("light"));
    m_theme->addItem(tr("dark"), QStringLiteral("dark"));
    m_theme->setCurrentIndex(std::max(0, m_theme->findData(m_choices.theme)));
    form->addRow(tr("&Colours:"), m_theme);
    m_scale = new QDoubleSpinBox;
    m_scale->setObjectName(QStringLiteral("exportScale"));
    m_scale->setRange(0.1, 10);
    m_scale->setSingleStep(0.5);
    m_scale->setDecimals(1);
    m_scale->setPrefix(QStringLiteral("× "));
    m_scale->setValue(m_choices.scale);
    m_size = new QLabel;
    m_size->setForegroundRole(QPalette::PlaceholderText);
    auto *scale = new QHBoxLayout;
    scale->addWidget(m_scale);
    scale->addWidget(m_size, 1);
    auto *scaleLabel = new QLabel(tr("&Scale:"));
    scaleLabel->setBuddy(m_scale); // a layout gets no focus
    form->addRow(scaleLabel, scale);
    const auto extent = [&](const char *name, double usual) {
        auto *box = new QSpinBox;
        box->setObjectName(QLatin1String(name));
        box->setRange(leastChart, mostChart);
        box->setSingleStep(50);
        box->setValue(int(usual));
        return box;
    };
    m_width = extent("exportWidth", usualSize.width());
    m_height = extent("exportHeight", usualSize.height());
    m_width->setAccessibleName(tr("Width"));
    m_height->setAccessibleName(tr("Height"));
    auto *size = new QHBoxLayout;
    size->addWidget(m_width);
    size->addWidget(new QLabel(QStringLiteral("×")));
    size->addWidget(m_height);
    size->addStretch(1);
    auto *sizeLabel = new QLabel(tr("Si&ze:"));
    sizeLabel->setBuddy(m_width);
    form->addRow(sizeLabel, size);
    const auto box = [&](const char *name, const QString &text, bool on) {
        auto *made = new QCheckBox(text);
        made->setObjectName(QLatin1String(name));
        made->setChecked(on);
        form->addRow(made);
        connect(made, &QCheckBox::toggled, this, &ExportDialog::look);
        return made;
    };
    m_title = box("exportTitle", tr("&Title with model and figures"), m_choices.title);
    m_legend = box("exportLegend", tr("&Legend"), m_choices.legend);
    m_transparent = box("exportTransparent", tr("T&ransparent background"), m_choices.transparent);
    connect(m_scale, &QDoubleSpinBox::valueChanged, this, &ExportDialog::look);
    connect(m_width, &QSpinBox::valueChanged, this, &ExportDialog::look);
    connect(m_height, &QSpinBox::valueChanged, this, &ExportDialog::look);
    return look;
}

void ExportDialog::choose(const QString &view)
{
    if (const int at = m_view->findData(view); at >= 0)
        m_view->setCurrentIndex(at);
}

ExportFormat ExportDialog::format() const
{
    return (m_kind == Kind::Picture ? pictureFormats : tableFormats)[m_format->currentIndex()];
}

QString ExportDialog::theme() const
{
    return m_theme ? m_theme->currentData().toString() : QString();
}

ExportRequest ExportDialog::request() const
{
    ExportRequest request{m_view->currentData().toString(), format(), m_path->text().trimmed(), {}};
    if (m_kind == Kind::Table)
        return request;
    const QString name = theme();
    request.picture.theme = name == QLatin1String("light")  ? m_choices.light
                            : name == QLatin1String("dark") ? m_choices.dark
                                                            : m_choices.window;
    request.picture.title = m_title->isChecked();
    request.picture.legend = m_legend->isChecked();
    request.picture.transparent = m_transparent->isChecked();
    request.picture.scale = m_scale->value();
    request.picture.size = QSizeF(m_width->value(), m_height->value());
    return request;
}

void ExportDialog::showView()
{
    m_picture.reset();
    if (m_kind == Kind::Picture && m_view->currentIndex() >= 0)
        m_picture = m_choices.views[std::size_t(m_view->currentIndex())].picture();
    const QFileInfo before(m_path->text());
    m_path->setText(before.dir().filePath(
        QStringLiteral("%1-%2.%3")
            .arg(m_choices.model, m_view->currentData().toString(), extensionOf(format()))));
    look();
}

/// Shows the size of the export and whether a file would be overwritten.
void ExportDialog::look()
{
    setProblem({});
    const QFileInfo file(m_path->text().trimmed());
    m_export->setEnabled(!m_running && m_view->count() > 0 && !file.fileName().isEmpty());
    if (file.exists())
        m_note->setText(tr("%1 exists and will be overwritten.").arg(file.fileName()));
    if (m_kind == Kind::Table || m_view->currentIndex() < 0)
        return;
    const std::optional<ViewPicture> &picture = m_picture;
    const bool chart = picture && picture->scalable;
    m_width->setEnabled(chart);
    m_height->setEnabled(chart);
    m_scale->setEnabled(format() == ExportFormat::Png);
    m_legend->setEnabled(picture && picture->legend);
    m_export->setEnabled(m_export->isEnabled() && picture);
    if (!picture) {
        m_size->clear();
        m_note->setText(tr("This view is empty."));
        return;
    }
    const QSizeF size = wholeSize(*picture, request().picture);
    const double scale = format() == ExportFormat::Png ? m_scale->value() : 1;
    m_size->setText(tr("%1 × %2 pixels")
                        .arg(std::lround(size.width() * scale))
                        .arg(std::lround(size.height() * scale)));
}

void ExportDialog::browse()
{
    auto *dialog = new QFileDialog(this, windowTitle(), m_path->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // this dialog warns
    dialog->setDefaultSuffix(extensionOf(format()));
    dialog->selectFile(m_path->text());
    connect(dialog, &QFileDialog::fileSelected, m_path, &QLineEdit::setText);
    dialog->open();
}

void ExportDialog::setProgress(double fraction)
{
    m_progress->setRange(0, 1000);
    m_progress->setValue(int(1000 * fraction));
}

void ExportDialog::setRunning(bool running)
{
    m_running = running;
    m_progress->setRange(0, 0); // until progress is known
    m_progress->setVisible(running);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_view, m_format, m_path})
        widget->setEnabled(!running);
    m_export->setEnabled(!running);
}

void ExportDialog::setProblem(const QString &problem)
{
    m_note->setForegroundRole(QPalette::WindowText);
    m_note->setText(problem);
}

/// The first call cancels a running export.
void ExportDialog::reject()
{
    if (m_running)
        Q_EMIT cancelWanted();
    else
        QDialog::reject();
}

} // namespace graphloom
