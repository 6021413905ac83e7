# SPDX-License-Identifier: Apache-2.0
"""Other runtimes on this machine, as runners of tests/bench/peers."""
import json
import shutil

from .failures import Missing
from .models import python_with
from .timing import Contestant


class Peers:
    def __init__(self, bench, python=None):
        """`bench` is the folder tests/bench; `python` an interpreter that has PyTorch."""
        self._bench = bench
        self._given = python
        self._torch = None  # not looked for yet

    def onnx_runtime(self, model, name="ONNX Runtime"):
        package = self._bench / "ort/node_modules/onnxruntime-node/package.json"
        node = shutil.which("node")
        if node is None:
            raise Missing("ONNX Runtime: Node.js is not installed")
        if not package.exists():
            raise Missing("ONNX Runtime: run `npm install --ignore-scripts` in tests/bench/ort")
        version = json.loads(package.read_text())["version"]
        return Contestant(name, [node, self._bench / "peers/ort_runner.mjs", model],
                          {"runner": "ort", "version": version})

    def torch_mobile(self, model):
        if self._torch is None:
            self._torch = python_with(["torch", "onnx"], self._given) or ""
        if not self._torch:
            raise Missing("Torch Mobile: no Python with torch and onnx (Debian: python3-torch, "
                          "python3-onnx)")
        return Contestant("Torch Mobile", [self._torch, self._bench / "peers/torch_runner.py", "mobile",
                                           model], {"runner": "torch mobile"})
