# SPDX-License-Identifier: Apache-2.0
"""What the benches of all papers share: running the program and its peers, keeping what was measured,
and writing it as text, CSV and HTML."""
