"""The same for programs whose loop belongs to a library: Lightning, Accelerate and the Trainer of Transformers. Each library has its structures and its
mistakes."""
from .program import DATA, IMPORTS, NET, indented, loader

PROGRAMS = []  # (structure, mistake, codes, text)


def text(*parts):
    return "\n".join(parts) + "\n"


def block(head, lines):
    return "\n".join([head, *indented(lines)]) + "\n"


# ---- Lightning ------------------------------------------------------------------------------------------------------

TRAINING = ["x, y = batch", "loss = self.criterion(self.net(x), y)", 'self.log("train_loss", loss)', "return loss"]
VALIDATION = ["x, y = batch", "loss = self.criterion(self.net(x), y)", 'self.log("val_loss", loss)']
OPTIMIZERS = ["return torch.optim.AdamW(self.parameters(), lr=1e-3)"]
FIT = ["trainer = pl.Trainer(max_epochs=90, precision=\"bf16-mixed\")", "trainer.fit(model, train_loader, val_loader)"]

LIGHTNING = {
    "clean": ("", {}),
    "item": ("DP402", {"training": [*TRAINING[:2], 'self.log("train_loss", loss.item())', TRAINING[3]]}),
    "print_loss": ("DP402", {"training": [*TRAINING[:3], "print(float(loss))", TRAINING[3]]}),
    "no_loss": ("DP936", {"training": TRAINING[:3]}),
    "kept": ("DP279", {"init": ["self.outputs = []"], "training": [*TRAINING[:3], "self.outputs.append(loss.detach())", TRAINING[3]],
                       "hooks": ["", "def on_train_epoch_end(self):", "    print(torch.stack(self.outputs).mean())"]}),
    "own_backward": ("DP833", {"training": [*TRAINING[:3], "loss.backward()", TRAINING[3]]}),
    "cpu_noise": ("DP401", {"training": [TRAINING[0], "x = x + 0.1 * torch.randn(x.shape).to(self.device)", *TRAINING[1:]]}),
    "softmax": ("DP801", {"training": [TRAINING[0], "loss = self.criterion(torch.softmax(self.net(x), dim=1), y)", *TRAINING[2:]]}),
    "plateau_without_monitor": ("DP938", {"optimizers": [
        "optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)",
        "scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)",
        'return {"optimizer": optimizer, "lr_scheduler": scheduler}']}),
    "monitor_not_logged": ("DP937", {"fit": [
        'stop = pl.callbacks.EarlyStopping(monitor="val_accuracy", mode="max")',
        'trainer = pl.Trainer(max_epochs=90, precision="bf16-mixed", callbacks=[stop])', FIT[1]]}),
    "vector_logged": ("DP880", {"training": [
        TRAINING[0], "losses = F.cross_entropy(self.net(x), y, reduction=\"none\")", 'self.log("train_loss", losses)',
        "return losses.mean()"]}),
    "synced": ("DP410", {"training": [*TRAINING[:2], 'self.log("train_loss", loss, sync_dist=True)', TRAINING[3]]}),
    "schedule_per_epoch": ("DP834", {"optimizers": [
        "optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)",
        "steps = self.trainer.estimated_stepping_batches",
        "scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=steps)",
        "return [optimizer], [scheduler]"]}),
    "no_workers": ("DP130", {"train_loader": loader("train", num_workers=None, persistent_workers=None)}),
    "anomaly": ("DP136", {"fit": ['trainer = pl.Trainer(max_epochs=90, precision="bf16-mixed", detect_anomaly=True)', FIT[1]]}),
    "seed_in_step": ("DP927", {"training": ["torch.manual_seed(0)", *TRAINING]}),
}


def lightning_parts(parts):
    return {"init": [], "training": TRAINING, "validation": VALIDATION, "optimizers": OPTIMIZERS, "fit": FIT,
            "train_loader": loader("train"), "val_loader": loader("val"), **parts}


def methods(p, training="training_step"):
    return ["", f"def {training}(self, batch, batch_idx):", *indented(p["training"]), "",
            "def validation_step(self, batch, batch_idx):", *indented(p["validation"]), "",
            "def configure_optimizers(self):", *indented(p["optimizers"]), *p.get("hooks", [])]


def init(p, rest=()):
    return ["def __init__(self, net):", *indented(["super().__init__()", "self.net = net", "self.criterion = nn.CrossEntropyLoss()",
                                                   *p["init"], *rest])]


HEADER = "import pytorch_lightning as pl\n" + IMPORTS + DATA + NET
LOADERS = ["train_loader = {train_loader}", "val_loader = {val_loader}"]


def main(lines):
    return block("\ndef main():", lines) + '\n\nif __name__ == "__main__":\n    main()\n'


def loaders(p):
    return [line.format(**p) for line in LOADERS]


def lightning(p):
    return text(HEADER, block("\nclass Task(pl.LightningModule):", [*init(p), *methods(p)]),
                main(["model = Task(Net())", *loaders(p), *p["fit"]]))


def lightning_base(p):
    """The steps are in a base class, the rest in a derived one."""
    step = methods(p)
    at = step.index("def configure_optimizers(self):")
    return text(HEADER, block("\nclass Base(pl.LightningModule):", [*init(p), *step[:at]]),
                block("\nclass Task(Base):", step[at:]), main(["model = Task(Net())", *loaders(p), *p["fit"]]))


def lightning_data(p):
    """A data module makes the loaders."""
    data = ["def train_dataloader(self):", "    return " + p["train_loader"], "", "def val_dataloader(self):",
            "    return " + p["val_loader"]]
    fit = [line.replace("train_loader, val_loader", "datamodule=Data()") for line in p["fit"]]
    return text(HEADER, block("\nclass Data(pl.LightningDataModule):", data),
                block("\nclass Task(pl.LightningModule):", [*init(p), *methods(p)]), main(["model = Task(Net())", *fit]))


def lightning_shared(p):
    """training_step() leaves the work to a method of its own."""
    step = methods(p, "_step")
    return text(HEADER, block("\nclass Task(pl.LightningModule):", [
        *init(p), *step, "", "def training_step(self, batch, batch_idx):", "    return self._step(batch, batch_idx)"]),
        main(["model = Task(Net())", *loaders(p), *p["fit"]]))


for build in (lightning, lightning_base, lightning_data, lightning_shared):
    for name, (codes, parts) in LIGHTNING.items():
        PROGRAMS.append((build.__name__, name, codes, build(lightning_parts(parts))))

# ---- Accelerate -----------------------------------------------------------------------------------------------------

STEP = ["out = model(x)", "loss = criterion(out, y)", "accelerator.backward(loss)", "optimizer.step()", "optimizer.zero_grad()"]
PREPARED = "model, optimizer, train_loader, val_loader = accelerator.prepare(model, optimizer, train_loader, val_loader)"
ACCELERATE = {
    "clean": ("", {}),
    "backward_past": ("DP879", {"made": 'Accelerator(mixed_precision="fp16")', "step": [*STEP[:2], "loss.backward()", *STEP[3:]]}),
    "clip_past": ("DP838", {"step": [*STEP[:3], "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)", *STEP[3:]],
                            "made": 'Accelerator(mixed_precision="fp16")'}),
    "never_accumulated": ("DP831", {"made": 'Accelerator(mixed_precision="bf16", gradient_accumulation_steps=4)'}),
    "not_prepared": ("DP848", {"prepared": "model, optimizer = accelerator.prepare(model, optimizer)",
                               "move": ["x, y = x.to(accelerator.device), y.to(accelerator.device)"]}),
    "item": ("DP402", {"step": [*STEP, "print(loss.item())"]}),
    "total": ("DP230", {"before": ["total = 0.0"], "step": [*STEP, "total = total + loss"], "after": ["print(total)"]}),
    "no_zero_grad": ("DP805", {"step": STEP[:4]}),
    "no_eval": ("DP813", {"eval_before": []}),
    "no_no_grad": ("DP232", {"context": "if True:"}),
    "gathered_twice": ("DP837", {"gather": "accelerator.gather((pred, y))"}),
}


def accelerate_parts(parts):
    return {"made": 'Accelerator(mixed_precision="bf16")', "prepared": PREPARED, "move": [], "before": [], "step": STEP, "after": [],
            "eval_before": ["model.eval()"], "context": "with torch.no_grad():", "gather": "accelerator.gather_for_metrics((pred, y))",
            **parts}


def accelerate_loops(p, train, val):
    return ([*p["before"], "model.train()", f"for x, y in {train}:", *indented([*p["move"], *p["step"]]), *p["after"]],
            [*p["eval_before"], "correct = []", p["context"], f"    for x, y in {val}:",
             *indented([*p["move"], "pred = model(x).argmax(dim=1)", f"pred, y = {p['gather']}", "correct.append(pred == y)"], 2)])


ACCELERATE_MADE = ["model = Net()", "criterion = nn.CrossEntropyLoss()", "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)"]
ACCELERATE_HEADER = "from accelerate import Accelerator\n" + IMPORTS + DATA + NET


def accelerate(p):
    train, evaluate = accelerate_loops(p, "train_loader", "val_loader")
    return text(ACCELERATE_HEADER, main([f"accelerator = {p['made']}", *ACCELERATE_MADE, "train_loader = " + loader("train"),
                                         "val_loader = " + loader("val"), p["prepared"], "for epoch in range(90):",
                                         *indented([*train, *evaluate, "print(epoch, torch.cat(correct).float().mean().item())"])]))


def accelerate_functions(p):
    train, evaluate = accelerate_loops(p, "loader", "loader")
    return text(ACCELERATE_HEADER, block("\ndef train(accelerator, model, loader, criterion, optimizer):", train),
                block("\ndef evaluate(accelerator, model, loader):", [*evaluate, "return torch.cat(correct).float().mean().item()"]),
                main([f"accelerator = {p['made']}", *ACCELERATE_MADE, "train_loader = " + loader("train"),
                      "val_loader = " + loader("val"), p["prepared"], "for epoch in range(90):",
                      "    train(accelerator, model, train_loader, criterion, optimizer)",
                      "    print(epoch, evaluate(accelerator, model, val_loader))"]))


for build in (accelerate, accelerate_functions):
    for name, (codes, parts) in ACCELERATE.items():
        PROGRAMS.append((build.__name__, name, codes, build(accelerate_parts(parts))))

# ---- The Trainer of Transformers ------------------------------------------------------------------------------------

HF_HEADER = """import numpy as np
import torch
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
                          TrainingArguments)

"""
ARGUMENTS = {"output_dir": '"out"', "num_train_epochs": "3", "per_device_train_batch_size": "32", "bf16": "True",
             "dataloader_num_workers": "4", "eval_strategy": '"epoch"', "save_strategy": '"epoch"'}
ENCODE = ["return tokenizer(batch[\"sentence\"], truncation=True)"]
COMPUTE = ["labels = inputs.pop(\"labels\")", "outputs = model(**inputs)",
           "loss = torch.nn.functional.cross_entropy(outputs.logits, labels)",
           "return (loss, outputs) if return_outputs else loss"]
TRAINER = {
    "clean": ("", {}),
    "map_per_example": ("DP142", {"map": 'data.map(encode)'}),
    "padded": ("DP150", {"encode": ['return tokenizer(batch["sentence"], truncation=True, padding="max_length", max_length=512)']}),
    "frequent": ("DP184", {"arguments": {"eval_strategy": '"steps"', "save_strategy": '"steps"', "eval_steps": "5", "save_steps": "5"}}),
    "best_unmatched": ("DP931", {"arguments": {"load_best_model_at_end": "True", "save_strategy": '"steps"', "save_steps": "500"}}),
    "no_outputs": ("DP944", {"compute": [*COMPUTE[:3], "return loss"]}),
    "softmax": ("DP801", {"compute": [*COMPUTE[:2],
                                      "loss = torch.nn.functional.cross_entropy(outputs.logits.softmax(-1), labels)", COMPUTE[3]]}),
    "item": ("DP402", {"compute": [*COMPUTE[:3], "print(loss.item())", COMPUTE[3]]}),
    "half_twice": ("DP522", {"model": 'AutoModelForSequenceClassification.from_pretrained(NAME, torch_dtype=torch.float16)',
                             "arguments": {"bf16": None, "fp16": "True"}}),
}


def trainer_text(p, inside):
    settings = {**ARGUMENTS, **p.get("arguments", {})}
    given = ", ".join(f"{name}={value}" for name, value in settings.items() if value is not None)
    model = p.get("model", "AutoModelForSequenceClassification.from_pretrained(NAME)")
    prepare = ["tokenizer = AutoTokenizer.from_pretrained(NAME)", 'data = load_dataset("glue", "sst2")', "", "def encode(batch):",
               *indented(p.get("encode", ENCODE)), "", "data = " + p.get("map", "data.map(encode, batched=True)")]
    name = "WeightedTrainer" if "compute" in p else "Trainer"
    fit = [f"model = {model}", f"args = TrainingArguments({given})",
           f"trainer = {name}(model=model, args=args, train_dataset=data[\"train\"], eval_dataset=data[\"validation\"], "
           "data_collator=DataCollatorWithPadding(tokenizer))", "trainer.train()"]
    compute = block("\nclass WeightedTrainer(Trainer):", [
        "def compute_loss(self, model, inputs, return_outputs=False, **kwargs):", *indented(p["compute"])]) if "compute" in p else ""
    constant = '\nNAME = "distilbert-base-uncased"\n'
    if inside:
        return text(HF_HEADER, constant, compute, main([*prepare, *fit]))
    return text(HF_HEADER, constant, compute, *prepare, *fit)


def hf_trainer(p):
    return trainer_text(p, True)


def hf_script(p):
    return trainer_text(p, False)


for build in (hf_trainer, hf_script):
    for name, (codes, parts) in TRAINER.items():
        PROGRAMS.append((build.__name__, name, codes, build(parts)))
