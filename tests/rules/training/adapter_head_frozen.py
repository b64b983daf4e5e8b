import timm
from peft import LoraConfig, TaskType, get_peft_model
from transformers import (
    AutoModelForAudioClassification,
    AutoModelForCausalLM,
    AutoModelForImageClassification,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    ViTForImageClassification,
)

CHECKPOINT = "google/vit-base-patch16-224-in21k"
TARGETS = ["query", "value"]


def pictures(labels):
    model = AutoModelForImageClassification.from_pretrained(CHECKPOINT, num_labels=len(labels))
    config = LoraConfig(r=16, target_modules=["query", "value"])  # expect: DP975
    model = get_peft_model(model, config)
    model.print_trainable_parameters()
    return model


def pictures_by_names(labels):
    model = ViTForImageClassification.from_pretrained(CHECKPOINT, id2label=dict(enumerate(labels)))
    return get_peft_model(model, LoraConfig(r=8, target_modules=TARGETS, task_type=None))  # expect: DP975


def make_config():
    return LoraConfig(r=8, target_modules=TARGETS, task_type="FEATURE_EXTRACTION")  # expect: DP975


def by_function(labels):
    model = AutoModelForTokenClassification.from_pretrained("roberta-base", num_labels=len(labels))
    return get_peft_model(model, make_config())


class Texts:
    def __init__(self, labels):
        self.config = LoraConfig(r=8, target_modules=TARGETS, task_type=TaskType.CAUSAL_LM)  # expect: DP975
        base = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=len(labels))
        self.model = get_peft_model(base, peft_config=self.config)


def sounds(labels):
    options = {"r": 8, "target_modules": ["q_proj", "v_proj"]}
    model = AutoModelForAudioClassification.from_pretrained("facebook/wav2vec2-base", num_labels=len(labels))
    return get_peft_model(model, LoraConfig(**options))  # expect: DP975


def timm_pictures(labels):
    model = timm.create_model("vit_base_patch16_224", pretrained=True, num_classes=len(labels))
    return get_peft_model(model, LoraConfig(r=8, target_modules=["qkv"]))  # expect: DP975


# Right: the head is saved, PEFT knows the task, the head is adapted itself, or there is no new head.


def saved(labels):
    model = AutoModelForImageClassification.from_pretrained(CHECKPOINT, num_labels=len(labels))
    return get_peft_model(model, LoraConfig(r=16, target_modules=TARGETS, modules_to_save=["classifier"]))


def saved_by_options(labels):
    options = dict(r=16, target_modules=TARGETS, modules_to_save=["classifier"])
    model = AutoModelForImageClassification.from_pretrained(CHECKPOINT, num_labels=len(labels))
    return get_peft_model(model, LoraConfig(**options))


def by_task(labels):
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=len(labels))
    return get_peft_model(model, LoraConfig(task_type=TaskType.SEQ_CLS, r=8, target_modules=TARGETS))


def by_token_task(labels):
    model = AutoModelForTokenClassification.from_pretrained("roberta-base", num_labels=len(labels))
    return get_peft_model(model, LoraConfig(task_type="TOKEN_CLS", r=8))


def adapted(labels):
    model = AutoModelForImageClassification.from_pretrained(CHECKPOINT, num_labels=len(labels))
    return get_peft_model(model, LoraConfig(r=16, target_modules=["query", "value", "classifier"]))


def everything(labels):
    model = AutoModelForImageClassification.from_pretrained(CHECKPOINT, num_labels=len(labels))
    return get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))


def trained_head():
    model = AutoModelForImageClassification.from_pretrained("google/vit-base-patch16-224")
    return get_peft_model(model, LoraConfig(r=16, target_modules=TARGETS))


def language():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    return get_peft_model(model, LoraConfig(r=16, task_type="CAUSAL_LM"))


def chosen(labels, config):
    model = AutoModelForImageClassification.from_pretrained(CHECKPOINT, num_labels=len(labels))
    return get_peft_model(model, config)
