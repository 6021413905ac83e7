// SPDX-License-Identifier: GPL-3.0-or-later
// One description of all terms: whole, cited, and every key that is used is in it.
#include "app/common/glossary.h"
#include "app/shell/panel_docks.h"

#include "app/common/table_model.h"
#include "app/fusion/partition_model.h"
#include "app/fusion/partition_panel.h"
#include "app/help/help_view.h"
#include "app/kernels/kernel_panel.h"
#include "app/properties/properties_panel.h"
#include "app/runs/pass_panel.h"
#include "tests/support/app/window_driver.h"

#include <QSignalSpy>
#include <QTableView>
#include <QTextBrowser>

namespace graphloom::test::glossary_test {

using test::WindowDriver;

class GlossaryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTermIsExplainedAndHasASource()
    {
        QVERIFY(glossary().size() >= 40);
        std::set<QString> keys, terms;
        for (const GlossaryEntry &entry : glossary()) {
            QVERIFY2(keys.insert(entry.key).second, qPrintable(entry.key));
            QVERIFY2(terms.insert(entry.term).second, qPrintable(entry.term));
            QVERIFY2(entry.text.endsWith('.') && entry.text.size() > 30, qPrintable(entry.key));
            QVERIFY2(!entry.source.isEmpty() && !entry.place.isEmpty(), qPrintable(entry.key));
            QVERIFY2(!entry.title.isEmpty(), qPrintable(entry.source + " is no source"));
        }
    }

    void everyTypeOfMappingIsATerm()
    {
        for (const auto type :
             {MappingType::OneToOne, MappingType::Reorganize, MappingType::Shuffle,
              MappingType::OneToMany, MappingType::ManyToMany, MappingType::Opaque}) {
            const auto name = nameOf(type);
            const QString key = QString::fromUtf8(name.data(), qsizetype(name.size())).toLower();
            QVERIFY2(glossaryEntry(key), qPrintable(key));
        }
    }

    void everyTermOfAColumnIsKnown()
    {
        WindowDriver driver;
        int used = 0;
        for (const TableModel *model : modelsOf(driver.window()))
            for (const TableModel::Column &column : model->columns())
                if (*column.term) {
                    ++used;
                    QVERIFY2(glossaryEntry(QLatin1String(column.term)), column.term);
                }
        QVERIFY(used >= 20);
    }

    void everyTermOfALabelIsKnown()
    {
        WindowDriver driver;
        int used = 0;
        for (const QWidget *widget : driver->findChildren<QWidget *>())
            if (const QVariant term = widget->property("term"); term.isValid()) {
                ++used;
                QVERIFY2(glossaryEntry(term.toString()), qPrintable(term.toString()));
            }
        QVERIFY(used >= 6);
    }

    void everyTermOfAPropertyIsKnown()
    {
        WindowDriver driver(test::builtPlugins());
        const SnapshotPointer snapshot =
            test::fusedInSubgraphs(test::snapshotOfSample("mobilenet_v2_224.onnx"));
        QVERIFY(snapshot);
        int used = 0;
        for (const Item &item : {Item::of(snapshot->graph().order().front()),
                                 Item{Item::Kind::Block, 0}, Item{Item::Kind::Subgraph, 0}})
            for (const PropertySection &section : propertiesOf(*snapshot, item))
                for (const Property &property : section.properties)
                    if (*property.term) {
                        ++used;
                        QVERIFY2(glossaryEntry(QLatin1String(property.term)), property.term);
                    }
        QVERIFY(used >= 4);
    }

    void aHeaderTellsWhatItsTermMeans()
    {
        WindowDriver driver;
        const auto *table = driver->findChild<QTableView *>(QStringLiteral("partitionTable"));
        for (const int role : {int(Qt::ToolTipRole), int(Qt::WhatsThisRole)}) {
            const QString text =
                table->model()->headerData(PartitionModel::Weight, Qt::Horizontal, role).toString();
            QVERIFY2(text.contains(QStringLiteral("<i>(AGO, IV-A)</i>")), qPrintable(text));
        }
    }

    void theHelpHasEveryTerm()
    {
        WindowDriver driver;
        driver->actions().glossary->trigger();
        QVERIFY(driver->panels().dock(QStringLiteral("help")).isVisible());
        const QString page = driver->view<HelpView>().browser().toPlainText();
        for (const GlossaryEntry &entry : glossary()) {
            QVERIFY2(page.contains(entry.term + ": "), qPrintable(entry.term));
            QVERIFY2(page.contains(entry.title), qPrintable(entry.title));
        }
    }

    void withoutATermTheMeaningIsAll()
    {
        QCOMPARE(explained(QStringLiteral("a < b"), QString()), QStringLiteral("a < b"));
    }

private:
    /// Of all tables, below their filters.
    static std::set<const TableModel *> modelsOf(const MainWindow &window)
    {
        std::set<const TableModel *> models;
        for (const QTableView *view : window.findChildren<QTableView *>()) {
            const QAbstractItemModel *model = view->model();
            while (const auto *proxy = qobject_cast<const QAbstractProxyModel *>(model))
                model = proxy->sourceModel();
            if (const auto *table = qobject_cast<const TableModel *>(model))
                models.insert(table);
        }
        return models;
    }
};

GRAPHLOOM_WINDOW_TESTS(GlossaryTest)

} // namespace graphloom::test::glossary_test

#include "glossary_test.moc"
