// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/results/pass_run.h"

namespace graphloom {

/// The runs of passes, one a row; each has what makes it what it is, and how far it is.
class RunModel final : public TableModel {
    Q_OBJECT

public:
    enum Column {
        Number,
        Pass,
        Settings,
        State,
        Best,
        States,
        StatesPerSecond,
        Seconds,
        Began,
        ColumnCount
    };

    explicit RunModel(QObject *parent = nullptr);

    /// Adds the run, or takes over what has become of it.
    void set(const PassRun &run);
    void remove(int number);
    const PassRun &runAt(int row) const { return m_runs[std::size_t(row)]; }
    /// -1 when there is no such run.
    int rowOfRun(int number) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant value(int row, int column) const override;
    /// What the search's costs are.
    QString provenance(int row) const override;

protected:
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;

private:
    std::vector<PassRun> m_runs;
};

/// What came of a run in one line: "peak 0.334, latency 1.096 of the original (modelled)".
QString resultText(const PassRun &run);
/// States that a search looked at in a second; 0 while that is not known.
double statesPerSecond(const SearchRecord &record);

/// Why a search did not take what it looked at, one reason a row.
class RefusalModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Reason, Count, Share, Example, ColumnCount };

    explicit RefusalModel(QObject *parent = nullptr);
    void setRecord(std::shared_ptr<const SearchRecord> record);

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant value(int row, int column) const override;

protected:
    QString text(int row, int column) const override;

private:
    const SearchRecord::Refusal &at(int row) const { return m_record->refusals[std::size_t(row)]; }
    double shareOf(int row) const;

    std::shared_ptr<const SearchRecord> m_record;
};

} // namespace graphloom
