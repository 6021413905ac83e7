// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace graphloom {

/// Sets up what all tables of the window have in common: whole rows, one at a time; sorting by a
/// click on a header; rows of one height, so that a reset with thousands of rows is cheap.
void setUpTable(QTableView &table);

} // namespace graphloom
