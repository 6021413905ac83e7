// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/tabs_driver.h"

#include <QSignalSpy>

namespace graphloom::test {

TabsDriver::TabsDriver(std::vector<PassPlugin> plugins, ThemeChoice theme)
    : m_plugins(std::move(plugins)), m_theme(theme)
{
    restart();
}

void TabsDriver::restart()
{
    silencePlatform();
    m_window.reset();
    MainWindowOptions options;
    options.plugins = m_plugins;
    options.settingsFile = QString::fromStdString(scratch("settings.ini").string());
    options.profile = scratch("profile.sqlite");
    options.journals = journals();
    options.theme = m_theme;
    m_window = std::make_unique<TabbedWindow>(std::move(options));
    m_window->resize(1600, 1000);
    m_window->show();
    m_window->activateWindow();
    static_cast<void>(QTest::qWaitForWindowActive(m_window.get()));
}

bool TabsDriver::crash(int journals)
{
    namespace fs = std::filesystem;
    if (!QTest::qWaitFor([&] { return journalCount() == journals; }, patience) ||
        !QTest::qWaitFor([&] { return !isBackingUp(); }, patience))
        return false;
    // What a crash would leave: the journals, which nobody has locked.
    const fs::path kept = scratch("kept");
    fs::copy(this->journals(), kept);
    for (int tab = 0; tab < m_window->count(); ++tab)
        this->tab(tab).session().discardJournal();
    // A journal is several files, which are removed one after the other.
    if (!QTest::qWaitFor([&] { return fs::is_empty(this->journals()); }, patience))
        return false;
    for (const auto &entry : fs::directory_iterator(kept))
        fs::copy(entry.path(), this->journals() / entry.path().filename(),
                 fs::copy_options::overwrite_existing);
    restart();
    return true;
}

int TabsDriver::journalCount() const
{
    int count = 0;
    std::error_code failed;
    for (const auto &entry : std::filesystem::directory_iterator(journals(), failed))
        count += entry.path().extension() == ".journal";
    return count;
}

bool TabsDriver::isBackingUp()
{
    for (int tab = 0; tab < m_window->count(); ++tab)
        if (this->tab(tab).bench().jobs.rowCount() > 0)
            return true;
    return false;
}

bool TabsDriver::open(const std::vector<std::filesystem::path> &files)
{
    m_window->open(files);
    const auto isOpen = [this](const std::filesystem::path &file) {
        for (int tab = 0; tab < m_window->count(); ++tab)
            if (Session &session = this->tab(tab).session();
                session.snapshot() && (session.path() == file || session.file() == file))
                return true;
        return false;
    };
    return QTest::qWaitFor([&] { return std::ranges::all_of(files, isOpen); }, patience) &&
           settle();
}

std::filesystem::path TabsDriver::model(const std::string &place) const
{
    const std::filesystem::path file = scratch(place);
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::copy_file(sample("bert_tiny.onnx"), file,
                               std::filesystem::copy_options::overwrite_existing);
    return file;
}

bool TabsDriver::openModels(std::initializer_list<const char *> places)
{
    std::vector<std::filesystem::path> files;
    for (const char *place : places)
        files.push_back(model(place));
    return open(files);
}

bool TabsDriver::settle()
{
    QTest::qWait(0);
    return QTest::qWaitFor(
        [this] {
            for (int tab = 0; tab < m_window->count(); ++tab)
                if (this->tab(tab).bench().isAtWork())
                    return false;
            return m_window->current().isSettled();
        },
        patience);
}

bool TabsDriver::change(int index)
{
    Session &session = tab(index).session();
    QSignalSpy edited(&session, &Session::editingFinished);
    session.edit(QStringLiteral("Forget subgraphs"), [](Plan plan) {
        plan.partition = nullptr;
        return plan;
    });
    return (!edited.isEmpty() || edited.wait(patience)) && session.isModified();
}

QStringList TabsDriver::titles()
{
    QStringList titles;
    for (int tab = 0; tab < m_window->count(); ++tab)
        titles << m_window->bar().tabText(tab);
    return titles;
}

void TabsDriver::click(int tab, Qt::MouseButton button)
{
    QTest::mouseClick(&m_window->bar(), button, {}, m_window->bar().tabRect(tab).center());
}

void TabsDriver::press(Qt::Key key, Qt::KeyboardModifiers modifiers)
{
    QWidget *focus = m_window->focusWidget();
    QTest::keyClick(focus ? focus : m_window.get(), key, modifiers);
}

std::filesystem::path TabsDriver::scratch(const std::string &name) const
{
    return std::filesystem::path(m_folder.path().toStdString()) / name;
}

} // namespace graphloom::test
