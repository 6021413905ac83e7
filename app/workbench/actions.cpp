// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/actions.h"

#include "app/style/icons.h"

#include <QMainWindow>
#include <QWhatsThis>

#include <map>

namespace graphloom {

QAction *makeAction(QMainWindow &window, const char *icon, const QString &text,
                    const QList<QKeySequence> &shortcuts, const QString &meaning)
{
    auto *action = new QAction(text, &window);
    if (*icon)
        action->setIcon(themedIcon(QLatin1String(icon)));
    QList<QKeySequence> keys = shortcuts;
    keys.removeAll(QKeySequence()); // of those that have none
    action->setShortcuts(keys);
    setMeaning(*action, meaning);
    action->setWhatsThis(meaning);
    window.addAction(action);
    return action;
}

void setMeaning(QAction &action, const QString &meaning)
{
    const QString keys = action.shortcut().toString(QKeySequence::NativeText);
    action.setToolTip(keys.isEmpty() ? meaning : QStringLiteral("%1 (%2)").arg(meaning, keys));
    action.setStatusTip(meaning);
}

namespace {

/// Commands, and choices of which one of a kind is checked.
enum class Kind { Command, Toggle, Grouping, Layout, Colour, Theme };
constexpr unsigned needsModel = 1, needsGroups = 2, isChecked = 4;

/// A standard key of the desktop, or its text, which may be translated.
struct ActionKey {
    constexpr ActionKey() = default;
    constexpr ActionKey(QKeySequence::StandardKey key) : standard(key) {}
    constexpr ActionKey(const char *key) : text(key) {}

    QKeySequence sequence() const
    {
        return text ? QKeySequence(Actions::tr(text)) : QKeySequence(standard);
    }

    QKeySequence::StandardKey standard = QKeySequence::UnknownKey;
    const char *text = nullptr;
};

struct ActionRow {
    QAction *Actions::*action;
    const char *icon; // "": none
    const char *text;
    ActionKey keys[3];
    const char *meaning;
    Kind kind = Kind::Command;
    unsigned flags = 0;
};

// In the order of the menus.
// clang-format off
const ActionRow table[] = {
    {&Actions::open, "open", QT_TRANSLATE_NOOP("Actions", "&Open…"), {QKeySequence::Open},
     QT_TRANSLATE_NOOP("Actions", "Open an ONNX model or a DOT graph")},
    {&Actions::save, "save", QT_TRANSLATE_NOOP("Actions", "&Save session"), {QKeySequence::Save},
     QT_TRANSLATE_NOOP("Actions", "Write the model's plans, runs and views into a session file"), Kind::Command, needsModel},
    {&Actions::saveAs, "", QT_TRANSLATE_NOOP("Actions", "Save session &as…"), {"Ctrl+Shift+S"},
     QT_TRANSLATE_NOOP("Actions", "Write the session into another file"), Kind::Command, needsModel},
    {&Actions::saveEmbedded, "", QT_TRANSLATE_NOOP("Actions", "Save session with &model…"), {},
     QT_TRANSLATE_NOOP("Actions", "Write the session into a file that holds the model, too, so that it can be given away"), Kind::Command, needsModel},
    {&Actions::recover, "recent", QT_TRANSLATE_NOOP("Actions", "Reco&ver unsaved work"), {},
     QT_TRANSLATE_NOOP("Actions", "Open what a program that did not end well left behind")},
    {&Actions::newWindow, "", QT_TRANSLATE_NOOP("Actions", "&New window"), {QKeySequence::New},
     QT_TRANSLATE_NOOP("Actions", "Open another window")},
    {&Actions::exportOnnx, "export", QT_TRANSLATE_NOOP("Actions", "Export &ONNX…"), {"Ctrl+E"},
     QT_TRANSLATE_NOOP("Actions", "Write the plan as standard ONNX: each block or subgraph a local function"), Kind::Command, needsModel},
    {&Actions::exportPicture, "picture", QT_TRANSLATE_NOOP("Actions", "Export &picture…"), {"Ctrl+Shift+E"},
     QT_TRANSLATE_NOOP("Actions", "Write a picture of the view that has the focus as SVG or PNG"), Kind::Command, needsModel},
    {&Actions::exportTable, "list", QT_TRANSLATE_NOOP("Actions", "Export &table…"), {"Ctrl+Shift+T"},
     QT_TRANSLATE_NOOP("Actions", "Write the table of the view that has the focus as CSV or JSON"), Kind::Command, needsModel},
    {&Actions::exportDot, "graph", QT_TRANSLATE_NOOP("Actions", "Export &DOT…"), {"Ctrl+Alt+E"},
     QT_TRANSLATE_NOOP("Actions", "Write what is drawn in the language of Graphviz"), Kind::Command, needsModel},
    {&Actions::exportReport, "list", QT_TRANSLATE_NOOP("Actions", "Export &report…"), {"Ctrl+Alt+R"},
     QT_TRANSLATE_NOOP("Actions", "Write the figures of the model, the passes and the partition as JSON"), Kind::Command, needsModel},
    {&Actions::close, "close", QT_TRANSLATE_NOOP("Actions", "&Close model"), {QKeySequence::Close},
     QT_TRANSLATE_NOOP("Actions", "Close the model"), Kind::Command, needsModel},
    {&Actions::quit, "", QT_TRANSLATE_NOOP("Actions", "&Quit"), {"Ctrl+Q"},
     QT_TRANSLATE_NOOP("Actions", "Quit the program")},
    {&Actions::undo, "undo", QT_TRANSLATE_NOOP("Actions", "&Undo"), {QKeySequence::Undo},
     QT_TRANSLATE_NOOP("Actions", "Back to the plan before")},
    {&Actions::redo, "redo", QT_TRANSLATE_NOOP("Actions", "&Redo"), {"Ctrl+Shift+Z", "Ctrl+Y"},
     QT_TRANSLATE_NOOP("Actions", "Forth to the plan after")},
    {&Actions::find, "search", QT_TRANSLATE_NOOP("Actions", "&Find…"), {QKeySequence::Find},
     QT_TRANSLATE_NOOP("Actions", "Find nodes by name, operator or tensor"), Kind::Command, needsModel},
    {&Actions::findNext, "next", QT_TRANSLATE_NOOP("Actions", "Find &next"), {"F3"},
     QT_TRANSLATE_NOOP("Actions", "Select the next match"), Kind::Command, needsModel},
    {&Actions::findPrevious, "previous", QT_TRANSLATE_NOOP("Actions", "Find &previous"), {"Shift+F3"},
     QT_TRANSLATE_NOOP("Actions", "Select the match before"), Kind::Command, needsModel},
    {&Actions::clearSelection, "", QT_TRANSLATE_NOOP("Actions", "&Clear selection"), {"Ctrl+Shift+A"},
     QT_TRANSLATE_NOOP("Actions", "Select nothing"), Kind::Command, needsModel},
    {&Actions::run, "run", QT_TRANSLATE_NOOP("Actions", "&Run pass"), {"F5", "Ctrl+R"},
     QT_TRANSLATE_NOOP("Actions", "Run the chosen pass on the plan")},
    {&Actions::runBeside, "beside", QT_TRANSLATE_NOOP("Actions", "Run &beside"), {"Ctrl+F5"},
     QT_TRANSLATE_NOOP("Actions", "Run the chosen pass while something else is done: its result waits in the list of runs")},
    {&Actions::goOn, "go-on", QT_TRANSLATE_NOOP("Actions", "Continue &search"), {"Ctrl+Shift+F5"},
     QT_TRANSLATE_NOOP("Actions", "Let the search that made this plan go on from where it ended")},
    {&Actions::hold, "pause", QT_TRANSLATE_NOOP("Actions", "&Pause"), {"F7"},
     QT_TRANSLATE_NOOP("Actions", "Hold the run that is followed, or let it go on; its clock stands still")},
    {&Actions::take, "take", QT_TRANSLATE_NOOP("Actions", "&Take this one"), {"F8"},
     QT_TRANSLATE_NOOP("Actions", "End the run, and make what it has found so far the plan")},
    {&Actions::takeRun, "take", QT_TRANSLATE_NOOP("Actions", "Take its plan"), {},
     QT_TRANSLATE_NOOP("Actions", "Make what the chosen run has found the plan")},
    {&Actions::holdRun, "pause", QT_TRANSLATE_NOOP("Actions", "Pause or go on"), {},
     QT_TRANSLATE_NOOP("Actions", "Hold the chosen runs, or let them go on")},
    {&Actions::stopRun, "cancel", QT_TRANSLATE_NOOP("Actions", "Stop"), {},
     QT_TRANSLATE_NOOP("Actions", "Stop the chosen runs: what they have by then is their result. Stopped twice, a run is ended at once")},
    {&Actions::removeRun, "clear", QT_TRANSLATE_NOOP("Actions", "Remove"), {},
     QT_TRANSLATE_NOOP("Actions", "Take the chosen runs, if they have ended, off the list")},
    {&Actions::cancel, "cancel", QT_TRANSLATE_NOOP("Actions", "&Cancel"), {"Shift+F5"},
     QT_TRANSLATE_NOOP("Actions", "Stop the work; the best so far, or what was measured, is kept")},
    {&Actions::runHere, "machine", QT_TRANSLATE_NOOP("Actions", "Run on this &machine"), {"F6"},
     QT_TRANSLATE_NOOP("Actions", "Build the plan for this machine, measure it, and show the time of each kernel")},
    {&Actions::tuneHere, "tune", QT_TRANSLATE_NOOP("Actions", "&Tune kernels on this machine"), {"Shift+F6"},
     QT_TRANSLATE_NOOP("Actions", "Try schedules of the plan's kernels on this machine, take the fastest, and measure the plan before and after")},
    {&Actions::compareOriginal, "compare", QT_TRANSLATE_NOOP("Actions", "Compare with the &model as opened"), {"Ctrl+D"},
     QT_TRANSLATE_NOOP("Actions", "Show what passes and edits have changed: nodes, figures, and where nodes come from")},
    {&Actions::comparePrevious, "", QT_TRANSLATE_NOOP("Actions", "Compare with the plan &before"), {"Ctrl+Alt+D"},
     QT_TRANSLATE_NOOP("Actions", "Show what the last pass or edit has changed")},
    {&Actions::compareRun, "compare", QT_TRANSLATE_NOOP("Actions", "Compare with &run"), {},
     QT_TRANSLATE_NOOP("Actions", "Show what is different in the plan from what the chosen run has found")},
    {&Actions::compareFile, "open", QT_TRANSLATE_NOOP("Actions", "Compare with &file…"), {},
     QT_TRANSLATE_NOOP("Actions", "Show what is different from another model, or from the plan of a session")},
    {&Actions::nextDifference, "next", QT_TRANSLATE_NOOP("Actions", "&Next difference"), {"F4"},
     QT_TRANSLATE_NOOP("Actions", "Select what differs next between the plans that are compared")},
    {&Actions::previousDifference, "previous", QT_TRANSLATE_NOOP("Actions", "&Previous difference"), {"Shift+F4"},
     QT_TRANSLATE_NOOP("Actions", "Select what differs before")},
    {&Actions::showOriginals, "", QT_TRANSLATE_NOOP("Actions", "Show &original nodes"), {"O"},
     QT_TRANSLATE_NOOP("Actions", "Select the nodes of the model as opened whose work the selected node does")},
    {&Actions::showSuccessors, "", QT_TRANSLATE_NOOP("Actions", "Show what &became of it"), {"Shift+O"},
     QT_TRANSLATE_NOOP("Actions", "Select the nodes that do the work of the selected node of the comparison now")},
    {&Actions::endComparison, "clear", QT_TRANSLATE_NOOP("Actions", "&End the comparison"), {},
     QT_TRANSLATE_NOOP("Actions", "Show the plan alone again, also in the memory and Pareto panels")},
    {&Actions::openNested, "into", QT_TRANSLATE_NOOP("Actions", "&Open nested graph"), {"Alt+Down"},
     QT_TRANSLATE_NOOP("Actions", "Show a graph that the selected node holds, such as the body of a loop")},
    {&Actions::goUp, "up", QT_TRANSLATE_NOOP("Actions", "Graph &around"), {"Alt+Up", "Backspace"},
     QT_TRANSLATE_NOOP("Actions", "Show the graph that holds the node this one is nested in")},
    {&Actions::goBack, "back", QT_TRANSLATE_NOOP("Actions", "&Back"), {"Alt+Left"},
     QT_TRANSLATE_NOOP("Actions", "Show the graph shown before")},
    {&Actions::goForward, "forward", QT_TRANSLATE_NOOP("Actions", "&Forward"), {"Alt+Right"},
     QT_TRANSLATE_NOOP("Actions", "Show the graph shown before going back")},
    {&Actions::zoomIn, "zoom-in", QT_TRANSLATE_NOOP("Actions", "Zoom &in"), {"Ctrl++", "Ctrl+="},
     QT_TRANSLATE_NOOP("Actions", "Zoom in"), Kind::Command, needsModel},
    {&Actions::zoomOut, "zoom-out", QT_TRANSLATE_NOOP("Actions", "Zoom &out"), {"Ctrl+-"},
     QT_TRANSLATE_NOOP("Actions", "Zoom out"), Kind::Command, needsModel},
    {&Actions::zoomNormal, "", QT_TRANSLATE_NOOP("Actions", "&Actual size"), {"Ctrl+0"},
     QT_TRANSLATE_NOOP("Actions", "Zoom to 100 %"), Kind::Command, needsModel},
    {&Actions::fit, "fit", QT_TRANSLATE_NOOP("Actions", "&Fit"), {"F"},
     QT_TRANSLATE_NOOP("Actions", "Show the whole graph"), Kind::Command, needsModel},
    {&Actions::zoomSelection, "search", QT_TRANSLATE_NOOP("Actions", "Zoom to &selection"), {"Shift+F"},
     QT_TRANSLATE_NOOP("Actions", "Bring the selected item to the middle"), Kind::Command, needsModel},
    {&Actions::groupBlocks, "", QT_TRANSLATE_NOOP("Actions", "Boxes around fusion &blocks"), {},
     QT_TRANSLATE_NOOP("Actions", "Draw the fusion blocks as boxes in the colours of their mapping types"), Kind::Grouping, isChecked},
    {&Actions::groupSubgraphs, "", QT_TRANSLATE_NOOP("Actions", "Boxes around sub&graphs"), {},
     QT_TRANSLATE_NOOP("Actions", "Draw the subgraphs of the partition as boxes"), Kind::Grouping},
    {&Actions::groupModules, "", QT_TRANSLATE_NOOP("Actions", "Boxes around &modules"), {},
     QT_TRANSLATE_NOOP("Actions", "Draw the modules that the names of the nodes tell of as boxes in boxes"), Kind::Grouping},
    {&Actions::groupFissions, "", QT_TRANSLATE_NOOP("Actions", "Boxes around &fission regions"), {},
     QT_TRANSLATE_NOOP("Actions", "Draw the regions that are cut into parts to save memory, and candidates for that, as boxes in boxes"), Kind::Grouping},
    {&Actions::groupNone, "", QT_TRANSLATE_NOOP("Actions", "N&o boxes"), {},
     QT_TRANSLATE_NOOP("Actions", "Draw the graph without boxes"), Kind::Grouping, needsGroups},
    {&Actions::nextGrouping, "group", QT_TRANSLATE_NOOP("Actions", "Other boxes"), {"Ctrl+G"},
     QT_TRANSLATE_NOOP("Actions", "Change between boxes around blocks, subgraphs, modules, fission regions, and none"), Kind::Command, needsGroups},
    {&Actions::columns, "columns", QT_TRANSLATE_NOOP("Actions", "Break into &columns"), {"Ctrl+L"},
     QT_TRANSLATE_NOOP("Actions", "Break a long graph into columns, like text in a newspaper"), Kind::Toggle, needsModel | isChecked},
    {&Actions::collapseAll, "collapse", QT_TRANSLATE_NOOP("Actions", "Co&llapse all boxes"), {"Ctrl+Shift+-"},
     QT_TRANSLATE_NOOP("Actions", "Draw every block, subgraph or module as one node"), Kind::Command, needsGroups},
    {&Actions::expandAll, "expand", QT_TRANSLATE_NOOP("Actions", "E&xpand all boxes"), {"Ctrl+Shift++", "Ctrl+Shift+="},
     QT_TRANSLATE_NOOP("Actions", "Draw the nodes of every block, subgraph or module"), Kind::Command, needsGroups},
    {&Actions::toggleGroup, "", QT_TRANSLATE_NOOP("Actions", "Colla&pse or expand the selected box"), {"Ctrl+B"},
     QT_TRANSLATE_NOOP("Actions", "Draw the selected block, subgraph or module as one node, or open it"), Kind::Command, needsGroups},
    {&Actions::onlyWay, "", QT_TRANSLATE_NOOP("Actions", "Open only the &way to the selection"), {"Ctrl+Shift+B"},
     QT_TRANSLATE_NOOP("Actions", "Open the boxes around the selected item, and close all others"), Kind::Command, needsGroups},
    {&Actions::focus, "", QT_TRANSLATE_NOOP("Actions", "Show the &neighbourhood of the selection"), {"N"},
     QT_TRANSLATE_NOOP("Actions", "Show only what is within some steps of the selected items, up and down")},
    {&Actions::focusMore, "", QT_TRANSLATE_NOOP("Actions", "One step &more"), {"."},
     QT_TRANSLATE_NOOP("Actions", "Show nodes one step further up and down")},
    {&Actions::focusFewer, "", QT_TRANSLATE_NOOP("Actions", "One step &less"), {","},
     QT_TRANSLATE_NOOP("Actions", "Show nodes one step less up and down")},
    {&Actions::focusWays, "", QT_TRANSLATE_NOOP("Actions", "Show the ways between the selected items"), {"Shift+N"},
     QT_TRANSLATE_NOOP("Actions", "Show only the nodes on ways from one selected item to another")},
    {&Actions::focusAll, "", QT_TRANSLATE_NOOP("Actions", "Show all nodes again"), {"Ctrl+Shift+N"},
     QT_TRANSLATE_NOOP("Actions", "End the view of a part of the graph (Esc on the canvas)")},
    {&Actions::layered, "", QT_TRANSLATE_NOOP("Actions", "&Layered layout"), {},
     QT_TRANSLATE_NOOP("Actions", "Own layout, made for graphs of thousands of nodes"), Kind::Layout, needsModel | isChecked},
    {&Actions::graphviz, "", QT_TRANSLATE_NOOP("Actions", "Graph&viz layout"), {},
     QT_TRANSLATE_NOOP("Actions", "Layout by Graphviz' dot, for at most 500 visible nodes"), Kind::Layout, needsModel},
    {&Actions::colourByClass, "", QT_TRANSLATE_NOOP("Actions", "Colour by operator &class"), {},
     QT_TRANSLATE_NOOP("Actions", "Nodes have the colours of the legend"), Kind::Colour, isChecked},
    {&Actions::colourBySubgraph, "", QT_TRANSLATE_NOOP("Actions", "Colour by &subgraph"), {},
     QT_TRANSLATE_NOOP("Actions", "Nodes of one subgraph have one colour"), Kind::Colour},
    {&Actions::heat, "heat", QT_TRANSLATE_NOOP("Actions", "Colour by &time"), {"Ctrl+H"},
     QT_TRANSLATE_NOOP("Actions", "Nodes have the colour of their kernel's share of the time, once the plan was run"), Kind::Toggle},
    {&Actions::loadData, "open", QT_TRANSLATE_NOOP("Actions", "Load data about &nodes…"), {"Ctrl+Shift+D"},
     QT_TRANSLATE_NOOP("Actions", "Colour nodes by columns of a CSV or JSON file of your own, by their names"), Kind::Command, needsModel},
    {&Actions::removeData, "clear", QT_TRANSLATE_NOOP("Actions", "Remove data about nodes"), {},
     QT_TRANSLATE_NOOP("Actions", "Forget the files that were loaded to colour nodes by")},
    {&Actions::minimap, "map", QT_TRANSLATE_NOOP("Actions", "&Minimap"), {"Ctrl+M"},
     QT_TRANSLATE_NOOP("Actions", "Show the whole graph in a corner"), Kind::Toggle, isChecked},
    {&Actions::legend, "legend", QT_TRANSLATE_NOOP("Actions", "L&egend"), {"Ctrl+Shift+L"},
     QT_TRANSLATE_NOOP("Actions", "Show what the colours mean"), Kind::Toggle, isChecked},
    {&Actions::themeSystem, "", QT_TRANSLATE_NOOP("Actions", "Theme of the &system"), {},
     QT_TRANSLATE_NOOP("Actions", "Dark or light as the desktop is"), Kind::Theme, isChecked},
    {&Actions::themeDark, "", QT_TRANSLATE_NOOP("Actions", "&Dark theme"), {},
     QT_TRANSLATE_NOOP("Actions", "Light text on dark ground"), Kind::Theme},
    {&Actions::themeLight, "", QT_TRANSLATE_NOOP("Actions", "Ligh&t theme"), {},
     QT_TRANSLATE_NOOP("Actions", "Dark text on light ground"), Kind::Theme},
    {&Actions::nextTheme, "theme", QT_TRANSLATE_NOOP("Actions", "S&witch theme"), {"Ctrl+T"},
     QT_TRANSLATE_NOOP("Actions", "Change between dark and light")},
    {&Actions::commands, "palette", QT_TRANSLATE_NOOP("Actions", "&Command palette…"), {"Ctrl+K"},
     QT_TRANSLATE_NOOP("Actions", "Run any command by its name")},
    {&Actions::help, "help", QT_TRANSLATE_NOOP("Actions", "&Help"), {QKeySequence::HelpContents},
     QT_TRANSLATE_NOOP("Actions", "How to use the program")},
    {&Actions::glossary, "list", QT_TRANSLATE_NOOP("Actions", "&Glossary"), {},
     QT_TRANSLATE_NOOP("Actions", "What the terms of the window mean, and which paper they are from")},
    {&Actions::keys, "", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"), {"?"},
     QT_TRANSLATE_NOOP("Actions", "All commands with their keys, to search, copy and print")},
    {&Actions::tour, "", QT_TRANSLATE_NOOP("Actions", "&Tour"), {"Ctrl+F1"},
     QT_TRANSLATE_NOOP("Actions", "A walk through the window on a model that comes with it; while it goes on, to its note")},
    {&Actions::jobs, "", QT_TRANSLATE_NOOP("Actions", "Background &work"), {"Ctrl+Alt+B"},
     QT_TRANSLATE_NOOP("Actions", "All that goes on in the background: how far it is, and what stops it")},
    {&Actions::training, "", QT_TRANSLATE_NOOP("Actions", "Training &graph…"), {},
     QT_TRANSLATE_NOOP("Actions", "Make a step of training of the model: a loss, the gradients and the new weights"), Kind::Command, needsModel},
    {&Actions::whatsThis, "", QT_TRANSLATE_NOOP("Actions", "&What's this?"), {QKeySequence::WhatsThis},
     QT_TRANSLATE_NOOP("Actions", "Click on something to learn what it is")},
    {&Actions::about, "info", QT_TRANSLATE_NOOP("Actions", "&About Graphloom"), {},
     QT_TRANSLATE_NOOP("Actions", "Version and licences")},
    {&Actions::resetLayout, "reset", QT_TRANSLATE_NOOP("Actions", "&Reset panels"), {},
     QT_TRANSLATE_NOOP("Actions", "Put all panels back to their first places")},
};
// clang-format on

std::vector<QAction *> allWith(const Actions &actions, unsigned flag)
{
    std::vector<QAction *> found;
    for (const ActionRow &row : table)
        if (row.flags & flag)
            found.push_back(actions.*row.action);
    return found;
}

} // namespace

Actions::Actions(QMainWindow &window)
{
    std::map<Kind, QActionGroup *> groups;
    for (const ActionRow &row : table) {
        QList<QKeySequence> shortcuts;
        for (const ActionKey &key : row.keys)
            shortcuts << key.sequence();
        QAction *action = makeAction(window, row.icon, tr(row.text), shortcuts, tr(row.meaning));
        action->setCheckable(row.kind != Kind::Command);
        if (row.kind > Kind::Toggle) {
            QActionGroup *&group = groups[row.kind];
            if (!group)
                group = new QActionGroup(&window);
            group->addAction(action);
        }
        action->setChecked(row.flags & isChecked);
        this->*row.action = action;
        m_all.push_back(action);
        if (row.action == &Actions::toggleGroup)
            addLevels(window);
    }
    QObject::connect(whatsThis, &QAction::triggered, &window,
                     [] { QWhatsThis::enterWhatsThisMode(); });
}

void Actions::addLevels(QMainWindow &window)
{
    for (std::size_t level = 0; level < levels.size(); ++level) {
        levels[level] = makeAction(
            window, "", level == 0 ? tr("&0: close all") : tr("&%1 levels of boxes").arg(level),
            {level == 0 ? QKeySequence(tr("Ctrl+Shift+0")) // Ctrl+0 is for the size
                        : QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + int(level)))},
            level == 0 ? tr("Draw every outer box as one node")
                       : tr("Open boxes in boxes so many levels deep, and close those below"));
        m_all.push_back(levels[level]);
    }
}

std::vector<QAction *> Actions::needModel() const
{
    return allWith(*this, needsModel);
}

std::vector<QAction *> Actions::needGroups() const
{
    std::vector<QAction *> actions = allWith(*this, needsGroups);
    actions.insert(actions.end(), levels.begin(), levels.end());
    return actions;
}

} // namespace graphloom
