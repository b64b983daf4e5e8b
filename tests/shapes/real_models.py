#!/usr/bin/env python3
"""Shapes and parameter counts of torchvision's models and of nanoGPT, against the published numbers.

usage: real_models.py DEEPPERF_BINARY TORCHVISION_FOLDER [NANOGPT_FOLDER] [--only PART_OF_A_NAME] [--verbose]

TORCHVISION_FOLDER holds the package's source (the folder `torchvision` itself, for instance of a checkout of pytorch/vision or of
Debian's python3-torchvision), NANOGPT_FOLDER a checkout of karpathy/nanoGPT. Nothing of them is run: for each model a program of
three lines is written next to a copy of the source, and `deepperf shapes` says what comes out. The published numbers of
parameters are read from the source, where torchvision keeps them with the weights; nanoGPT's is the one of its notebook.
Also none of the rules DP601 to DP614 may report anything in the source. Exit code 77 if the folder is not there.
"""

import argparse
import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RULES = ",".join(f"DP6{number:02}" for number in range(1, 15))
NANOGPT = 124337664  # transformer_sizing.ipynb
RESNET50_NORMS = 53120  # weights and biases of the batch norms of a ResNet-50

# Models that have no published number for exactly these arguments are left out: quantized ones, video, optical flow.
CLASSIFIERS = ["alexnet", "convnext", "densenet", "efficientnet", "googlenet", "inception", "maxvit", "mnasnet", "mobilenetv2",
               "mobilenetv3", "regnet", "resnet", "shufflenetv2", "squeezenet", "swin_transformer", "vgg", "vision_transformer"]


def published(path):
    """{name of a function that makes a model: number of its parameters} of a source file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    numbers = {}  # (weights class, member) → number
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or not node.name.endswith("Weights"):
            continue
        for member in node.body:
            if not isinstance(member, ast.Assign) or not isinstance(member.targets[0], ast.Name):
                continue
            for part in ast.walk(member.value):
                if isinstance(part, ast.Dict):
                    for key, value in zip(part.keys, part.values):
                        if isinstance(key, ast.Constant) and key.value == "num_params" and isinstance(value, ast.Constant):
                            numbers[node.name, member.targets[0].id] = value.value
    models = {}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            for part in ast.walk(decorator):
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and (part.value.id, part.attr) in numbers:
                    models[node.name] = numbers[part.value.id, part.attr]
        if node.name not in models and any("register_model" in ast.dump(d) for d in node.decorator_list):
            # Newer models have no legacy interface; all weights of a class are for one size.
            for argument in node.args.args + node.args.kwonlyargs:
                text = ast.dump(argument.annotation) if argument.annotation else ""
                for (weights, _), number in numbers.items():
                    if f"'{weights}'" in text:
                        models.setdefault(node.name, number)
    return models


def cases(torchvision, nanogpt):
    """(name, lines of the program, {value: shape}, number of parameters or None)"""
    for module in CLASSIFIERS:
        for name, number in published(torchvision / "models" / f"{module}.py").items():
            side = {"inception_v3": 299, "vit_h_14": 518}.get(name, 224)
            arguments = "image_size=518" if name == "vit_h_14" else ""
            if name in ("googlenet", "inception_v3"):
                # The published weights are of the model with its auxiliary heads; outputs of evaluation have no aux.
                arguments = "init_weights=False, aux_logits=True" if name == "inception_v3" else "init_weights=False, aux_logits=False"
            yield name, [f"from torchvision.models.{module} import {name}", f"model = {name}({arguments}).eval()",
                         f"y = model(torch.rand(2, 3, {side}, {side}))"], {"y": [2, 1000]}, number
    for module in ("fcn", "deeplabv3", "lraspp"):
        for name, number in published(torchvision / "models/segmentation" / f"{module}.py").items():
            arguments = "weights_backbone=None" + ("" if module == "lraspp" else ", aux_loss=True")
            yield name, [f"from torchvision.models.segmentation.{module} import {name}", f"model = {name}({arguments}).eval()",
                         "y = model(torch.rand(2, 3, 224, 224))['out']"], {"y": [2, 21, 224, 224]}, number
    for module, name, shape in (("faster_rcnn", "fasterrcnn_resnet50_fpn", [2, 256, 56, 56]), ("mask_rcnn", "maskrcnn_resnet50_fpn", [2, 256, 56, 56]),
                                ("keypoint_rcnn", "keypointrcnn_resnet50_fpn", [2, 256, 56, 56]), ("retinanet", "retinanet_resnet50_fpn", [2, 256, 28, 28]),
                                ("fcos", "fcos_resnet50_fpn", [2, 256, 28, 28])):
        # The published weights are of a backbone whose batch norms are frozen, which makes buffers of their parameters. Without
        # weights they are parameters.
        number = published(torchvision / "models/detection" / f"{module}.py")[name] + RESNET50_NORMS
        yield name, [f"from torchvision.models.detection.{module} import {name}",
                     f"model = {name}(weights_backbone=None).eval()", "features = model.backbone(torch.rand(2, 3, 224, 224))",
                     "y = features['0']"], {"y": shape}, number
    if nanogpt:
        yield "nanoGPT", ["from model import GPT, GPTConfig", "model = GPT(GPTConfig(vocab_size=50257, bias=False))",
                          "ids = torch.zeros(4, 64, dtype=torch.long)", "y, loss = model(ids, ids)"], {"y": [4, 64, 50257]}, NANOGPT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("torchvision", type=pathlib.Path)
    parser.add_argument("nanogpt", type=pathlib.Path, nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    if not (options.torchvision / "models/resnet.py").exists():
        print(f"skipped: there is no torchvision in {options.torchvision}")
        sys.exit(77)
    right, wrong = [], []
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        shutil.copytree(options.torchvision, folder / "torchvision", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        if options.nanogpt:
            shutil.copy(options.nanogpt / "model.py", folder / "model.py")
        for name, lines, shapes, number in cases(options.torchvision, options.nanogpt):
            if options.only not in name:
                continue
            (folder / f"use_{name}.py").write_text("\n".join(["import torch", *lines, ""]))
            result = subprocess.run([binary, "shapes", "--format", "json", f"use_{name}.py"], cwd=folder, capture_output=True, text=True)
            problems = []
            try:
                root = next(one for one in json.loads(result.stdout.splitlines()[0])["roots"] if one["name"] == "<module>")
            except (StopIteration, IndexError, ValueError):
                wrong.append(f"{name}: no answer ({result.returncode}): {(result.stderr or result.stdout).strip()[:200]}")
                continue
            values = {value["name"]: value["shape"] for value in root["values"]}
            for value, shape in shapes.items():
                if values.get(value) != shape:
                    problems.append(f"{value} is {values.get(value)}, not {shape}")
            if number is not None and root["parameters"] != number:
                problems.append(f"{root['parameters']} parameters, and {number} are published")
            problems += [f"{p['code']} in line {p['line']}: {p['message']}" for p in root["problems"]]
            if problems and root.get("lost"):
                problems.append(f"lost in {root['lost']['file']}:{root['lost']['line']}: {root['lost']['operation']}")
            (wrong if problems else right).append(f"{name}: {'; '.join(problems)}" if problems else name)
        check = subprocess.run([binary, "check", "--no-cache", "--format", "json", "--select", RULES, "."], cwd=folder,
                               capture_output=True, text=True)
        findings = json.loads(check.stdout)["findings"]
    print(f"{len(right)} of {len(right) + len(wrong)} models as published; {len(findings)} findings")
    if options.verbose:
        print("right:", ", ".join(right))
    for line in wrong:
        print("  " + line)
    for finding in findings:
        print(f"  {finding['path']}:{finding['line']}: {finding['code']} {finding['message']}")
    sys.exit(1 if wrong or findings else 0)


if __name__ == "__main__":
    main()
