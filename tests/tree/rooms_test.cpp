// SPDX-License-Identifier: Apache-2.0
// The map in ARCHITECTURE.md is true: rooms are those of the tree, no larger than one can take in,
// and include only what is above them; what the table "where is…" names is where it says.
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <map>
#include <vector>

namespace graphloom::test::rooms_test {

namespace {

/// "At most some 25".
constexpr int mostFiles = 27;

const QString root = QStringLiteral(GRAPHLOOM_SOURCE);

QString contentOf(const QString &path)
{
    QFile file(root + '/' + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString folderOf(const QString &path)
{
    return path.left(path.lastIndexOf('/'));
}

/// All source files of the program, without its tests.
QStringList sources()
{
    QStringList files;
    for (const char *top : {"engine", "plugins", "targets", "app"}) {
        QDirIterator all(root + '/' + QLatin1String(top), {"*.h", "*.cpp", "*.def"}, QDir::Files,
                         QDirIterator::Subdirectories);
        while (all.hasNext())
            files << QDir(root).relativeFilePath(all.next());
    }
    return files;
}

/// The rooms of the map, from the bottom to the top of the program.
QStringList roomsOfMap()
{
    static const QRegularExpression block(QStringLiteral("```rooms\\n(.*?)```"),
                                          QRegularExpression::DotMatchesEverythingOption);
    QStringList rooms;
    const QString map = block.match(contentOf(QStringLiteral("ARCHITECTURE.md"))).captured(1);
    for (const QString &line : map.split('\n', Qt::SkipEmptyParts))
        rooms << line.section(' ', 0, 0);
    return rooms;
}

} // namespace

class RoomsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_rooms = roomsOfMap();
        QVERIFY(m_rooms.size() > 50);
        m_files = sources();
        QVERIFY(m_files.size() > 1000);
    }

    void theMapHasAllRooms()
    {
        QStringList folders;
        for (const QString &file : m_files)
            if (!folders.contains(folderOf(file)))
                folders << folderOf(file);
        for (const QString &folder : folders)
            QVERIFY2(m_rooms.contains(folder), qPrintable(folder + " is not in ARCHITECTURE.md"));
        QCOMPARE(m_rooms.size(), folders.size());
    }

    void noRoomIsTooLarge()
    {
        std::map<QString, int> counts;
        for (const QString &file : m_files)
            ++counts[folderOf(file)];
        for (const auto &[room, count] : counts)
            QVERIFY2(count <= mostFiles,
                     qPrintable(QStringLiteral("%1 has %2 files").arg(room).arg(count)));
    }

    void roomsIncludeWhatIsAboveThem()
    {
        static const QRegularExpression include(
            QStringLiteral("^#include \"((?:engine|plugins|targets|app)/[^\"]+)\""),
            QRegularExpression::MultilineOption);
        int includes = 0;
        for (const QString &file : m_files) {
            auto found = include.globalMatch(contentOf(file));
            while (found.hasNext()) {
                const QString included = found.next().captured(1);
                ++includes;
                QVERIFY2(m_rooms.indexOf(folderOf(included)) <= m_rooms.indexOf(folderOf(file)),
                         qPrintable(file + " includes " + included +
                                    ", which is further down in the map"));
            }
        }
        QVERIFY(includes > 3000);
    }

    void whatTheTablesNameIsThere()
    {
        static const QRegularExpression entry(QStringLiteral("`(\\w+)` in `([\\w/.]+)`"));
        auto found = entry.globalMatch(contentOf(QStringLiteral("ARCHITECTURE.md")));
        int entries = 0;
        while (found.hasNext()) {
            const auto match = found.next();
            ++entries;
            const QRegularExpression name(QStringLiteral("\\b%1\\b").arg(match.captured(1)));
            QVERIFY2(contentOf(match.captured(2)).contains(name), qPrintable(match.captured(0)));
        }
        QVERIFY(entries > 15);
    }

private:
    QStringList m_rooms, m_files;
};

GRAPHLOOM_TESTS(RoomsTest)

} // namespace graphloom::test::rooms_test

#include "rooms_test.moc"
