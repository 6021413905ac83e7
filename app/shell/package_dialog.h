// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileDialog>

namespace graphloom {

/// Asks for the folder of a package: a new one, an empty one, or that of another package, which is
/// replaced if the user confirms it. Other folders are opened in the dialog.
class PackageDialog final : public QFileDialog {
    Q_OBJECT

public:
    /// `name` is the name of a new folder.
    explicit PackageDialog(const QString &name, QWidget *parent = nullptr);

    void accept() override;

private:
    void askToReplace(const QString &folder);
    void take(const QString &folder);
};

} // namespace graphloom
