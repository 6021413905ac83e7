// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/worker.h" // views work in the background, too
