# SPDX-License-Identifier: Apache-2.0
"""Why a figure cannot be had."""


class Missing(Exception):
    """Something is not on this machine: software, a model, a switch of the program."""


class Failed(Exception):
    """Something is there, but has not worked."""
