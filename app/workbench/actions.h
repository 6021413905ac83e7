// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QObject>

#include <array>
#include <vector>

class QMainWindow;
class QMenu;

namespace graphloom {

/// Creates an action of the window. Its shortcuts work without a menu, too; `meaning` is its
/// tooltip, status tip and What's This text.
QAction *makeAction(QMainWindow &window, const char *icon, const QString &text,
                    const QList<QKeySequence> &shortcuts, const QString &meaning);
/// Returns the name of a command for the middle of a text, such as "Undo channels last (NHWC)":
/// only the first letter is made small.
QString nameInText(const QAction &action);
/// Changes the tooltip and the status tip of an action.
void setMeaning(QAction &action, const QString &meaning);

/// Holds every command of the window, with its icon, shortcut and help, in the order of the menus.
/// The window connects the commands.
struct Actions {
    Q_DECLARE_TR_FUNCTIONS(Actions)

public:
    explicit Actions(QMainWindow &window);

    QAction *newWindow, *nextTab, *previousTab, *closeOthers, *moveTab, *copyPath, *showInFolder;
    QAction *save, *saveAs, *saveEmbedded, *recover;
    QAction *open, *reopen, *exportOnnx, *exportPicture, *exportTable, *exportDot, *exportReport,
        *exportHtml, *exportTensor, *exportTrace, *close, *quit;
    QAction *undo, *redo, *history, *copyPicture, *paste, *find, *findNext, *findPrevious,
        *clearSelection, *inspectTensor;
    QAction *run, *runBeside, *goOn, *hold, *take, *cancel, *runHere, *runBesideOriginal, *tuneHere,
        *verify, *exportPackage;
    QAction *takeRun, *holdRun, *stopRun, *removeRun; // of the list of runs
    QAction *compareOriginal, *comparePrevious, *compareRun, *compareFile, *nextDifference,
        *previousDifference, *showOriginals, *showSuccessors, *endComparison;
    QAction *sideBySide, *linkSides, *switchSide; // of a comparison
    QAction *openNested, *goUp, *goBack, *goForward;
    QAction *zoomIn, *zoomOut, *zoomNormal, *fit, *zoomSelection;
    QAction *groupNone, *groupBlocks, *groupSubgraphs, *groupModules, *groupFissions, *nextGrouping,
        *columns, *collapseAll, *expandAll, *toggleGroup;
    std::array<QAction *, 5> levels;
    QAction *onlyWay, *focus, *focusMore, *focusFewer, *focusWays, *focusAll;
    QAction *layered, *graphviz;
    QAction *colourByClass, *colourBySubgraph, *heat, *colourByError, *loadData, *removeData;
    QAction *minimap, *legend;
    QAction *themeSystem, *themeDark, *themeLight, *nextTheme;
    QAction *commands, *preferences, *help, *glossary, *keys, *tour, *whatsThis, *about,
        *maximizePanel, *resetLayout;
    QAction *jobs, *notification, *training, *inputShapes, *runOnInputs;

    /// Returns the actions that need an open model, and are disabled without one.
    std::vector<QAction *> needModel() const;
    /// Returns the actions that need subgraphs or fusion blocks.
    std::vector<QAction *> needGroups() const;
    /// Returns the actions that need several open models.
    std::vector<QAction *> needTabs() const;
    std::vector<QAction *> all() const { return m_all; }

private:
    void addLevels(QMainWindow &window);

    std::vector<QAction *> m_all;
};

} // namespace graphloom
