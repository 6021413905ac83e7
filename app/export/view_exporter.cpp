// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/view_exporter.h"

#include "engine/system/atomic_file.h"

#include <QElapsedTimer>
#include <QImage>

#include <QFileInfo>

namespace graphloom {

namespace {

constexpr qint64 turnTime = 6; // milliseconds
constexpr int rowsAtOnce = 64;

using MadeFile = Result<std::optional<QByteArray>>;

Result<void> writeBytes(const QString &path, const QByteArray &bytes)
{
    return writeFileAtomically(path.toStdString(),
                               std::string_view(bytes.data(), std::size_t(bytes.size())));
}

MadeFile encoded(const Result<QImage> &image)
{
    if (!image)
        return tl::unexpected(image.error());
    if (image->isNull())
        return std::nullopt;
    GL_TRY_RESULT(png, pngOf(*image));
    return std::optional(*std::move(png));
}

MadeFile fileOf(const ViewPicture &picture, const ExportRequest &request,
                const std::stop_token &stop)
{
    if (request.format == ExportFormat::Svg)
        return svgOf(picture, request.picture, stop);
    return encoded(imageOf(picture, request.picture, stop));
}

MadeFile fileOf(const TableContent &table, ExportFormat format, const std::stop_token &stop,
                const TableProgress &progress)
{
    return format == ExportFormat::Csv ? csvOf(table, stop, progress)
                                       : jsonOf(table, stop, progress);
}

} // namespace

ViewExporter::ViewExporter(QObject *parent) : QObject(parent)
{
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &ViewExporter::takeRows);
}

void ViewExporter::start(const ViewExport &view, ExportRequest request)
{
    m_running = true;
    m_request = std::move(request);
    if (!isPicture(m_request.format)) {
        startTable(view.table());
        return;
    }
    if (auto picture = view.picture())
        startPicture(*std::move(picture));
    else
        end(fail(Error::Kind::Missing, tr("the view “%1” is empty").arg(view.name).toStdString()));
}

void ViewExporter::startPicture(ViewPicture picture)
{
    if (picture.anyThread) {
        write([picture = std::move(picture), request = m_request](std::stop_token stop) {
            return fileOf(picture, request, stop);
        });
    } else if (m_request.format == ExportFormat::Svg) {
        write(
            [svg = svgOf(picture, m_request.picture)](std::stop_token) -> MadeFile { return svg; });
    } else {
        write([image = imageOf(picture, m_request.picture)](std::stop_token) {
            return encoded(image);
        });
    }
}

void ViewExporter::startTable(TableSource source)
{
    TableContent table{source.keys, {}};
    m_taking = std::make_unique<Taking>(Taking{std::move(source), std::move(table)});
    if (const QAbstractItemModel *model = m_taking->source.model) {
        // If the rows have changed, start again.
        const auto again = [this] {
            if (!m_taking)
                return;
            m_taking->next = 0;
            m_taking->table.rows.clear();
        };
        connect(model, &QAbstractItemModel::modelReset, &m_turn, again);
        connect(model, &QAbstractItemModel::layoutChanged, &m_turn, again);
        connect(model, &QAbstractItemModel::rowsInserted, &m_turn, again);
        connect(model, &QAbstractItemModel::rowsRemoved, &m_turn, again);
        connect(model, &QAbstractItemModel::dataChanged, &m_turn, again);
    }
    m_turn.start();
}

void ViewExporter::takeRows()
{
    QElapsedTimer clock;
    clock.start();
    Taking &taking = *m_taking;
    const int count = taking.source.rowCount();
    while (taking.next < count && clock.elapsed() < turnTime)
        for (const int end = std::min(count, taking.next + rowsAtOnce); taking.next < end;
             ++taking.next)
            taking.table.rows.push_back(taking.source.row(taking.next));
    if (taking.next < count) {
        Q_EMIT progress(0.5 * taking.next / count);
        return;
    }
    m_turn.stop();
    if (taking.source.model)
        QObject::disconnect(taking.source.model, nullptr, &m_turn, nullptr);
    const auto table = std::make_shared<const TableContent>(std::move(taking.table));
    m_taking.reset();
    write([table, format = m_request.format,
           progress = m_worker.progress([this](double fraction, const QString &) {
               Q_EMIT this->progress(fraction);
           })](std::stop_token stop) {
        return fileOf(*table, format, stop,
                      [&](double fraction) { progress(0.5 + fraction / 2, {}); });
    });
}

void ViewExporter::write(std::function<MadeFile(std::stop_token)> make)
{
    m_worker.announce(m_jobs, tr("Writing %1").arg(QFileInfo(m_request.path).fileName()),
                      [this] { cancel(); });
    m_worker.start(
        [make = std::move(make), path = m_request.path](std::stop_token stop) -> Outcome {
            const MadeFile file = make(stop);
            if (!file)
                return tl::unexpected(file.error());
            if (!*file || stop.stop_requested())
                return false;
            GL_TRY(writeBytes(path, **file));
            return true;
        },
        [this](const Outcome &outcome) { end(outcome); });
}

void ViewExporter::copy(const ViewPicture &picture, PictureOptions options)
{
    constexpr double mostPixels = 4096; // of a side: programs keep what they paste uncompressed
    m_running = true;
    const QSizeF size = wholeSize(picture, options);
    options.scale =
        std::min(options.scale, mostPixels / std::max({size.width(), size.height(), 1.0}));
    struct Copied {
        QImage image;
        QByteArray svg;
    };
    using MadeCopy = Result<std::optional<Copied>>;
    const auto make = [picture, options](std::stop_token stop) -> MadeCopy {
        GL_TRY_RESULT(image, imageOf(picture, options, stop));
        const auto svg = svgOf(picture, options, stop);
        if (image->isNull() || !svg)
            return std::nullopt;
        return Copied{*std::move(image), *svg};
    };
    m_worker.announce(m_jobs, tr("Copying the picture"), [this] { cancel(); });
    const auto done = [this](const MadeCopy &made) {
        m_running = false;
        if (!made)
            Q_EMIT failed(made.error());
        else if (*made)
            Q_EMIT copied((*made)->image, (*made)->svg);
        else
            Q_EMIT cancelled();
    };
    if (picture.anyThread)
        m_worker.start(make, done);
    else
        m_worker.start([made = make({})](std::stop_token) { return made; }, done);
}

void ViewExporter::cancel()
{
    if (!m_running)
        return;
    if (!m_taking) {
        m_worker.stop();
        return;
    }
    m_turn.stop();
    if (m_taking->source.model)
        QObject::disconnect(m_taking->source.model, nullptr, &m_turn, nullptr);
    m_taking.reset();
    end(false);
}

void ViewExporter::end(const Outcome &outcome)
{
    m_running = false;
    if (!outcome)
        Q_EMIT failed(outcome.error());
    else if (*outcome)
        Q_EMIT written(m_request.path);
    else
        Q_EMIT cancelled();
}

Result<void> exportView(const ViewExport &view, const ExportRequest &request)
{
    const bool picture = isPicture(request.format);
    if (picture ? !view.picture : !view.table)
        return fail(Error::Kind::Usage,
                    "the view \"" + view.key.toStdString() +
                        (picture ? "\" is a table; expected a .csv or .json file"
                                 : "\" is a picture; expected a .svg or .png file"),
                    request.path.toStdString());
    MadeFile file = std::nullopt;
    if (!picture) {
        file = fileOf(view.table().content(), request.format, {}, {});
    } else if (const auto drawn = view.picture()) {
        file = fileOf(*drawn, request, {});
    } else {
        return fail(Error::Kind::Missing, "the view \"" + view.key.toStdString() + "\" is empty",
                    request.path.toStdString());
    }
    if (!file)
        return tl::unexpected(file.error());
    return writeBytes(request.path, **file);
}

} // namespace graphloom
