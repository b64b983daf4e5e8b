import argparse

from transformers import Seq2SeqTrainingArguments, TrainingArguments

only_evaluated = TrainingArguments("a", eval_strategy="epoch", load_best_model_at_end=True)  # expect: DP931
only_saved = TrainingArguments("a", save_strategy="epoch", load_best_model_at_end=True)  # expect: DP931
old = TrainingArguments(  # expect: DP931
    "a", evaluation_strategy="steps", eval_steps=100, save_strategy="epoch", load_best_model_at_end=True  # expect: DP303
)
text = Seq2SeqTrainingArguments("a", eval_strategy="steps", eval_steps=300, load_best_model_at_end=True)  # expect: DP931
settings = {"eval_strategy": "epoch", "load_best_model_at_end": True}
from_settings = TrainingArguments("a", **settings)  # expect: DP931

both = TrainingArguments("a", eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True)
steps = TrainingArguments("a", eval_strategy="steps", eval_steps=250, load_best_model_at_end=True)
not_asked = TrainingArguments("a", eval_strategy="epoch")
best = TrainingArguments("a", eval_strategy="epoch", save_strategy="best", load_best_model_at_end=True)

parser = argparse.ArgumentParser()
parser.add_argument("--strategy", default="epoch")
options = parser.parse_args()
chosen = TrainingArguments("a", eval_strategy=options.strategy, load_best_model_at_end=True)
