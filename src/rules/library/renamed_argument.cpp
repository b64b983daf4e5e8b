#include "rules/api_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::renamed_argument {

using namespace python;

namespace {

struct RenamedArgument {
  std::string_view api; // a whole name, or a prefix that ends in a dot
  std::string_view keyword;
  std::string_view package;
  std::string_view since;        // deprecated since that version
  std::string_view instead;      // what to write
  std::string_view renamed_to;   // a keyword that takes the same values; empty if there is none
  std::string_view removed = {}; // since that version the call fails
};

// Sources: the release notes of torchvision 0.13 and 0.14, PyTorch 0.4.1 and 2.2, Keras 2.3 and 3, Transformers 4.41
// and 4.46, Lightning's upgrade guides to 2.0.
constexpr auto kArguments = std::to_array<RenamedArgument>({
    {"torchvision.models.", "pretrained", "torchvision", "0.13", "`weights=\"IMAGENET1K_V1\"`, or `weights=None`", ""},
    {"torch.nn.", "size_average", "torch", "0.4.1", "`reduction=\"mean\"` or `reduction=\"sum\"`", ""},
    {"torch.nn.", "reduce", "torch", "0.4.1", "`reduction=\"none\"`", ""},
    {"torch.optim.lr_scheduler.", "verbose", "torch", "2.2", "`get_last_lr()` to read the rate", ""},
    {"tensorflow.keras.optimizers.", "lr", "tensorflow", "2.0", "`learning_rate=`", "learning_rate", "2.16"},
    {"transformers.TrainingArguments", "evaluation_strategy", "transformers", "4.41", "`eval_strategy=`",
     "eval_strategy", "4.46"},
    {"transformers.Seq2SeqTrainingArguments", "evaluation_strategy", "transformers", "4.41", "`eval_strategy=`",
     "eval_strategy", "4.46"},
    {"transformers.Trainer", "tokenizer", "transformers", "4.46", "`processing_class=`", "processing_class", "5.0"},
    {"transformers.Seq2SeqTrainer", "tokenizer", "transformers", "4.46", "`processing_class=`", "processing_class",
     "5.0"},
    {"transformers.TrainingArguments", "no_cuda", "transformers", "4.34", "`use_cpu=`", "use_cpu"},
    {"transformers.TrainingArguments", "per_gpu_train_batch_size", "transformers", "4.0",
     "`per_device_train_batch_size=`", "per_device_train_batch_size"},
    {"torchvision.transforms.", "resample", "torchvision", "0.12", "`interpolation=`", "", "0.14"},
    {"torchvision.transforms.", "fillcolor", "torchvision", "0.12", "`fill=`", "fill", "0.14"},
    {"pytorch_lightning.Trainer", "gpus", "pytorch-lightning", "1.7", "`accelerator=\"gpu\"`, `devices=`", "", "2.0"},
    {"pytorch_lightning.Trainer", "tpu_cores", "pytorch-lightning", "1.7", "`accelerator=\"tpu\"`, `devices=`", "",
     "2.0"},
    {"pytorch_lightning.Trainer", "num_processes", "pytorch-lightning", "1.7", "`devices=`", "", "2.0"},
    {"pytorch_lightning.Trainer", "auto_select_gpus", "pytorch-lightning", "1.9", "`devices=\"auto\"`", "", "2.0"},
    {"pytorch_lightning.Trainer", "resume_from_checkpoint", "pytorch-lightning", "1.5", "`trainer.fit(…, ckpt_path=…)`",
     "", "2.0"},
    {"pytorch_lightning.Trainer", "auto_lr_find", "pytorch-lightning", "1.9", "`Tuner(trainer).lr_find(model)`", "",
     "2.0"},
    {"pytorch_lightning.Trainer", "auto_scale_batch_size", "pytorch-lightning", "1.9",
     "`Tuner(trainer).scale_batch_size(model)`", "", "2.0"},
    {"pytorch_lightning.Trainer", "amp_backend", "pytorch-lightning", "1.9", "`precision=\"16-mixed\"`", "", "2.0"},
    {"pytorch_lightning.Trainer", "amp_level", "pytorch-lightning", "1.8", "`precision=\"16-mixed\"`", "", "2.0"},
    {"pytorch_lightning.Trainer", "replace_sampler_ddp", "pytorch-lightning", "1.9", "`use_distributed_sampler=`",
     "use_distributed_sampler", "2.0"},
    {"pytorch_lightning.Trainer", "multiple_trainloader_mode", "pytorch-lightning", "1.9",
     "`CombinedLoader(…, mode=…)`", "", "2.0"},
    {"pytorch_lightning.Trainer", "track_grad_norm", "pytorch-lightning", "1.9", "a hook that logs `grad_norm`", "",
     "2.0"},
    {"pytorch_lightning.Trainer", "checkpoint_callback", "pytorch-lightning", "1.5",
     "`enable_checkpointing=`, or a `ModelCheckpoint` in `callbacks=`", "", "1.7"},
    {"pytorch_lightning.Trainer", "weights_summary", "pytorch-lightning", "1.5", "a `ModelSummary` in `callbacks=`", "",
     "1.7"},
    {"pytorch_lightning.Trainer", "progress_bar_refresh_rate", "pytorch-lightning", "1.5",
     "a `TQDMProgressBar` in `callbacks=`", "", "1.7"},
    {"pytorch_lightning.Trainer", "flush_logs_every_n_steps", "pytorch-lightning", "1.5", "the logger's own argument",
     "", "1.7"},
    {"pytorch_lightning.Trainer", "terminate_on_nan", "pytorch-lightning", "1.5", "`detect_anomaly=`", "", "1.7"},
    {"pytorch_lightning.Trainer", "stochastic_weight_avg", "pytorch-lightning", "1.5",
     "a `StochasticWeightAveraging` in `callbacks=`", "", "1.7"},
    {"pytorch_lightning.Trainer", "distributed_backend", "pytorch-lightning", "1.2", "`strategy=`", "", "1.5"},
});

const RenamedArgument *find(std::string_view api, std::string_view keyword) {
  const auto found = std::ranges::find_if(kArguments, [&](const RenamedArgument &known) {
    return known.keyword == keyword && (known.api.ends_with('.') ? api.starts_with(known.api) : api == known.api);
  });
  return found != kArguments.end() ? &*found : nullptr;
}

// Do its first weights have that name? Those for detection and segmentation, quantized ones and the largest do not.
bool has_imagenet_weights(std::string_view api) {
  constexpr std::string_view kModels = "torchvision.models.";
  constexpr std::string_view kFamilies[] = {"alexnet",    "densenet",  "efficientnet_b", "googlenet", "inception_v3",
                                            "mnasnet",    "mobilenet", "resnet",         "resnext",   "shufflenet_v2",
                                            "squeezenet", "vgg",       "wide_resnet",    "convnext_", "regnet_x_"};
  const std::string_view name = api.substr(kModels.size());
  return name.find('.') == std::string_view::npos &&
         std::ranges::any_of(kFamilies, [name](std::string_view family) { return name.starts_with(family); });
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.keywords.empty()) {
    return;
  }
  const std::string_view api = called_api(site, call);
  if (api.empty()) {
    return;
  }
  for (const Keyword *keyword : call.keywords) {
    const RenamedArgument *renamed = keyword->name ? find(api, keyword->name.text()) : nullptr;
    if (renamed == nullptr || is_version_guarded(site)) {
      continue;
    }
    const Status status = status_in(site, renamed->package, renamed->since);
    if (status == Status::Fine) {
      continue;
    }
    const bool is_removed =
        !renamed->removed.empty() && status_in(site, renamed->package, renamed->removed) != Status::Fine;
    Finding &finding = report(
        site, *keyword,
        is_removed ? fmt::format("`{}=` was removed in {} {}{}", renamed->keyword, renamed->package, renamed->removed,
                                 required_version(site, renamed->package, renamed->removed))
                   : fmt::format("`{}=` is deprecated since {} {}", renamed->keyword, renamed->package, renamed->since),
        fmt::format("use {}", renamed->instead));
    if (!is_removed) {
      finding.severity = Severity::Note; // it still works
      finding.tier = status == Status::Unknown ? Tier::Hint : finding.tier;
    } else if (status_in(site, renamed->package, renamed->removed) == Status::Unknown) {
      finding.severity = Severity::Advice; // the newest release fails, but nothing says that this project uses it
    }
    const bool safe = status == Status::Gone;
    const u32 name_end = keyword->start + static_cast<u32>(renamed->keyword.size());
    if (!renamed->renamed_to.empty() && keyword_argument(call, renamed->renamed_to) == nullptr) {
      set_fix(finding, safe, {Edit{keyword->start, name_end, std::string(renamed->renamed_to)}});
    } else if (renamed->keyword == "pretrained") {
      // With no weights given explicitly, `pretrained=True` meant the first ones.
      const std::optional<bool> value = bool_of(site, keyword->value);
      if (value.has_value() && keyword->value->kind == NodeKind::Constant &&
          keyword_argument(call, "weights") == nullptr && (!*value || has_imagenet_weights(api))) {
        set_fix(finding, safe, {replace(*keyword, *value ? "weights=\"IMAGENET1K_V1\"" : "weights=None")});
      }
    }
  }
}

} // namespace

extern constinit const Rule kRenamedArgument = {
    .info = {.code = "DP303",
             .name = "renamed-argument",
             .summary = "an argument that newer versions of the library renamed or removed",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Environment Setting",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`pretrained=` of torchvision's models, `size_average=` and `reduce=` of PyTorch's losses, `lr=` of Keras optimizers,
`evaluation_strategy=` of Transformers, `gpus=` of Lightning's Trainer and the like, where the project's requirements
are so new that the argument is deprecated or removed. What is only deprecated is a note, and what is removed from a
version that may or may not be installed is advice.

## Why it is wrong

A later version ignores or rejects the argument. Keras 3, for example, no longer accepts `lr=`.

## Bad

```python
import torchvision

model = torchvision.models.resnet50(pretrained=True)
```

## Good

```python
import torchvision

model = torchvision.models.resnet50(weights="IMAGENET1K_V1")
```

## When it is wrong

Where the program has to work with versions that do not have the new name yet; state the oldest version in the
requirements.

## References

- torchvision documentation: the multi-weight support of version 0.13
- PyTorch documentation of the losses; TorchFix, rule TOR201
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::renamed_argument
