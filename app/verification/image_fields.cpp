// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/image_fields.h"

#include "app/common/format.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>

#include <cmath>

namespace graphloom {

namespace {

using Triple = std::array<double, 3>;

/// A range that models expect often.
struct PixelRange {
    const char *name;
    Triple mean, deviation;
};
const PixelRange pixelRanges[] = {
    {QT_TRANSLATE_NOOP("ImageFields", "0 to 1"), {0, 0, 0}, {1, 1, 1}},
    {QT_TRANSLATE_NOOP("ImageFields", "−1 to 1"), {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},
    {QT_TRANSLATE_NOOP("ImageFields", "ImageNet"), {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}},
    {QT_TRANSLATE_NOOP("ImageFields", "0 to 255"), {0, 0, 0}, {1 / 255.0, 1 / 255.0, 1 / 255.0}},
};

/// With all digits that are needed to read the same numbers again.
QString tripleText(const Triple &values)
{
    const auto text = [](double value) {
        return QString::number(value, 'g', QLocale::FloatingPointShortest);
    };
    const QString first = text(values[0]);
    if (values[0] == values[1] && values[1] == values[2])
        return first;
    return QStringLiteral("%1, %2, %3").arg(first, text(values[1]), text(values[2]));
}

/// Reads one number for all channels, or three.
std::optional<Triple> tripleOf(const QString &text)
{
    const QStringList parts = text.split(',');
    if (parts.size() != 1 && parts.size() != 3)
        return std::nullopt;
    Triple values;
    for (std::size_t c = 0; c < values.size(); ++c) {
        bool isNumber = false;
        values[c] = parts[parts.size() == 1 ? 0 : qsizetype(c)].trimmed().toDouble(&isNumber);
        if (!isNumber || !std::isfinite(values[c]))
            return std::nullopt;
    }
    return values;
}

QComboBox *choiceBox(const QStringList &texts, const QString &name, const QString &meaning)
{
    auto *box = new QComboBox;
    box->addItems(texts);
    box->setAccessibleName(name);
    box->setToolTip(meaning);
    box->setWhatsThis(meaning);
    return box;
}

QLineEdit *numbersEdit(const QString &name, const QString &meaning, const char *objectName)
{
    auto *edit = new QLineEdit;
    edit->setAccessibleName(name);
    edit->setToolTip(meaning);
    edit->setWhatsThis(meaning);
    edit->setObjectName(QLatin1String(objectName));
    return edit;
}

} // namespace

ImageFields::ImageFields(QWidget *parent) : QGroupBox(tr("Images"), parent)
{
    QStringList names;
    for (const PixelRange &range : pixelRanges)
        names << tr(range.name);
    names << tr("other");
    m_range = choiceBox(names, tr("Range"), tr("Range of the numbers that the model expects"));
    m_range->setObjectName(QStringLiteral("imageRange"));
    m_mean =
        numbersEdit(tr("Mean"),
                    tr("Subtracted from a pixel that is scaled to 0…1: one number, or one each for "
                       "red, green and blue"),
                    "imageMean");
    m_deviation = numbersEdit(
        tr("Deviation"),
        tr("Divisor after the mean is subtracted: one number, or one each for red, green and blue"),
        "imageDeviation");
    m_layout = choiceBox({tr("automatic"), tr("channels first (NCHW)"), tr("channels last (NHWC)")},
                         tr("Layout"), tr("Order of the axes of the input"));
    m_layout->setObjectName(QStringLiteral("imageLayout"));
    m_fit = choiceBox({tr("stretch"), tr("crop to the centre"), tr("pad with black")},
                      tr("Other sizes"), tr("How to fit images of another size to the input"));
    m_fit->setObjectName(QStringLiteral("imageFit"));

    auto *form = new QFormLayout(this);
    auto *range = new QHBoxLayout;
    range->addWidget(m_range);
    range->addWidget(m_mean, 1);
    range->addWidget(m_deviation, 1);
    form->addRow(tr("Ran&ge, mean, deviation:"), range);
    form->addRow(tr("&Layout:"), m_layout);
    form->addRow(tr("&Other sizes:"), m_fit);
    static_cast<QLabel *>(form->labelForField(range))->setBuddy(m_range);
    setOptions({});

    connect(m_range, &QComboBox::activated, this, &ImageFields::showRange);
    for (QComboBox *box : {m_range, m_layout, m_fit})
        connect(box, &QComboBox::currentIndexChanged, this, &ImageFields::changed);
    for (QLineEdit *edit : {m_mean, m_deviation}) {
        connect(edit, &QLineEdit::textEdited, this,
                [this] { m_range->setCurrentIndex(int(std::size(pixelRanges))); });
        connect(edit, &QLineEdit::textChanged, this, &ImageFields::changed);
    }
}

void ImageFields::showRange(int preset)
{
    if (preset >= int(std::size(pixelRanges)))
        return;
    m_mean->setText(tripleText(pixelRanges[preset].mean));
    m_deviation->setText(tripleText(pixelRanges[preset].deviation));
}

Result<ImageOptions> ImageFields::options() const
{
    ImageOptions options;
    const auto mean = tripleOf(m_mean->text()), deviation = tripleOf(m_deviation->text());
    if (!mean || !deviation || (*deviation)[0] == 0 || (*deviation)[1] == 0 || (*deviation)[2] == 0)
        return fail(
            Error::Kind::Usage,
            tr("Mean and deviation of images are one number or three, such as 0.485, 0.456, "
               "0.406; a deviation is not 0")
                .toStdString());
    options.mean = *mean;
    options.deviation = *deviation;
    options.layout = ImageOptions::Layout(m_layout->currentIndex());
    options.fit = ImageOptions::Fit(m_fit->currentIndex());
    return options;
}

void ImageFields::setOptions(const ImageOptions &options)
{
    int preset = 0;
    while (preset < int(std::size(pixelRanges)) &&
           (pixelRanges[preset].mean != options.mean ||
            pixelRanges[preset].deviation != options.deviation))
        ++preset;
    m_range->setCurrentIndex(preset);
    m_mean->setText(tripleText(options.mean));
    m_deviation->setText(tripleText(options.deviation));
    m_layout->setCurrentIndex(int(options.layout));
    m_fit->setCurrentIndex(int(options.fit));
}

} // namespace graphloom
