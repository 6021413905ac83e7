#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models and expected values of tests/engine/autodiff/golden_test.cpp.

Each model is exported as ONNX as it is for inference; PyTorch then takes one step of training with
SGD and one with Adam, of which the loss, the gradients' effect on all weights and the running
statistics go into a JSON file. Needed once, where a model changes: python3-torch.

    tests/support/training_golden.py tests/engine/autodiff/golden
"""
import copy
import json
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F

RATE = 0.1
# ONNX's Adam adds its epsilon of 1e-8 before the correction of the second moment, PyTorch behind it.
EPSILON = 1e-8 / (1 - 0.999) ** 0.5


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(5, 6), nn.Linear(6, 3)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


class Residual(nn.Module):
    """Convolution, batch normalization, pooling, a residual, a classifier."""

    def __init__(self):
        super().__init__()
        self.stem, self.stem_norm = nn.Conv2d(2, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3)
        self.conv, self.norm = nn.Conv2d(3, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3)
        self.down, self.down_norm = nn.Conv2d(3, 4, 1, stride=2), nn.BatchNorm2d(4)
        self.depthwise = nn.Conv2d(4, 4, 3, padding=1, groups=4)
        self.classify = nn.Linear(4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.stem_norm(self.stem(x))), 3, stride=2, padding=1)
        x = F.relu(x + self.norm(self.conv(x)))
        x = F.hardswish(self.depthwise(self.down_norm(self.down(x))))
        return self.classify(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class Decoder(nn.Module):
    """A language model of one block, as GPT: logits by position."""

    def __init__(self, vocabulary=7, positions=4, width=4, heads=2):
        super().__init__()
        self.heads = heads
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(positions, width)
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.register_buffer("mask", torch.tril(torch.ones(positions, positions)).bool())

    def forward(self, ids):
        n, s = ids.shape
        x = self.tokens(ids) + self.places(torch.arange(s).unsqueeze(0))
        y = self.qkv(self.norm_1(x)).view(n, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = y[0] @ y[1].transpose(-1, -2) / 1.5
        scores = torch.where(self.mask, scores, torch.tensor(-1e4))
        y = (F.softmax(scores, -1) @ y[2]).transpose(1, 2).reshape(n, s, -1)
        x = x + self.join(y)
        return self.head(x + self.down(F.gelu(self.up(self.norm_2(x)))))


class Encoder(nn.Module):
    """Hidden states: a projection, Gelu by tanh, a normalization."""

    def __init__(self):
        super().__init__()
        self.dense, self.norm = nn.Linear(3, 5), nn.LayerNorm(5)

    def forward(self, x):
        x = self.dense(x)
        x = 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * torch.pow(x, 3.0))))
        return self.norm(x)


class Segmentation(nn.Module):
    """Down and up again, by a transposed convolution and by interpolation; classes by pixel."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 2, 3, padding=1), nn.Conv2d(2, 3, 3, padding=1)
        self.up = nn.ConvTranspose2d(3, 2, 2, stride=2)
        self.smooth = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.last = nn.Conv2d(7, 2, 1)

    def forward(self, x):
        a = F.silu(self.first(x))
        b = F.leaky_relu(self.second(F.max_pool2d(a, 2)))
        return self.last(torch.cat([a, self.up(b), self.smooth(b)], 1))


def cross_entropy(y, labels):
    return F.cross_entropy(y.reshape(-1, y.shape[-1]), labels.reshape(-1)) if y.dim() == 3 \
        else F.cross_entropy(y, labels)


def step(model, batchnorm, x, labels, loss_of, make_optimizer):
    model = copy.deepcopy(model).train(batchnorm == "batch")
    optimizer = make_optimizer(model.parameters())
    loss = loss_of(model(x), labels)
    loss.backward()
    optimizer.step()
    return loss.item(), {name: p.detach() for name, p in model.named_parameters()}


def tensor(t):
    values = [int(v) for v in t.flatten()] if t.dtype == torch.int64 \
        else [float("%.8g" % v) for v in t.flatten()]
    return {"shape": list(t.shape), "data": values}


def write(folder, name, model, x, labels, loss_of, modes=("batch",)):
    # Not trained, but not as they begin either: scales of 1 and shifts of 0 hide mistakes.
    with torch.no_grad():
        for key, value in model.state_dict().items():
            if value.dtype.is_floating_point and value.dim() == 1:
                value.add_(torch.rand_like(value) * 0.5)
    model.eval()
    path = os.path.join(folder, name)
    # Preserve: the exporter then leaves batch normalization beside convolutions.
    torch.onnx.export(model, (x,), path + ".onnx", opset_version=13, input_names=["x"],
                      output_names=["y"], do_constant_folding=False,
                      training=torch.onnx.TrainingMode.PRESERVE)
    result = {"x": tensor(x), "labels": tensor(labels), "rate": RATE, "modes": {}}
    for mode in modes:
        loss, sgd = step(model, mode, x, labels, loss_of,
                         lambda p: torch.optim.SGD(p, lr=RATE))
        _, adam = step(model, mode, x, labels, loss_of,
                       lambda p: torch.optim.Adam(p, lr=RATE, eps=EPSILON))
        result["modes"][mode] = {
            "loss": loss,
            "sgd": {key: tensor(value) for key, value in sgd.items()},
            "adam": {key: tensor(value) for key, value in adam.items()}}
    with open(path + ".json", "w") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


def main():
    folder = sys.argv[1]
    torch.manual_seed(3)
    write(folder, "mlp", Mlp(), torch.randn(4, 5), torch.tensor([0, 2, 1, 2]), cross_entropy)
    write(folder, "residual", Residual(), torch.randn(3, 2, 8, 8), torch.tensor([1, 0, 2]),
          cross_entropy, ("batch", "frozen"))
    write(folder, "decoder", Decoder(), torch.randint(7, (2, 4)), torch.randint(7, (2, 4)),
          cross_entropy)
    write(folder, "encoder", Encoder(), torch.randn(2, 3, 3), torch.randn(2, 3, 5), F.mse_loss)
    write(folder, "segmentation", Segmentation(), torch.randn(2, 1, 4, 4),
          torch.randint(2, (2, 4, 4)), cross_entropy)


if __name__ == "__main__":
    main()
