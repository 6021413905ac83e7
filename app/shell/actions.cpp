// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/actions.h"

#include "app/style/icons.h"

#include <QMainWindow>
#include <QWhatsThis>

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

QAction *Actions::add(const char *icon, const QString &text, const QList<QKeySequence> &shortcuts,
                      const QString &meaning)
{
    m_all.push_back(makeAction(m_window, icon, text, shortcuts, meaning));
    return m_all.back();
}

QAction *Actions::addToggle(const char *icon, const QString &text,
                            const QList<QKeySequence> &shortcuts, const QString &meaning)
{
    QAction *action = add(icon, text, shortcuts, meaning);
    action->setCheckable(true);
    return action;
}

QAction *Actions::addChoice(QActionGroup &group, const QString &text, const QString &meaning)
{
    QAction *action = addToggle("", text, {}, meaning);
    group.addAction(action);
    return action;
}

Actions::Actions(QMainWindow &window) : m_window(window)
{
    using Key = QKeySequence;
    open = add("open", tr("&Open…"), {Key::Open}, tr("Open an ONNX model or a DOT graph"));
    save = add("save", tr("&Save session"), {Key::Save},
               tr("Write the model's plans, runs and views into a session file"));
    saveAs = add("", tr("Save session &as…"), {Key(tr("Ctrl+Shift+S"))},
                 tr("Write the session into another file"));
    saveEmbedded = add("", tr("Save session with &model…"), {},
                       tr("Write the session into a file that holds the model, too, so that it can "
                          "be given away"));
    recover = add("recent", tr("Reco&ver unsaved work"), {},
                  tr("Open what a program that did not end well left behind"));
    newWindow = add("", tr("&New window"), {Key::New}, tr("Open another window"));
    exportOnnx =
        add("export", tr("Export &ONNX…"), {Key(tr("Ctrl+E"))},
            tr("Write the plan as standard ONNX: each block or subgraph a local function"));
    exportPicture = add("picture", tr("Export &picture…"), {Key(tr("Ctrl+Shift+E"))},
                        tr("Write a picture of the view that has the focus as SVG or PNG"));
    exportTable = add("list", tr("Export &table…"), {Key(tr("Ctrl+Shift+T"))},
                      tr("Write the table of the view that has the focus as CSV or JSON"));
    exportDot = add("graph", tr("Export &DOT…"), {Key(tr("Ctrl+Alt+E"))},
                    tr("Write what is drawn in the language of Graphviz"));
    exportReport = add("list", tr("Export &report…"), {Key(tr("Ctrl+Alt+R"))},
                       tr("Write the figures of the model, the passes and the partition as JSON"));
    close = add("close", tr("&Close model"), {Key::Close}, tr("Close the model"));
    quit = add("", tr("&Quit"), {Key(tr("Ctrl+Q"))}, tr("Quit the program"));

    undo = add("undo", tr("&Undo"), {Key::Undo}, tr("Back to the plan before"));
    redo = add("redo", tr("&Redo"), {Key(tr("Ctrl+Shift+Z")), Key(tr("Ctrl+Y"))},
               tr("Forth to the plan after"));
    find = add("search", tr("&Find…"), {Key::Find}, tr("Find nodes by name, operator or tensor"));
    findNext = add("next", tr("Find &next"), {Key(Qt::Key_F3)}, tr("Select the next match"));
    findPrevious = add("previous", tr("Find &previous"), {Key(Qt::SHIFT | Qt::Key_F3)},
                       tr("Select the match before"));
    clearSelection =
        add("", tr("&Clear selection"), {Key(tr("Ctrl+Shift+A"))}, tr("Select nothing"));

    run = add("run", tr("&Run pass"), {Key(Qt::Key_F5), Key(tr("Ctrl+R"))},
              tr("Run the chosen pass on the plan"));
    runBeside = add("beside", tr("Run &beside"), {Key(tr("Ctrl+F5"))},
                    tr("Run the chosen pass while something else is done: its result waits in the "
                       "list of runs"));
    goOn = add("go-on", tr("Continue &search"), {Key(tr("Ctrl+Shift+F5"))},
               tr("Let the search that made this plan go on from where it ended"));
    hold = add("pause", tr("&Pause"), {Key(Qt::Key_F7)},
               tr("Hold the run that is followed, or let it go on; its clock stands still"));
    take = add("take", tr("&Take this one"), {Key(Qt::Key_F8)},
               tr("End the run, and make what it has found so far the plan"));
    takeRun =
        add("take", tr("Take its plan"), {}, tr("Make what the chosen run has found the plan"));
    holdRun = add("pause", tr("Pause or go on"), {}, tr("Hold the chosen runs, or let them go on"));
    stopRun = add("cancel", tr("Stop"), {},
                  tr("Stop the chosen runs: what they have by then is their result. Stopped twice, "
                     "a run is ended at once"));
    removeRun = add("clear", tr("Remove"), {},
                    tr("Take the chosen runs, if they have ended, off "
                       "the list"));
    cancel = add("cancel", tr("&Cancel"), {Key(tr("Shift+F5"))},
                 tr("Stop the work; the best so far, or what was measured, is kept"));

    runHere = add("machine", tr("Run on this &machine"), {Key(Qt::Key_F6)},
                  tr("Build the plan for this machine, measure it, and show the time of each "
                     "kernel"));
    tuneHere = add("tune", tr("&Tune kernels on this machine"), {Key(tr("Shift+F6"))},
                   tr("Try schedules of the plan's kernels on this machine, take the fastest, and "
                      "measure the plan before and after"));

    compareOriginal =
        add("compare", tr("Compare with the &model as opened"), {Key(tr("Ctrl+D"))},
            tr("Show what passes and edits have changed: nodes, figures, and where nodes come "
               "from"));
    comparePrevious = add("", tr("Compare with the plan &before"), {Key(tr("Ctrl+Alt+D"))},
                          tr("Show what the last pass or edit has changed"));
    compareRun = add("compare", tr("Compare with &run"), {},
                     tr("Show what is different in the plan from what the chosen run has found"));
    compareFile = add("open", tr("Compare with &file…"), {},
                      tr("Show what is different from another model, or from the plan of a "
                         "session"));
    nextDifference = add("next", tr("&Next difference"), {Key(Qt::Key_F4)},
                         tr("Select what differs next between the plans that are compared"));
    previousDifference = add("previous", tr("&Previous difference"), {Key(Qt::SHIFT | Qt::Key_F4)},
                             tr("Select what differs before"));
    showOriginals = add("", tr("Show &original nodes"), {Key(tr("O"))},
                        tr("Select the nodes of the model as opened whose work the selected node "
                           "does"));
    showSuccessors = add("", tr("Show what &became of it"), {Key(tr("Shift+O"))},
                         tr("Select the nodes that do the work of the selected node of the "
                            "comparison now"));
    endComparison = add("clear", tr("&End the comparison"), {},
                        tr("Show the plan alone again, also in the memory and Pareto panels"));
    openNested = add("into", tr("&Open nested graph"), {Key(tr("Alt+Down"))},
                     tr("Show a graph that the selected node holds, such as the body of a loop"));
    goUp = add("up", tr("Graph &around"), {Key(tr("Alt+Up")), Key(Qt::Key_Backspace)},
               tr("Show the graph that holds the node this one is nested in"));
    goBack = add("back", tr("&Back"), {Key(tr("Alt+Left"))}, tr("Show the graph shown before"));
    goForward = add("forward", tr("&Forward"), {Key(tr("Alt+Right"))},
                    tr("Show the graph shown before going back"));

    zoomIn = add("zoom-in", tr("Zoom &in"), {Key(tr("Ctrl++")), Key(tr("Ctrl+="))}, tr("Zoom in"));
    zoomOut = add("zoom-out", tr("Zoom &out"), {Key(tr("Ctrl+-"))}, tr("Zoom out"));
    zoomNormal = add("", tr("&Actual size"), {Key(tr("Ctrl+0"))}, tr("Zoom to 100 %"));
    fit = add("fit", tr("&Fit"), {Key(tr("F"))}, tr("Show the whole graph"));
    zoomSelection = add("search", tr("Zoom to &selection"), {Key(tr("Shift+F"))},
                        tr("Bring the selected item to the middle"));
    auto *groupings = new QActionGroup(&window);
    groupBlocks = addChoice(*groupings, tr("Boxes around fusion &blocks"),
                            tr("Draw the fusion blocks as boxes in the colours of their mapping "
                               "types"));
    groupSubgraphs = addChoice(*groupings, tr("Boxes around sub&graphs"),
                               tr("Draw the subgraphs of the partition as boxes"));
    groupModules = addChoice(*groupings, tr("Boxes around &modules"),
                             tr("Draw the modules that the names of the nodes tell of as boxes in "
                                "boxes"));
    groupFissions = addChoice(*groupings, tr("Boxes around &fission regions"),
                              tr("Draw the regions that are cut into parts to save memory, and "
                                 "candidates for that, as boxes in boxes"));
    groupNone = addChoice(*groupings, tr("N&o boxes"), tr("Draw the graph without boxes"));
    nextGrouping =
        add("group", tr("Other boxes"), {Key(tr("Ctrl+G"))},
            tr("Change between boxes around blocks, subgraphs, modules, fission regions, "
               "and none"));
    columns = addToggle("columns", tr("Break into &columns"), {Key(tr("Ctrl+L"))},
                        tr("Break a long graph into columns, like text in a newspaper"));
    collapseAll = add("collapse", tr("Co&llapse all boxes"), {Key(tr("Ctrl+Shift+-"))},
                      tr("Draw every block, subgraph or module as one node"));
    expandAll =
        add("expand", tr("E&xpand all boxes"), {Key(tr("Ctrl+Shift++")), Key(tr("Ctrl+Shift+="))},
            tr("Draw the nodes of every block, subgraph or module"));
    toggleGroup = add("", tr("Colla&pse or expand the selected box"), {Key(tr("Ctrl+B"))},
                      tr("Draw the selected block, subgraph or module as one node, or open it"));

    for (std::size_t level = 0; level < levels.size(); ++level)
        levels[level] =
            add("", level == 0 ? tr("&0: close all") : tr("&%1 levels of boxes").arg(level),
                {Key(Qt::CTRL | Qt::Key(Qt::Key_0 + int(level)))},
                level == 0 ? tr("Draw every outer box as one node")
                           : tr("Open boxes in boxes so many levels deep, and close those below"));
    // Ctrl+0 is for the size.
    levels[0]->setShortcut(Key(tr("Ctrl+Shift+0")));
    onlyWay = add("", tr("Open only the &way to the selection"), {Key(tr("Ctrl+Shift+B"))},
                  tr("Open the boxes around the selected item, and close all others"));
    focus = add("", tr("Show the &neighbourhood of the selection"), {Key(tr("N"))},
                tr("Show only what is within some steps of the selected items, up and down"));
    focusMore = add("", tr("One step &more"), {Key(tr("."))},
                    tr("Show nodes one step further up and down"));
    focusFewer =
        add("", tr("One step &less"), {Key(tr(","))}, tr("Show nodes one step less up and down"));
    focusWays = add("", tr("Show the ways between the selected items"), {Key(tr("Shift+N"))},
                    tr("Show only the nodes on ways from one selected item to another"));
    focusAll = add("", tr("Show all nodes again"), {Key(tr("Ctrl+Shift+N"))},
                   tr("End the view of a part of the graph (Esc on the canvas)"));

    auto *layouts = new QActionGroup(&window);
    layered = addChoice(*layouts, tr("&Layered layout"),
                        tr("Own layout, made for graphs of thousands of nodes"));
    graphviz = addChoice(*layouts, tr("Graph&viz layout"),
                         tr("Layout by Graphviz' dot, for at most 500 visible nodes"));
    auto *colours = new QActionGroup(&window);
    colourByClass = addChoice(*colours, tr("Colour by operator &class"),
                              tr("Nodes have the colours of the legend"));
    colourBySubgraph =
        addChoice(*colours, tr("Colour by &subgraph"), tr("Nodes of one subgraph have one colour"));
    heat = addToggle("heat", tr("Colour by &time"), {Key(tr("Ctrl+H"))},
                     tr("Nodes have the colour of their kernel's share of the time, once the plan "
                        "was run"));
    loadData = add("open", tr("Load data about &nodes…"), {Key(tr("Ctrl+Shift+D"))},
                   tr("Colour nodes by columns of a CSV or JSON file of your own, by their names"));
    removeData = add("clear", tr("Remove data about nodes"), {},
                     tr("Forget the files that were loaded to colour nodes by"));
    minimap = addToggle("map", tr("&Minimap"), {Key(tr("Ctrl+M"))},
                        tr("Show the whole graph in a corner"));
    legend = addToggle("legend", tr("L&egend"), {Key(tr("Ctrl+Shift+L"))},
                       tr("Show what the colours mean"));
    auto *themes = new QActionGroup(&window);
    themeSystem =
        addChoice(*themes, tr("Theme of the &system"), tr("Dark or light as the desktop is"));
    themeDark = addChoice(*themes, tr("&Dark theme"), tr("Light text on dark ground"));
    themeLight = addChoice(*themes, tr("Ligh&t theme"), tr("Dark text on light ground"));
    nextTheme =
        add("theme", tr("S&witch theme"), {Key(tr("Ctrl+T"))}, tr("Change between dark and light"));

    commands = add("palette", tr("&Command palette…"), {Key(tr("Ctrl+K"))},
                   tr("Run any command by its name"));
    help = add("help", tr("&Help"), {Key::HelpContents}, tr("How to use the program"));
    glossary = add("list", tr("&Glossary"), {},
                   tr("What the terms of the window mean, and which paper they are from"));
    keys = add("", tr("&Keyboard shortcuts"), {Key(tr("?"))},
               tr("All commands with their keys, to search, copy and print"));
    tour = add("", tr("&Tour"), {Key(tr("Ctrl+F1"))},
               tr("A walk through the window on a model that comes with it; while it goes on, to "
                  "its note"));
    jobs = add("", tr("Background &work"), {Key(tr("Ctrl+Alt+B"))},
               tr("All that goes on in the background: how far it is, and what stops it"));
    training = add("", tr("Training &graph…"), {},
                   tr("Make a step of training of the model: a loss, the gradients and the new "
                      "weights"));
    whatsThis = add("", tr("&What's this?"), {Key::WhatsThis},
                    tr("Click on something to learn what it is"));
    about = add("info", tr("&About Graphloom"), {}, tr("Version and licences"));
    resetLayout =
        add("reset", tr("&Reset panels"), {}, tr("Put all panels back to their first places"));
    QObject::connect(whatsThis, &QAction::triggered, &window,
                     [] { QWhatsThis::enterWhatsThisMode(); });

    groupBlocks->setChecked(true);
    columns->setChecked(true);
    layered->setChecked(true);
    colourByClass->setChecked(true);
    minimap->setChecked(true);
    legend->setChecked(true);
    themeSystem->setChecked(true);
}

std::vector<QAction *> Actions::needModel() const
{
    return {save,          saveAs,         saveEmbedded, exportOnnx, exportPicture, exportTable,
            exportDot,     exportReport,   close,        find,       loadData,      findNext,
            findPrevious,  clearSelection, zoomIn,       zoomOut,    zoomNormal,    fit,
            zoomSelection, columns,        layered,      graphviz,   training};
}

std::vector<QAction *> Actions::needGroups() const
{
    std::vector<QAction *> actions{groupNone, nextGrouping, collapseAll,
                                   expandAll, toggleGroup,  onlyWay};
    actions.insert(actions.end(), levels.begin(), levels.end());
    return actions;
}

} // namespace graphloom
