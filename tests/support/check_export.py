#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs onnx.checker on model files: check_export.py FILE.onnx...

Exit code 0 when all pass, 1 when one does not, 77 when the onnx module is not installed.
"""
import sys

try:
    import onnx
    import onnx.checker
except ImportError:
    print("the Python module onnx is not installed (Debian: python3-onnx)", file=sys.stderr)
    sys.exit(77)


def main(paths):
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    failed = False
    for path in paths:
        try:
            # By path, so that external data is looked for beside the model.
            onnx.checker.check_model(path)
        except Exception as error:  # the checker raises several kinds
            failed = True
            print(f"{path}: {error}")
        else:
            print(f"{path}: ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
