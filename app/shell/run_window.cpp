// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/run_window.h"

#include "app/batch/batch.h"
#include "app/kernels/kernel_panel.h"
#include "app/memory/memory_panel.h"
#include "app/runs/pass_panel.h"
#include "app/shell/application.h"
#include "app/shell/main_window.h"
#include "app/shell/named_exports.h"
#include "app/shell/screenshot.h"
#include "app/shell/translation.h"
#include "app/shell/window_tour.h"

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
    return fail(Error::Kind::Usage, "there is no theme \"" + name + "\"; dark and light are");
}

/// A budget of trials has a day.
TuneLimits limitsOf(const Budget &budget)
{
    constexpr double day = 24 * 3600, most = 1e6;
    if (budget.unit == Budget::Unit::Trials)
        return {int(day), int(std::min(budget.amount, most))};
    return {int(std::ceil(std::min(budget.amount, day))), 0};
}

/// Of a search for less memory, for a first look.
double searchSecondsOf(const std::optional<Budget> &budget)
{
    constexpr double usual = 5;
    return budget && budget->unit != Budget::Unit::Trials ? double(limitsOf(*budget).seconds)
                                                          : usual;
}

/// The offscreen platform remarks at every window that it has no window manager.
void withoutPlatformNotes(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (!text.startsWith(QLatin1String("This plugin does not support ")))
        std::cerr << "graphloom: " << qFormatLogMessage(type, context, text).toStdString() << '\n';
    if (type == QtFatalMsg)
        std::abort();
}

/// Views as they are shown for some of the files that are wanted.
struct Scene {
    std::string view;
    bool screenshot = false;
    std::vector<WindowOptions::Export> exports;
};

/// Each view in a window of its own, as if it were wanted alone; with --view all in one.
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

/// Without a display; the same files whatever this user's settings are.
Result<void> writeUnseen(MainWindowOptions window, const WindowOptions &options)
{
    const QTemporaryDir settings;
    window.settingsFile = settings.filePath(QStringLiteral("settings.ini"));
    // What is known already would not be tried, and what this user has measured would show.
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

} // namespace

int runWindow(int argc, char **argv, const WindowOptions &options)
{
    const auto theme = themeOf(options.theme);
    if (!theme)
        return refuse(theme.error());
    const auto pass = passOf(options.view);
    if (!pass)
        return refuse(
            {Error::Kind::Usage,
             "there is no view \"" + options.view +
                 "\"; model, modules, partition, blocks, fissions, rewriting, kernels, "
                 "heat, roofline, tuning, memory, pareto, runs, compare and figures such as macs "
                 "are",
             {},
             std::source_location::current()});
    for (const WindowOptions::Export &wanted : options.exports)
        if (auto checked = checkExport(wanted); !checked)
            return refuse(checked.error());
    if (std::error_code failed; options.profile && options.view != "tuning" &&
                                !std::filesystem::exists(*options.profile, failed))
        return refuse({Error::Kind::Missing, "there is no profile database here",
                       options.profile->string(), std::source_location::current()});
    const bool unseen = options.screenshot || !options.exports.empty();
    if (unseen) {
        if (!options.document)
            return refuse({Error::Kind::Usage,
                           "a picture or table needs a model to show",
                           {},
                           std::source_location::current()});
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(withoutPlatformNotes);
    }

    Application application(argc, argv);
    // Pictures are the same everywhere. Whoever has no translation gets English plurals.
    if (options.screenshot || !installTranslation(QLocale::system()))
        installTranslation(QLocale(QLocale::English));
    MainWindowOptions window;
    window.plugins = ownPassPlugins();
    window.targets = ownTargetPlugins();
    window.missing = missingParts();
    window.theme = *theme;
    window.import.inputShapes = options.inputShapes;
    window.import.batchSize = options.batchSize;
    window.training = options.training;
    window.profile = options.profile;
    window.systemIsDark = application.systemIsDark();
    if (unseen) {
        const auto written = writeUnseen(std::move(window), options);
        return written ? 0 : refuse(written.error());
    }
    window.journals = (QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                       QStringLiteral("/graphloom/unsaved"))
                          .toStdString();
    MainWindow shown(std::move(window));
    if (options.budget)
        shown.view<KernelPanel>().setLimits(limitsOf(*options.budget));
    shown.showOnScreen();
    shown.tour().offer();
    if (options.document)
        shown.bench().documents.open(*options.document);
    if (options.document && options.compare) // as soon as the model is there
        QObject::connect(
            &shown.session(), &Session::openingFinished, &shown,
            [&shown, file = *options.compare](bool succeeded) {
                if (succeeded)
                    startComparison(shown, file);
            },
            Qt::SingleShotConnection);
    if (!pass->empty() && shown.view<PassPanel>().choose(*pass)) {
        if (isOfMemory(options.view)) {
            prepareMemory(shown, searchSecondsOf(options.budget));
            showMemory(shown, options.view);
            QObject::connect(
                &shown.session(), &Session::passFinished, &shown,
                [&shown, view = options.view] { showMemory(shown, view); },
                static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
        }
        // As soon as the model is there.
        QObject::connect(
            &shown.session(), &Session::openingFinished, &shown,
            [&shown](bool succeeded) {
                if (succeeded)
                    shown.bench().passes.run();
            },
            Qt::SingleShotConnection);
        if (isOfKernels(options.view)) {
            showKernels(shown, options.view);
            QObject::connect(
                &shown.session(), &Session::passFinished, &shown,
                [&shown, view = options.view](bool succeeded) {
                    if (succeeded)
                        startKernels(shown, view);
                },
                static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
        }
    }
    return Application::exec();
}

} // namespace graphloom
