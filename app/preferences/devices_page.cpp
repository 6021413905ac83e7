// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/devices_page.h"

#include "app/style/icons.h"
#include "app/workbench/workbench.h"
#include "engine/cost/device.h"

#include <QHeaderView>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

namespace graphloom {

namespace {

enum DeviceColumn { NameColumn, StateColumn, DetailColumn };
constexpr int deviceNameWidth = 170, deviceStateWidth = 110;

QTreeWidgetItem *itemOf(const QString &name, const QString &state, const QString &detail,
                        bool isReady)
{
    auto *item = new QTreeWidgetItem({name, state, detail});
    item->setIcon(StateColumn,
                  themedIcon(isReady ? QStringLiteral("info") : QStringLiteral("warning")));
    for (const int column : {NameColumn, StateColumn, DetailColumn})
        item->setToolTip(column, detail);
    return item;
}

} // namespace

DevicesPage::DevicesPage(Workbench &bench)
    : PreferencePage(tr("Devices"), themedIcon(QStringLiteral("machine"))), m_bench(bench),
      m_tree(new QTreeWidget)
{
    m_tree->setObjectName(QStringLiteral("deviceTree"));
    m_tree->setAccessibleName(tr("Targets and devices"));
    m_tree->setHeaderLabels({tr("Target or device"), tr("State"), tr("Details")});
    m_tree->setColumnWidth(NameColumn, deviceNameWidth);
    m_tree->setColumnWidth(StateColumn, deviceStateWidth);
    m_tree->setAlternatingRowColors(true);
    m_tree->setWordWrap(true);
    addPart(m_tree);
}

void DevicesPage::refresh()
{
    if (m_worker.isRunning())
        return;
    m_worker.announceUnstoppable(&m_bench.jobs, tr("Looking for devices"));
    m_worker.start(
        [plugins = m_bench.options.targets](std::stop_token) { return lookAtTargets(plugins); },
        [this](const std::vector<TargetState> &targets) { show(targets); });
}

void DevicesPage::show(const std::vector<TargetState> &targets)
{
    m_tree->clear();
    const QString ready = tr("Ready"), missing = tr("Missing"), unusable = tr("Cannot be used");
    for (const TargetState &state : targets) {
        const auto &[plugin, findings, devices] = state;
        if (!plugin.target) {
            m_tree->addTopLevelItem(
                itemOf(fileNameOf(plugin.file), unusable, fromUtf8(plugin.problem), false));
            continue;
        }
        const bool complete = state.isComplete();
        auto *target = itemOf(fromUtf8(plugin.target->name()), complete ? ready : missing,
                              fromUtf8(plugin.target->help()), complete);
        for (const auto &[device, problem] : devices) {
            const bool usable = complete && problem.empty();
            target->addChild(itemOf(fromUtf8(device),
                                    !problem.empty() ? unusable
                                    : complete       ? ready
                                                     : missing,
                                    fromUtf8(problem), usable));
        }
        for (const Finding &finding : findings)
            target->addChild(itemOf(fromUtf8(finding.what), finding.found ? tr("Found") : missing,
                                    fromUtf8(finding.detail), finding.found));
        m_tree->addTopLevelItem(target);
        target->setExpanded(true);
    }
    addDescribed();
}

void DevicesPage::addDescribed()
{
    auto *described = itemOf(tr("Described devices"), tr("For estimates"),
                             tr("Plans can target these devices, but cannot run on them"), true);
    for (const Device &device : devices())
        described->addChild(
            itemOf(fromUtf8(device.name), tr("Described"), fromUtf8(device.title), true));
    m_tree->addTopLevelItem(described);
    described->setExpanded(true);
    Q_EMIT contentChanged();
}

/// Shows the rows that match, and those around them.
bool DevicesPage::filter(const QString &text)
{
    const bool all = has(text, title());
    bool any = all;
    for (int top = 0; top < m_tree->topLevelItemCount(); ++top) {
        QTreeWidgetItem &target = *m_tree->topLevelItem(top);
        const auto textsOf = [](const QTreeWidgetItem &item) {
            return item.text(NameColumn) + u' ' + item.text(StateColumn) + u' ' +
                   item.text(DetailColumn);
        };
        const bool whole = all || has(text, textsOf(target));
        bool shown = whole;
        for (int row = 0; row < target.childCount(); ++row) {
            const bool matches = whole || has(text, textsOf(*target.child(row)));
            target.child(row)->setHidden(!matches);
            shown = shown || matches;
        }
        target.setHidden(!shown);
        any = any || shown;
    }
    return any;
}

} // namespace graphloom
