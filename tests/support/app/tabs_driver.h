// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/shell/main_window.h"
#include "app/shell/tabbed_window.h"
#include "tests/support/app/window_driver.h"

#include <initializer_list>

namespace graphloom::test {

/// Drives a window with tabs, with settings and journals of its own, on an offscreen platform.
class TabsDriver {
public:
    explicit TabsDriver(std::vector<PassPlugin> plugins = {},
                        ThemeChoice theme = ThemeChoice::Dark);

    TabbedWindow &window() { return *m_window; }
    MainWindow &tab(int index) { return m_window->tab(index); }

    /// Opens files as the user does, and waits until all models are there. Returns false if one
    /// cannot be opened.
    bool open(const std::vector<std::filesystem::path> &files);
    /// Copies the smallest sample to a place below the folder of the driver: "a/model.onnx".
    std::filesystem::path model(const std::string &place) const;
    /// Opens one such model for each place.
    bool openModels(std::initializer_list<const char *> places);
    /// Waits until the current tab is painted, and no tab has work to do.
    bool settle();
    /// Changes the plan of a tab, so that it has unsaved work.
    bool change(int tab);
    QStringList titles();
    /// Clicks into the middle of a tab.
    void click(int tab, Qt::MouseButton button = Qt::LeftButton);
    /// Presses keys where the focus is.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {});
    std::filesystem::path scratch(const std::string &name) const;
    std::filesystem::path journals() const { return scratch("journals"); }
    /// Replaces the window by another one.
    void restart();
    /// Does the same as after a crash, which leaves so many journals of unsaved work. Returns false
    /// if the window does not write them.
    bool crash(int journals);

private:
    int journalCount() const;
    bool isBackingUp();

    QTemporaryDir m_folder;
    std::vector<PassPlugin> m_plugins;
    ThemeChoice m_theme;
    std::unique_ptr<TabbedWindow> m_window;
};

} // namespace graphloom::test
