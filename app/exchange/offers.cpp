// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exchange/offers.h"

#include "app/common/format.h"
#include "app/workbench/workbench.h"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include <algorithm>

namespace graphloom {

namespace {

/// Finds out what the window can do with something that is dropped or pasted.
class Offers {
    Q_DECLARE_TR_FUNCTIONS(Offers)

public:
    explicit Offers(Workbench &bench) : m_bench(bench) {}

    Offer ofUrls(const QList<QUrl> &urls) const
    {
        const auto isLocal = [](const QUrl &url) { return url.isLocalFile(); };
        if (!std::ranges::all_of(urls, isLocal))
            return {tr("Only local files can be opened"), {}};
        QStringList files;
        for (const QUrl &url : urls)
            files << url.toLocalFile();
        return ofFiles(files);
    }

    Offer ofFiles(const QStringList &files) const
    {
        if (std::ranges::all_of(files, isNodeData))
            return ofNodeData(files);
        if (std::ranges::any_of(files, isNodeData))
            return {tr("Models and node data cannot be opened together: choose one kind"), {}};
        const auto isFolder = [](const QString &file) { return QFileInfo(file).isDir(); };
        if (const auto folder = std::ranges::find_if(files, isFolder); folder != files.end())
            return {tr("%1 is a folder: choose a model in it").arg(nameOf(*folder)), {}};
        if (files.size() > 1 && !m_bench.documents.host)
            return {tr("Only one model can be opened at a time"), {}};
        std::vector<std::filesystem::path> paths;
        for (const QString &file : files)
            paths.emplace_back(file.toStdString());
        return {files.size() == 1 ? tr("Open %1").arg(nameOf(files.front()))
                                  : tr("Open %1 models").arg(files.size()),
                [&bench = m_bench, paths] { bench.documents.openFiles(paths); }};
    }

    Offer ofNodeText(const QString &text) const
    {
        if (!m_bench.session.snapshot())
            return noModel();
        return {tr("Colour nodes by the text"),
                [&bench = m_bench, text] { bench.colours.readText(text, tr("clipboard")); }};
    }

    Offer toCompare(const QList<QUrl> &urls) const
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model first, to compare the file with it"), {}};
        if (urls.size() > 1)
            return {tr("Only one file can be compared at a time"), {}};
        const QString file = urls.front().toLocalFile();
        if (file.isEmpty())
            return {tr("Only local files can be compared"), {}};
        static const QStringList comparable{QStringLiteral("onnx"), QStringLiteral("gloom")};
        if (!comparable.contains(QFileInfo(file).suffix().toLower()))
            return {tr("%1 is neither a model (.onnx) nor a session (.gloom)").arg(nameOf(file)),
                    {}};
        return {tr("Compare with %1").arg(nameOf(file)),
                [&bench = m_bench, file] { bench.comparison.compareWithFile(file.toStdString()); }};
    }

private:
    static QString nameOf(const QString &file) { return QFileInfo(file).fileName(); }

    static bool isNodeData(const QString &file)
    {
        static const QStringList suffixes{QStringLiteral("csv"), QStringLiteral("tsv"),
                                          QStringLiteral("json")};
        return suffixes.contains(QFileInfo(file).suffix().toLower());
    }

    static Offer noModel() { return {tr("Open a model first, to colour its nodes by data"), {}}; }

    Offer ofNodeData(const QStringList &files) const
    {
        if (!m_bench.session.snapshot())
            return noModel();
        const QString text = files.size() == 1
                                 ? tr("Colour nodes by %1").arg(nameOf(files.front()))
                                 : tr("Load node data from %1 files").arg(files.size());
        return {text, [&bench = m_bench, files] {
                    for (const QString &file : files)
                        bench.colours.readData(file.toStdString());
                }};
    }

    Workbench &m_bench;
};

constexpr int mostLength = 16 << 10; // of a text that is looked at: tables may be large

/// Returns the files that a text names: a path or an address in each line; none if a line is
/// something else.
QStringList filesIn(const QString &text)
{
    QStringList files;
    if (text.size() > mostLength)
        return files;
    for (const QString &line : text.split(u'\n', Qt::SkipEmptyParts)) {
        QString file = line.trimmed();
        if (file.startsWith(u'"') && file.endsWith(u'"') && file.size() > 1)
            file = file.mid(1, file.size() - 2); // as file managers copy paths
        if (file.startsWith(QLatin1String("file://")))
            file = QUrl(file).toLocalFile();
        if (!QFileInfo(file).isAbsolute() || !QFileInfo::exists(file))
            return {};
        files << file;
    }
    return files;
}

/// Tells whether a text looks like a table of nodes or like JSON; parsing says the rest.
bool looksLikeNodeData(const QString &text)
{
    const QString start = QStringView(text).left(mostLength).trimmed().toString();
    if (start.startsWith(u'{') || start.startsWith(u'['))
        return true;
    const QStringList lines = start.split(u'\n');
    return lines.size() > 1 && std::ranges::any_of(QStringLiteral(",;\t"), [&](QChar separator) {
               return lines[0].contains(separator) && lines[1].contains(separator);
           });
}

} // namespace

std::optional<Offer> offerOf(const QMimeData &data, Workbench &bench)
{
    if (data.hasUrls() && !data.urls().isEmpty())
        return Offers(bench).ofUrls(data.urls());
    return data.hasText() ? offerOfText(data.text(), bench) : std::nullopt;
}

std::optional<Offer> offerOfText(const QString &text, Workbench &bench)
{
    const Offers offers(bench);
    if (const QStringList files = filesIn(text); !files.isEmpty())
        return offers.ofFiles(files);
    if (looksLikeNodeData(text))
        return offers.ofNodeText(text);
    return std::nullopt;
}

std::optional<Offer> offerToCompare(const QMimeData &data, Workbench &bench)
{
    if (!data.hasUrls() || data.urls().isEmpty())
        return std::nullopt;
    return Offers(bench).toCompare(data.urls());
}

} // namespace graphloom
