// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace graphloom {

/// What all tables of the window have in common: whole rows, one at a time; sorted by a click on
/// a header; rows of one height, so that a reset with thousands of rows costs nothing.
void setUpTable(QTableView &table);

} // namespace graphloom
