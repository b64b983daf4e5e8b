import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from transformers import Seq2SeqTrainingArguments, TrainingArguments

METRIC = "eval_perplexity"
common = dict(eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True)

a = TrainingArguments("out", metric_for_best_model="wer", **common)  # expect: DP903
b = Seq2SeqTrainingArguments("out", metric_for_best_model="rouge1", greater_is_better=False, **common)  # expect: DP903
c = TrainingArguments("out", metric_for_best_model=METRIC, **common)  # expect: DP903
d = TrainingArguments("out", metric_for_best_model="eval_loss", greater_is_better=True, **common)  # expect: DP903
e = TrainingArguments("out", **common, **dict(metric_for_best_model="rmse"))  # expect: DP903

keep = ModelCheckpoint(monitor="val_acc", save_top_k=1)  # expect: DP903
stop = EarlyStopping("val/f1", patience=3)  # expect: DP903
wrong = ModelCheckpoint(monitor="val_loss", mode="max")  # expect: DP903
L.Trainer(callbacks=[keep, stop, wrong])

# ---- silent
f = TrainingArguments("out", metric_for_best_model="wer", greater_is_better=False, **common)
g = TrainingArguments("out", metric_for_best_model="accuracy", **common)
h = TrainingArguments("out", metric_for_best_model="eval_loss", **common)
i = TrainingArguments("out", metric_for_best_model="score", **common)
j = TrainingArguments("out", **common)
ModelCheckpoint(monitor="val_loss")
ModelCheckpoint(monitor="val_acc", mode="max")
EarlyStopping(monitor="val_loss", patience=3)


def chosen(name, mode):
    return ModelCheckpoint(monitor=name, mode=mode), ModelCheckpoint(monitor="val_acc", mode=mode)
