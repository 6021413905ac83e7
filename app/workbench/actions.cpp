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
    keys.removeAll(QKeySequence()); // actions without a key
    action->setShortcuts(keys);
    setMeaning(*action, meaning);
    action->setWhatsThis(meaning);
    window.addAction(action);
    return action;
}

QString nameInText(const QAction &action)
{
    const QString name = action.iconText();
    return name.left(1).toLower() + name.mid(1);
}

void setMeaning(QAction &action, const QString &meaning)
{
    const QString keys = action.shortcut().toString(QKeySequence::NativeText);
    action.setToolTip(keys.isEmpty() ? meaning : QStringLiteral("%1 (%2)").arg(meaning, keys));
    action.setStatusTip(meaning);
}

namespace {

/// Kinds of actions: a command, a toggle, or an exclusive choice.
enum class Kind { Command, Toggle, Grouping, Layout, Colour, Theme };
constexpr unsigned needsModel = 1, needsGroups = 2, isChecked = 4, needsTabs = 8;

/// Standard key of the desktop, or a translatable text.
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
     QT_TRANSLATE_NOOP("Actions", "Open ONNX models, sessions or DOT graphs")},
    {&Actions::reopen, "", QT_TRANSLATE_NOOP("Actions", "Reopen closed ta&b"), {"Ctrl+Shift+T"},
     QT_TRANSLATE_NOOP("Actions", "Open the model or session of the tab that was closed last again")},
    {&Actions::save, "save", QT_TRANSLATE_NOOP("Actions", "&Save session"), {QKeySequence::Save},
     QT_TRANSLATE_NOOP("Actions", "Save the model's plans, runs and views to a session file"), Kind::Command, needsModel},
    {&Actions::saveAs, "", QT_TRANSLATE_NOOP("Actions", "Save session &as…"), {"Ctrl+Shift+S"},
     QT_TRANSLATE_NOOP("Actions", "Save the session to another file"), Kind::Command, needsModel},
    {&Actions::saveEmbedded, "", QT_TRANSLATE_NOOP("Actions", "Save session with &model…"), {},
     QT_TRANSLATE_NOOP("Actions", "Save the session together with the model, so that others can open it"), Kind::Command, needsModel},
    {&Actions::recover, "recent", QT_TRANSLATE_NOOP("Actions", "Reco&ver unsaved work"), {},
     QT_TRANSLATE_NOOP("Actions", "Recover work after a crash")},
    {&Actions::newWindow, "", QT_TRANSLATE_NOOP("Actions", "&New window"), {QKeySequence::New},
     QT_TRANSLATE_NOOP("Actions", "Open another window")},
    {&Actions::exportOnnx, "export", QT_TRANSLATE_NOOP("Actions", "&Export ONNX…"), {"Ctrl+E"},
     QT_TRANSLATE_NOOP("Actions", "Export the plan as standard ONNX, with a local function for each block or subgraph"), Kind::Command, needsModel},
    {&Actions::exportPicture, "picture", QT_TRANSLATE_NOOP("Actions", "Export &picture…"), {"Ctrl+Shift+E"},
     QT_TRANSLATE_NOOP("Actions", "Export the focused view as SVG or PNG"), Kind::Command, needsModel},
    {&Actions::exportTable, "list", QT_TRANSLATE_NOOP("Actions", "Export &table…"), {"Ctrl+Alt+V"},
     QT_TRANSLATE_NOOP("Actions", "Export the table of the focused view as CSV or JSON"), Kind::Command, needsModel},
    {&Actions::exportDot, "graph", QT_TRANSLATE_NOOP("Actions", "Export &DOT…"), {"Ctrl+Alt+E"},
     QT_TRANSLATE_NOOP("Actions", "Export the displayed graph in Graphviz format"), Kind::Command, needsModel},
    {&Actions::exportReport, "list", QT_TRANSLATE_NOOP("Actions", "Export report…"), {"Ctrl+Alt+R"},
     QT_TRANSLATE_NOOP("Actions", "Export the figures of the model, the passes and the partition as JSON"), Kind::Command, needsModel},
    {&Actions::exportHtml, "list", QT_TRANSLATE_NOOP("Actions", "Export &HTML report…"), {"Ctrl+Alt+H"},
     QT_TRANSLATE_NOOP("Actions", "Export the figures of the plan with pictures as one page for a browser"), Kind::Command, needsModel},
    {&Actions::exportTensor, "table", QT_TRANSLATE_NOOP("Actions", "E&xport tensor…"), {},
     QT_TRANSLATE_NOOP("Actions", "Export the inspected tensor as a NumPy file (.npy)")},
    {&Actions::exportTrace, "chart", QT_TRANSLATE_NOOP("Actions", "Export trace…"), {},
     QT_TRANSLATE_NOOP("Actions", "Export what each thread did in a run of the plan as a trace for Perfetto (.json)")},
    {&Actions::close, "close", QT_TRANSLATE_NOOP("Actions", "&Close model"), {"Ctrl+W", "Ctrl+F4"},
     QT_TRANSLATE_NOOP("Actions", "Close the model, and its tab")},
    {&Actions::closeOthers, "", QT_TRANSLATE_NOOP("Actions", "Close other mode&ls"), {},
     QT_TRANSLATE_NOOP("Actions", "Close the models of all other tabs"), Kind::Command, needsTabs},
    {&Actions::copyPath, "copy", QT_TRANSLATE_NOOP("Actions", "Cop&y path"), {"Ctrl+Alt+C"},
     QT_TRANSLATE_NOOP("Actions", "Copy the path of the model's file"), Kind::Command, needsModel},
    {&Actions::showInFolder, "", QT_TRANSLATE_NOOP("Actions", "Show in &folder"), {},
     QT_TRANSLATE_NOOP("Actions", "Show the folder of the model's file"), Kind::Command, needsModel},
    {&Actions::moveTab, "", QT_TRANSLATE_NOOP("Actions", "Move to ne&w window"), {},
     QT_TRANSLATE_NOOP("Actions", "Move the model from its tab to a window of its own"), Kind::Command, needsTabs},
    {&Actions::quit, "", QT_TRANSLATE_NOOP("Actions", "&Quit"), {"Ctrl+Q"},
     QT_TRANSLATE_NOOP("Actions", "Quit Graphloom")},
    {&Actions::inputShapes, "", QT_TRANSLATE_NOOP("Actions", "&Input shapes…"), {"Ctrl+I"},
     QT_TRANSLATE_NOOP("Actions", "Change the shapes of the model's inputs, such as the batch size, and see what follows"), Kind::Command, needsModel},
    {&Actions::runOnInputs, "run", QT_TRANSLATE_NOOP("Actions", "&Run on inputs…"), {"Ctrl+Alt+I"},
     QT_TRANSLATE_NOOP("Actions", "Run the plan on files or random values, and keep the values of all tensors for the Tensor panel"), Kind::Command, needsModel},
    {&Actions::undo, "undo", QT_TRANSLATE_NOOP("Actions", "&Undo"), {QKeySequence::Undo},
     QT_TRANSLATE_NOOP("Actions", "Undo the last change of the plan")},
    {&Actions::redo, "redo", QT_TRANSLATE_NOOP("Actions", "&Redo"), {"Ctrl+Shift+Z", "Ctrl+Y"},
     QT_TRANSLATE_NOOP("Actions", "Redo the change that was undone")},
    {&Actions::history, "list", QT_TRANSLATE_NOOP("Actions", "Undo &history"), {"Ctrl+Alt+Z"},
     QT_TRANSLATE_NOOP("Actions", "List all passes and edits with what they changed, to go to any state of the plan"), Kind::Command, needsModel},
    {&Actions::copyPicture, "copy", QT_TRANSLATE_NOOP("Actions", "Cop&y picture"), {"Ctrl+Shift+C"},
     QT_TRANSLATE_NOOP("Actions", "Copy a picture of the focused view, to paste it into a document"), Kind::Command, needsModel},
    {&Actions::paste, "", QT_TRANSLATE_NOOP("Actions", "&Paste"), {QKeySequence::Paste},
     QT_TRANSLATE_NOOP("Actions", "Open the copied model or session, or colour nodes by the copied table")},
    {&Actions::find, "search", QT_TRANSLATE_NOOP("Actions", "&Find…"), {QKeySequence::Find},
     QT_TRANSLATE_NOOP("Actions", "Find nodes by name, operator or tensor"), Kind::Command, needsModel},
    {&Actions::findNext, "next", QT_TRANSLATE_NOOP("Actions", "Find &next"), {"F3"},
     QT_TRANSLATE_NOOP("Actions", "Select the next match"), Kind::Command, needsModel},
    {&Actions::findPrevious, "previous", QT_TRANSLATE_NOOP("Actions", "Find pre&vious"), {"Shift+F3"},
     QT_TRANSLATE_NOOP("Actions", "Select the previous match"), Kind::Command, needsModel},
    {&Actions::clearSelection, "", QT_TRANSLATE_NOOP("Actions", "&Clear selection"), {"Ctrl+Shift+A"},
     QT_TRANSLATE_NOOP("Actions", "Clear the selection"), Kind::Command, needsModel},
    {&Actions::inspectTensor, "table", QT_TRANSLATE_NOOP("Actions", "&Inspect tensor"), {"I"},
     QT_TRANSLATE_NOOP("Actions", "Show the values of the selected tensor, or of the weights of the selected node")},
    {&Actions::run, "run", QT_TRANSLATE_NOOP("Actions", "&Run pass"), {"F5", "Ctrl+R"},
     QT_TRANSLATE_NOOP("Actions", "Run the chosen pass on the plan")},
    {&Actions::runBeside, "beside", QT_TRANSLATE_NOOP("Actions", "Run in &background"), {"Ctrl+F5"},
     QT_TRANSLATE_NOOP("Actions", "Run the chosen pass in the background; its result is listed in Runs")},
    {&Actions::goOn, "go-on", QT_TRANSLATE_NOOP("Actions", "Continue &search"), {"Ctrl+Shift+F5"},
     QT_TRANSLATE_NOOP("Actions", "Continue the search that made this plan from where it ended")},
    {&Actions::hold, "pause", QT_TRANSLATE_NOOP("Actions", "&Pause"), {"F7"},
     QT_TRANSLATE_NOOP("Actions", "Pause or resume the current run; its time budget is paused, too")},
    {&Actions::take, "take", QT_TRANSLATE_NOOP("Actions", "Stop and &apply best plan"), {"F8"},
     QT_TRANSLATE_NOOP("Actions", "Stop the run and apply the best plan found so far")},
    {&Actions::takeRun, "take", QT_TRANSLATE_NOOP("Actions", "Apply plan"), {},
     QT_TRANSLATE_NOOP("Actions", "Apply the plan of the selected run")},
    {&Actions::holdRun, "pause", QT_TRANSLATE_NOOP("Actions", "Pause or resume"), {},
     QT_TRANSLATE_NOOP("Actions", "Pause or resume the selected runs")},
    {&Actions::stopRun, "cancel", QT_TRANSLATE_NOOP("Actions", "Stop"), {},
     QT_TRANSLATE_NOOP("Actions", "Stop the selected runs and keep their best plans. Stopping a run a second time ends it immediately")},
    {&Actions::removeRun, "clear", QT_TRANSLATE_NOOP("Actions", "Remove"), {},
     QT_TRANSLATE_NOOP("Actions", "Remove finished runs from the list")},
    {&Actions::cancel, "cancel", QT_TRANSLATE_NOOP("Actions", "&Cancel"), {"Shift+F5"},
     QT_TRANSLATE_NOOP("Actions", "Cancel the current task; the best result so far is kept")},
    {&Actions::runHere, "machine", QT_TRANSLATE_NOOP("Actions", "Run on this &machine"), {"F6"},
     QT_TRANSLATE_NOOP("Actions", "Build the plan for this machine, run it, and show the time of each kernel")},
    {&Actions::runBesideOriginal, "compare", QT_TRANSLATE_NOOP("Actions", "Benchmark against &original"), {"Ctrl+F6"},
     QT_TRANSLATE_NOOP("Actions", "Benchmark the plan against the original model on this machine, alternating between them; the original runs one kernel per node")},
    {&Actions::tuneHere, "tune", QT_TRANSLATE_NOOP("Actions", "&Tune kernels on this machine"), {"Shift+F6"},
     QT_TRANSLATE_NOOP("Actions", "Try schedules for the plan's kernels on this machine, keep the fastest ones, and measure the plan before and after")},
    {&Actions::verify, "verify", QT_TRANSLATE_NOOP("Actions", "&Verify plan"), {"Ctrl+Shift+F6"},
     QT_TRANSLATE_NOOP("Actions", "Run the plan and the original model on the same inputs, and show the error of each tensor")},
    {&Actions::exportPackage, "export", QT_TRANSLATE_NOOP("Actions", "Export &package…"), {},
     QT_TRANSLATE_NOOP("Actions", "Export the plan as C that builds and runs without this program")},
    {&Actions::compareOriginal, "compare", QT_TRANSLATE_NOOP("Actions", "Compare with &original model"), {"Ctrl+D"},
     QT_TRANSLATE_NOOP("Actions", "Show what passes and edits have changed: nodes, figures and the origin of nodes")},
    {&Actions::comparePrevious, "", QT_TRANSLATE_NOOP("Actions", "Compare with &previous plan"), {"Ctrl+Alt+D"},
     QT_TRANSLATE_NOOP("Actions", "Show what the last pass or edit changed")},
    {&Actions::compareRun, "compare", QT_TRANSLATE_NOOP("Actions", "Compare with &run"), {},
     QT_TRANSLATE_NOOP("Actions", "Compare the plan with the plan of the selected run")},
    {&Actions::compareFile, "open", QT_TRANSLATE_NOOP("Actions", "Compare with &file…"), {},
     QT_TRANSLATE_NOOP("Actions", "Compare the plan with another model or with the plan of a session")},
    {&Actions::sideBySide, "sides", QT_TRANSLATE_NOOP("Actions", "Side &by side"), {"Ctrl+\\"},
     QT_TRANSLATE_NOOP("Actions", "Show the graph of the other plan to the left of the current one"), Kind::Toggle, needsModel},
    {&Actions::linkSides, "link", QT_TRANSLATE_NOOP("Actions", "&Link both graphs"), {"Ctrl+Alt+L"},
     QT_TRANSLATE_NOOP("Actions", "Scroll and zoom both graphs together, by the nodes that correspond to each other"), Kind::Toggle, isChecked},
    {&Actions::switchSide, "", QT_TRANSLATE_NOOP("Actions", "S&witch to other graph"), {"Ctrl+`"},
     QT_TRANSLATE_NOOP("Actions", "Move the keyboard focus to the other graph, or back")},
    {&Actions::nextDifference, "next", QT_TRANSLATE_NOOP("Actions", "&Next difference"), {"F4"},
     QT_TRANSLATE_NOOP("Actions", "Select the next difference between the compared plans")},
    {&Actions::previousDifference, "previous", QT_TRANSLATE_NOOP("Actions", "Previous &difference"), {"Shift+F4"},
     QT_TRANSLATE_NOOP("Actions", "Select the previous difference between the compared plans")},
    {&Actions::showOriginals, "", QT_TRANSLATE_NOOP("Actions", "Show ori&ginal nodes"), {"O"},
     QT_TRANSLATE_NOOP("Actions", "Select the nodes of the original model that the selected node replaces")},
    {&Actions::showSuccessors, "", QT_TRANSLATE_NOOP("Actions", "&Show replacement nodes"), {"Shift+O"},
     QT_TRANSLATE_NOOP("Actions", "Select the nodes that replace the selected node of the original model")},
    {&Actions::endComparison, "clear", QT_TRANSLATE_NOOP("Actions", "&Close comparison"), {},
     QT_TRANSLATE_NOOP("Actions", "Show only the current plan again, also in the Memory and Pareto panels")},
    {&Actions::nextTab, "", QT_TRANSLATE_NOOP("Actions", "&Next model"), {"Ctrl+Tab", "Ctrl+PgDown"},
     QT_TRANSLATE_NOOP("Actions", "Show the model of the next tab"), Kind::Command, needsTabs},
    {&Actions::previousTab, "", QT_TRANSLATE_NOOP("Actions", "Pre&vious model"), {"Ctrl+Shift+Tab", "Ctrl+PgUp"},
     QT_TRANSLATE_NOOP("Actions", "Show the model of the previous tab"), Kind::Command, needsTabs},
    {&Actions::openNested, "into", QT_TRANSLATE_NOOP("Actions", "&Open nested graph"), {"Alt+Down"},
     QT_TRANSLATE_NOOP("Actions", "Show a graph inside the selected node, such as the body of a loop")},
    {&Actions::goUp, "up", QT_TRANSLATE_NOOP("Actions", "&Parent graph"), {"Alt+Up", "Backspace"},
     QT_TRANSLATE_NOOP("Actions", "Show the graph that contains this nested graph")},
    {&Actions::goBack, "back", QT_TRANSLATE_NOOP("Actions", "&Back"), {"Alt+Left"},
     QT_TRANSLATE_NOOP("Actions", "Go back to the previous graph")},
    {&Actions::goForward, "forward", QT_TRANSLATE_NOOP("Actions", "&Forward"), {"Alt+Right"},
     QT_TRANSLATE_NOOP("Actions", "Go forward to the next graph")},
    {&Actions::zoomIn, "zoom-in", QT_TRANSLATE_NOOP("Actions", "Zoom &in"), {"Ctrl++", "Ctrl+="},
     QT_TRANSLATE_NOOP("Actions", "Zoom in"), Kind::Command, needsModel},
    {&Actions::zoomOut, "zoom-out", QT_TRANSLATE_NOOP("Actions", "Zoom &out"), {"Ctrl+-"},
     QT_TRANSLATE_NOOP("Actions", "Zoom out"), Kind::Command, needsModel},
    {&Actions::zoomNormal, "", QT_TRANSLATE_NOOP("Actions", "&Actual size"), {"Ctrl+0"},
     QT_TRANSLATE_NOOP("Actions", "Zoom to 100 %"), Kind::Command, needsModel},
    {&Actions::fit, "fit", QT_TRANSLATE_NOOP("Actions", "Zoom to &fit"), {"F"},
     QT_TRANSLATE_NOOP("Actions", "Show the whole graph"), Kind::Command, needsModel},
    {&Actions::zoomSelection, "search", QT_TRANSLATE_NOOP("Actions", "Zoom to &selection"), {"Shift+F"},
     QT_TRANSLATE_NOOP("Actions", "Zoom to the selected items"), Kind::Command, needsModel},
    {&Actions::groupBlocks, "", QT_TRANSLATE_NOOP("Actions", "Group by fusion &block"), {},
     QT_TRANSLATE_NOOP("Actions", "Show fusion blocks as groups in the colours of their mapping types"), Kind::Grouping, isChecked},
    {&Actions::groupSubgraphs, "", QT_TRANSLATE_NOOP("Actions", "Group by sub&graph"), {},
     QT_TRANSLATE_NOOP("Actions", "Show the subgraphs of the partition as groups"), Kind::Grouping},
    {&Actions::groupModules, "", QT_TRANSLATE_NOOP("Actions", "Group by mo&dule"), {},
     QT_TRANSLATE_NOOP("Actions", "Show the modules, known from the names of the nodes, as nested groups"), Kind::Grouping},
    {&Actions::groupFissions, "", QT_TRANSLATE_NOOP("Actions", "Group by f&ission region"), {},
     QT_TRANSLATE_NOOP("Actions", "Show the regions that run in parts to save memory, and the candidates, as nested groups"), Kind::Grouping},
    {&Actions::groupNone, "", QT_TRANSLATE_NOOP("Actions", "N&o groups"), {},
     QT_TRANSLATE_NOOP("Actions", "Show the graph without groups"), Kind::Grouping, needsGroups},
    {&Actions::nextGrouping, "group", QT_TRANSLATE_NOOP("Actions", "Cycle grouping"), {"Ctrl+G"},
     QT_TRANSLATE_NOOP("Actions", "Cycle between grouping by block, subgraph, module and fission region, and no groups"), Kind::Command, needsGroups},
    {&Actions::columns, "columns", QT_TRANSLATE_NOOP("Actions", "&Wrap into columns"), {"Ctrl+L"},
     QT_TRANSLATE_NOOP("Actions", "Wrap a long graph into columns"), Kind::Toggle, needsModel | isChecked},
    {&Actions::collapseAll, "collapse", QT_TRANSLATE_NOOP("Actions", "Co&llapse all"), {"Ctrl+Shift+-"},
     QT_TRANSLATE_NOOP("Actions", "Collapse every group into one node"), Kind::Command, needsGroups},
    {&Actions::expandAll, "expand", QT_TRANSLATE_NOOP("Actions", "E&xpand all"), {"Ctrl+Shift++", "Ctrl+Shift+="},
     QT_TRANSLATE_NOOP("Actions", "Show the nodes of every group"), Kind::Command, needsGroups},
    {&Actions::toggleGroup, "", QT_TRANSLATE_NOOP("Actions", "Collapse or expand gro&up"), {"Ctrl+B"},
     QT_TRANSLATE_NOOP("Actions", "Collapse or expand the selected group"), Kind::Command, needsGroups},
    {&Actions::onlyWay, "", QT_TRANSLATE_NOOP("Actions", "Expand only the pat&h to the selection"), {"Ctrl+Shift+B"},
     QT_TRANSLATE_NOOP("Actions", "Expand the groups that contain the selected item, and collapse all others"), Kind::Command, needsGroups},
    {&Actions::focus, "", QT_TRANSLATE_NOOP("Actions", "Show &neighbourhood of selection"), {"N"},
     QT_TRANSLATE_NOOP("Actions", "Show only the nodes within a few edges of the selected items")},
    {&Actions::focusMore, "", QT_TRANSLATE_NOOP("Actions", "&Extend neighbourhood"), {"."},
     QT_TRANSLATE_NOOP("Actions", "Show nodes one edge further away")},
    {&Actions::focusFewer, "", QT_TRANSLATE_NOOP("Actions", "&Reduce neighbourhood"), {","},
     QT_TRANSLATE_NOOP("Actions", "Hide the outermost nodes")},
    {&Actions::focusWays, "", QT_TRANSLATE_NOOP("Actions", "Show paths between selected items"), {"Shift+N"},
     QT_TRANSLATE_NOOP("Actions", "Show only the nodes on paths from one selected item to another")},
    {&Actions::focusAll, "", QT_TRANSLATE_NOOP("Actions", "Show all nodes"), {"Ctrl+Shift+N"},
     QT_TRANSLATE_NOOP("Actions", "Show the whole graph again (Esc on the canvas)")},
    {&Actions::layered, "", QT_TRANSLATE_NOOP("Actions", "La&yered layout"), {},
     QT_TRANSLATE_NOOP("Actions", "Use Graphloom's own layout, which is fast on thousands of nodes"), Kind::Layout, needsModel | isChecked},
    {&Actions::graphviz, "", QT_TRANSLATE_NOOP("Actions", "Graphvi&z layout"), {},
     QT_TRANSLATE_NOOP("Actions", "Use the layout of Graphviz' dot, for at most 500 visible nodes"), Kind::Layout, needsModel},
    {&Actions::colourByClass, "", QT_TRANSLATE_NOOP("Actions", "Colour by operator &class"), {},
     QT_TRANSLATE_NOOP("Actions", "Colour nodes by the class of their operator"), Kind::Colour, isChecked},
    {&Actions::colourBySubgraph, "", QT_TRANSLATE_NOOP("Actions", "Colour by &subgraph"), {},
     QT_TRANSLATE_NOOP("Actions", "Give the nodes of each subgraph a colour of their own"), Kind::Colour},
    {&Actions::heat, "heat", QT_TRANSLATE_NOOP("Actions", "Colour by t&ime"), {"Ctrl+H"},
     QT_TRANSLATE_NOOP("Actions", "Colour nodes by the share of the run time that their kernel takes"), Kind::Toggle},
    {&Actions::colourByError, "verify", QT_TRANSLATE_NOOP("Actions", "Colour by &error"), {},
     QT_TRANSLATE_NOOP("Actions", "Colour nodes by the error of their tensors in the verification of the plan"), Kind::Toggle},
    {&Actions::loadData, "open", QT_TRANSLATE_NOOP("Actions", "Loa&d node data…"), {"Ctrl+Shift+D"},
     QT_TRANSLATE_NOOP("Actions", "Colour nodes by the columns of a CSV or JSON file, matched by node name"), Kind::Command, needsModel},
    {&Actions::removeData, "clear", QT_TRANSLATE_NOOP("Actions", "Remove node data"), {},
     QT_TRANSLATE_NOOP("Actions", "Remove the loaded node data files")},
    {&Actions::minimap, "map", QT_TRANSLATE_NOOP("Actions", "&Minimap"), {"Ctrl+M"},
     QT_TRANSLATE_NOOP("Actions", "Show an overview of the graph in the corner"), Kind::Toggle, isChecked},
    {&Actions::legend, "legend", QT_TRANSLATE_NOOP("Actions", "Legend"), {"Ctrl+Shift+L"},
     QT_TRANSLATE_NOOP("Actions", "Show the meaning of the colours"), Kind::Toggle, isChecked},
    {&Actions::themeSystem, "", QT_TRANSLATE_NOOP("Actions", "&System theme"), {},
     QT_TRANSLATE_NOOP("Actions", "Follow the desktop's dark or light setting"), Kind::Theme, isChecked},
    {&Actions::themeDark, "", QT_TRANSLATE_NOOP("Actions", "&Dark theme"), {},
     QT_TRANSLATE_NOOP("Actions", "Use light text on a dark background"), Kind::Theme},
    {&Actions::themeLight, "", QT_TRANSLATE_NOOP("Actions", "Ligh&t theme"), {},
     QT_TRANSLATE_NOOP("Actions", "Use dark text on a light background"), Kind::Theme},
    {&Actions::nextTheme, "theme", QT_TRANSLATE_NOOP("Actions", "S&witch theme"), {"Ctrl+T"},
     QT_TRANSLATE_NOOP("Actions", "Switch between the dark and the light theme")},
    {&Actions::preferences, "sliders", QT_TRANSLATE_NOOP("Actions", "Pr&eferences…"), {"Ctrl+,"},
     QT_TRANSLATE_NOOP("Actions", "Change theme, defaults and shortcuts; see folders and devices")},
    {&Actions::commands, "palette", QT_TRANSLATE_NOOP("Actions", "&Command palette…"), {"Ctrl+K"},
     QT_TRANSLATE_NOOP("Actions", "Run any command by name")},
    {&Actions::help, "help", QT_TRANSLATE_NOOP("Actions", "&Help"), {QKeySequence::HelpContents},
     QT_TRANSLATE_NOOP("Actions", "Show the user manual")},
    {&Actions::glossary, "list", QT_TRANSLATE_NOOP("Actions", "&Glossary"), {},
     QT_TRANSLATE_NOOP("Actions", "Explain the terms used in Graphloom, with the papers they come from")},
    {&Actions::keys, "", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"), {"?"},
     QT_TRANSLATE_NOOP("Actions", "List all commands with their shortcuts, to search, copy and print")},
    {&Actions::tour, "", QT_TRANSLATE_NOOP("Actions", "&Tour"), {"Ctrl+F1"},
     QT_TRANSLATE_NOOP("Actions", "Take a guided tour of the window with the sample model")},
    {&Actions::jobs, "", QT_TRANSLATE_NOOP("Actions", "&Background tasks"), {"Ctrl+Alt+B"},
     QT_TRANSLATE_NOOP("Actions", "Show the progress of background tasks, and cancel them")},
    {&Actions::notification, "", QT_TRANSLATE_NOOP("Actions", "Go to notification"), {"Ctrl+Alt+N"},
     QT_TRANSLATE_NOOP("Actions", "Move the focus to the newest notification, such as that of an export")},
    {&Actions::training, "", QT_TRANSLATE_NOOP("Actions", "Create training &graph…"), {},
     QT_TRANSLATE_NOOP("Actions", "Create a training step from the model: loss, gradients and updated weights"), Kind::Command, needsModel},
    {&Actions::whatsThis, "", QT_TRANSLATE_NOOP("Actions", "&What's this?"), {QKeySequence::WhatsThis},
     QT_TRANSLATE_NOOP("Actions", "Click something to see what it is")},
    {&Actions::about, "info", QT_TRANSLATE_NOOP("Actions", "&About Graphloom"), {},
     QT_TRANSLATE_NOOP("Actions", "Show the version and the licences")},
    {&Actions::maximizePanel, "maximize", QT_TRANSLATE_NOOP("Actions", "Ma&ximize panel"), {"Ctrl+Shift+M"},
     QT_TRANSLATE_NOOP("Actions", "Maximize the focused panel and its tab group, or restore the other panels"), Kind::Toggle},
    {&Actions::resetLayout, "reset", QT_TRANSLATE_NOOP("Actions", "&Reset panels"), {},
     QT_TRANSLATE_NOOP("Actions", "Move all panels back to their default places")},
};
// clang-format on

/// Returns a name for settings: that of the command in English, "save-session-as".
QString settingsNameOf(const char *text)
{
    QString name = QString::fromUtf8(text).toLower();
    name.remove(u'&').remove(u'…').remove(u'\'').remove(u'?');
    return name.replace(u' ', u'-');
}

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
        action->setObjectName(settingsNameOf(row.text));
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
            window, "", level == 0 ? tr("&0: collapse all") : tr("&%1 levels").arg(level),
            {level == 0 ? QKeySequence(tr("Ctrl+Shift+0")) // Ctrl+0 resets the zoom
                        : QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + int(level)))},
            level == 0 ? tr("Collapse every outermost group")
                       : tr("Expand nested groups to this level, and collapse those below"));
        levels[level]->setObjectName(QStringLiteral("expand-to-level-%1").arg(level));
        m_all.push_back(levels[level]);
    }
}

std::vector<QAction *> Actions::needModel() const
{
    return allWith(*this, needsModel);
}

std::vector<QAction *> Actions::needTabs() const
{
    return allWith(*this, needsTabs);
}

std::vector<QAction *> Actions::needGroups() const
{
    std::vector<QAction *> actions = allWith(*this, needsGroups);
    actions.insert(actions.end(), levels.begin(), levels.end());
    return actions;
}

} // namespace graphloom
