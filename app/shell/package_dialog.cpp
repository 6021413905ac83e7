// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/package_dialog.h"

#include "engine/package/staged_package.h"

#include <QDir>
#include <QMessageBox>
#include <QPushButton>

namespace graphloom {

PackageDialog::PackageDialog(const QString &name, QWidget *parent)
    : QFileDialog(parent, tr("Export a package"))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setAcceptMode(AcceptSave);
    setOption(DontUseNativeDialog); // its rules are others: a folder is never what is saved
    setOption(DontConfirmOverwrite);
    setNameFilters({tr("Folders (*)")});
    setLabelText(FileName, tr("Folder:"));
    selectFile(name);
}

void PackageDialog::accept()
{
    const QString chosen = selectedFiles().value(0);
    const QDir folder(chosen);
    if (chosen.isEmpty() || !folder.exists() || !StagedPackage::check(chosen.toStdString()))
        QFileDialog::accept();
    else if (folder.isEmpty())
        take(chosen);
    else
        askToReplace(chosen);
}

void PackageDialog::askToReplace(const QString &folder)
{
    auto *box = new QMessageBox(
        QMessageBox::Question, tr("Replace the package"),
        tr("%1 holds a package. Do you want to replace it?").arg(QDir::toNativeSeparators(folder)),
        QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("All files in the folder will be removed."));
    const QPushButton *replace = box->addButton(tr("Replace"), QMessageBox::AcceptRole);
    connect(replace, &QPushButton::clicked, this, [this, folder] { take(folder); });
    box->open();
}

void PackageDialog::take(const QString &folder)
{
    Q_EMIT fileSelected(folder);
    QDialog::accept();
}

} // namespace graphloom
