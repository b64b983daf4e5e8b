import lightgbm as lgb
import pandas as pd
import torch
import xgboost as xgb
from accelerate import Accelerator
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import mean_squared_error
from sklearn.preprocessing import OneHotEncoder
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("x", load_in_8bit=True)  # expect: DP303
small = AutoModelForCausalLM.from_pretrained("x", quantization_config=BitsAndBytesConfig(load_in_8bit=True))
arguments = TrainingArguments("out", evaluation_strategy="no")  # expect: DP303
newer = TrainingArguments("out", eval_strategy="no", per_device_train_batch_size=2)


def trainers(data, tokenizer, build):
    old = Trainer(model, arguments, train_dataset=data, tokenizer=tokenizer)  # expect: DP303
    new = Trainer(model, arguments, train_dataset=data, processing_class=tokenizer)
    return old, new, build(tokenizer=tokenizer, load_in_8bit=True), Accelerator(split_batches=True)


def tables(path):
    rows = pd.read_csv(path, error_bad_lines=False)  # expect: DP303
    rows["x"] = rows["x"].fillna(method="ffill")  # expect: DP303
    rows["x"].ffill()
    return rows.groupby("x").sum(), rows.sum(level=0)  # expect: DP303


def boosted(data, labels, valid):
    a = lgb.train({}, data, valid_sets=[valid], early_stopping_rounds=10)  # expect: DP303
    b = xgb.XGBClassifier(early_stopping_rounds=10)
    b.fit(data, labels, eval_set=[valid])
    c = xgb.XGBClassifier()
    c.fit(data, labels, early_stopping_rounds=10)  # expect: DP303
    d = xgb.train({}, data, early_stopping_rounds=10)
    return a, b, c, d


def classic(x, y):
    encoder = OneHotEncoder(sparse=False)  # expect: DP303
    boosting = AdaBoostClassifier(base_estimator=None)  # expect: DP303
    error = mean_squared_error(x, y, squared=False)  # expect: DP303
    return encoder, boosting, error, OneHotEncoder(sparse_output=False), mean_squared_error(x, y)


try:
    torch.onnx.export(model, (), "x.onnx", example_outputs=None)
except TypeError:
    torch.onnx.export(model, (), "x.onnx")
