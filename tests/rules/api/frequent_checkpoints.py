"""Checkpoints and evaluations every few steps."""
from dataclasses import dataclass

from transformers import Seq2SeqTrainingArguments, TrainingArguments

arguments = TrainingArguments("out", save_steps=5)  # expect: DP184
evaluates = Seq2SeqTrainingArguments("out", eval_strategy="steps", eval_steps=10)  # expect: DP184
unclear = TrainingArguments("out", save_steps=20)  # hint: DP184


@dataclass
class Settings:
    save_every: int = 4


def from_settings(settings: Settings):
    return TrainingArguments("out", save_strategy="steps", save_steps=settings.save_every)  # expect: DP184


main = from_settings(Settings())
right = TrainingArguments("out", save_steps=1000)
by_epoch = TrainingArguments("out", save_strategy="epoch", save_steps=5)
no_evaluation = TrainingArguments("out", eval_steps=5)
a_test = TrainingArguments("out", max_steps=20, save_steps=10)
