// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/run_window.h"

#include "app/batch/batch.h"
#include "app/common/translation.h"
#include "app/kernels/kernel_panel.h"
#include "app/memory/memory_panel.h"
#include "app/runs/pass_panel.h"
#include "app/shell/application.h"
#include "app/shell/main_window.h"
#include "app/shell/tabbed_window.h"
#include "app/shell/window_tour.h"
#include "app/start/named_exports.h"
#include "app/start/screenshot.h"
#include "app/tabs/window_place.h"

#include <QAbstractButton>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace graphloom {

namespace {

int refuse(const Error &error)
{
    std::cerr << textForUser(error) << '\n';
    return exitCodeOf(error.kind);
}

Result<std::optional<ThemeChoice>> themeOf(const std::string &name)
{
    if (name.empty())
        return std::nullopt;
    if (name == "dark")
        return ThemeChoice::Dark;
    if (name == "light")
        return ThemeChoice::Light;
    return fail(Error::Kind::Usage, "unknown theme \"" + name + "\"; available: dark, light");
}

/// Converts a budget; one of trials is limited to a day.
TuneLimits limitsOf(const Budget &budget)
{
    constexpr double day = 24 * 3600, most = 1e6;
    if (budget.unit == Budget::Unit::Trials)
        return {int(day), int(std::min(budget.amount, most))};
    return {int(std::ceil(std::min(budget.amount, day))), 0};
}

/// Returns the time of a search for less memory, by default for a first impression.
double searchSecondsOf(const std::optional<Budget> &budget)
{
    constexpr double usual = 5;
    return budget && budget->unit != Budget::Unit::Trials ? double(limitsOf(*budget).seconds)
                                                          : usual;
}

/// Drops the message of the offscreen platform about a missing window manager.
void withoutPlatformNotes(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (!text.startsWith(QLatin1String("This plugin does not support ")))
        std::cerr << "graphloom: " << qFormatLogMessage(type, context, text).toStdString() << '\n';
    if (type == QtFatalMsg)
        std::abort();
}

/// Holds the files that are written from one view.
struct Scene {
    std::string view;
    bool screenshot = false;
    std::vector<WindowOptions::Export> exports;
};

/// Returns a scene for each view, as if it were requested alone, or one scene with --view.
std::vector<Scene> scenesOf(const WindowOptions &options)
{
    std::vector<Scene> scenes;
    const auto sceneOf = [&](const std::string &view) -> Scene & {
        const auto found = std::ranges::find(scenes, view, &Scene::view);
        return found != scenes.end() ? *found : scenes.emplace_back(Scene{view, false, {}});
    };
    if (options.screenshot)
        sceneOf(options.view).screenshot = true;
    for (const WindowOptions::Export &wanted : options.exports)
        sceneOf(options.view.empty() ? namedView(wanted.view)->shown : options.view)
            .exports.push_back(wanted);
    return scenes;
}

/// Writes the files without a display and independently of the user's settings.
Result<void> writeUnseen(MainWindowOptions window, const WindowOptions &options)
{
    const QTemporaryDir settings;
    window.settingsFile = settings.filePath(QStringLiteral("settings.ini"));
    // Use an empty database, as earlier results would replace trials and change the pictures.
    if (!window.profile)
        window.profile = settings.filePath(QStringLiteral("profile.sqlite")).toStdString();
    GL_TRY_CONST(look, loadTheme(options.theme.empty() ? QStringLiteral("light")
                                                       : QString::fromStdString(options.theme)));
    if (!window.theme)
        window.theme = ThemeChoice::Dark;
    for (const Scene &scene : scenesOf(options)) {
        MainWindow shown(window);
        if (options.budget)
            shown.view<KernelPanel>().setLimits(limitsOf(*options.budget));
        if (isOfMemory(scene.view))
            prepareMemory(shown, searchSecondsOf(options.budget));
        GL_TRY(showView(shown, *options.document, scene.view, options.compare));
        if (scene.screenshot)
            GL_TRY(takeScreenshot(shown, *options.screenshot));
        for (const WindowOptions::Export &wanted : scene.exports) {
            shown.view<MemoryPanel>()
                .button(wanted.view == "arena" ? QStringLiteral("arena")
                                               : QStringLiteral("stacked"))
                ->click();
            const PictureOptions picture{.theme = *look, .scale = options.exportScale};
            GL_TRY(exportNamed(shown, wanted, picture));
        }
    }
    return {};
}

/// Tells whether the window only writes files and is never seen.
bool isUnseen(const WindowOptions &options)
{
    return options.screenshot || !options.exports.empty();
}

/// Returns why the options cannot be followed, as far as that is known without a window.
Result<void> checkOptions(const WindowOptions &options)
{
    GL_TRY(themeOf(options.theme));
    if (!passOf(options.view))
        return fail(
            Error::Kind::Usage,
            "unknown view \"" + options.view +
                "\"; available: model, modules, partition, blocks, fissions, rewriting, kernels, "
                "heat, roofline, timeline, tuning, memory, pareto, runs, compare, live, and "
                "figures of nodes such as macs");
    for (const WindowOptions::Export &wanted : options.exports)
        GL_TRY(checkExport(wanted));
    if (std::error_code failed; options.profile && options.view != "tuning" &&
                                !std::filesystem::exists(*options.profile, failed))
        return fail(Error::Kind::Missing, "profile database not found", options.profile->string());
    if (isUnseen(options) && !options.document)
        return fail(Error::Kind::Usage, "a picture or table requires a model or session");
    return {};
}

MainWindowOptions mainWindowOptions(const Application &application, const WindowOptions &options)
{
    MainWindowOptions window;
    window.plugins = ownPassPlugins();
    window.targets = ownTargetPlugins();
    window.missing = missingParts();
    window.theme = *themeOf(options.theme);
    window.import.inputShapes = options.inputShapes;
    window.import.batchSize = options.batchSize;
    window.training = options.training;
    window.profile = options.profile;
    window.systemIsDark = application.systemIsDark();
    return window;
}

/// Calls `then` as soon as the document is open.
template <class Then> void whenOpen(MainWindow &shown, Then then)
{
    QObject::connect(
        &shown.session(), &Session::openingFinished, &shown,
        [then = std::move(then)](bool succeeded) {
            if (succeeded)
                then();
        },
        Qt::SingleShotConnection);
}

/// Calls `then` after the first pass, with whether it succeeded.
template <class Then> void afterPass(MainWindow &shown, Then then)
{
    QObject::connect(
        &shown.session(), &Session::passFinished, &shown, std::move(then),
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
}

/// Chooses and runs the pass of a view, and raises the panels of its results.
void startView(MainWindow &shown, const WindowOptions &options)
{
    const std::string &view = options.view;
    const std::string_view pass = *passOf(view);
    if (pass.empty() || !shown.view<PassPanel>().choose(pass))
        return;
    if (isOfMemory(view)) {
        prepareMemory(shown, searchSecondsOf(options.budget));
        showMemory(shown, view);
        afterPass(shown, [&shown, view](bool) { showMemory(shown, view); });
    }
    whenOpen(shown, [&shown] { shown.bench().passes.run(); });
    if (isOfKernels(view)) {
        showKernels(shown, view);
        afterPass(shown, [&shown, view](bool succeeded) {
            if (succeeded)
                startKernels(shown, view);
        });
    }
}

/// Runs the window until it is closed.
int runVisible(MainWindowOptions window, const WindowOptions &options)
{
    window.journals = (QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                       QStringLiteral("/graphloom/unsaved"))
                          .toStdString();
    TabbedWindow tabs(std::move(window));
    MainWindow &shown = tabs.current(); // until events are handled
    if (options.budget)
        shown.view<KernelPanel>().setLimits(limitsOf(*options.budget));
    showOnScreen(tabs);
    shown.tour().offer();
    std::vector<std::filesystem::path> files = options.more;
    if (options.document)
        files.insert(files.begin(), *options.document);
    if (files.empty())
        tabs.restoreTabs();
    else
        tabs.open(files);
    if (options.document && options.compare)
        whenOpen(shown, [&shown, file = *options.compare] { startComparison(shown, file); });
    startView(shown, options);
    return Application::exec();
}

} // namespace

int runWindow(int argc, char **argv, const WindowOptions &options)
{
    if (const auto checked = checkOptions(options); !checked)
        return refuse(checked.error());
    if (isUnseen(options)) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(withoutPlatformNotes);
    }
    Application application(argc, argv);
    // Pictures do not depend on the locale. English also needs its plural forms.
    if (options.screenshot || !installTranslation(QLocale::system()))
        installTranslation(QLocale(QLocale::English));
    MainWindowOptions window = mainWindowOptions(application, options);
    if (!isUnseen(options))
        return runVisible(std::move(window), options);
    const auto written = writeUnseen(std::move(window), options);
    return written ? 0 : refuse(written.error());
}

} // namespace graphloom
