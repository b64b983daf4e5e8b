#include "rules/api_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::changed_call {

using namespace python;

namespace {

// How a function may be called changed: a call that was good fails.
struct ChangedCall {
  std::string_view api;
  std::string_view package;
  std::string_view since;
  u32 positional;            // so many arguments may be given without a name, of those `names`
  std::string_view required; // an argument that has to be given; empty if there is none
  std::string_view instead;
};

constexpr u32 kAny = ~0U;

// Sources: the release notes of librosa 0.10, pandas 2.0 and PyTorch 2.0.
constexpr auto kCalls = std::to_array<ChangedCall>({
    {"librosa.filters.mel", "librosa", "0.10", 0, "", "`librosa.filters.mel(sr=…, n_fft=…)`"},
    {"librosa.feature.melspectrogram", "librosa", "0.10", 0, "", "`melspectrogram(y=…, sr=…)`"},
    {"librosa.feature.mfcc", "librosa", "0.10", 0, "", "`mfcc(y=…, sr=…)`"},
    {"librosa.feature.chroma_stft", "librosa", "0.10", 0, "", "`chroma_stft(y=…, sr=…)`"},
    {"librosa.resample", "librosa", "0.10", 1, "", "`librosa.resample(y, orig_sr=…, target_sr=…)`"},
    {"librosa.core.resample", "librosa", "0.10", 1, "", "`librosa.resample(y, orig_sr=…, target_sr=…)`"},
    {"librosa.util.pad_center", "librosa", "0.10", 1, "", "`librosa.util.pad_center(data, size=…)`"},
    {"librosa.effects.time_stretch", "librosa", "0.10", 1, "", "`time_stretch(y, rate=…)`"},
    {"librosa.effects.pitch_shift", "librosa", "0.10", 1, "", "`pitch_shift(y, sr=…, n_steps=…)`"},
    {"torch.stft", "torch", "2.0", kAny, "return_complex",
     "`return_complex=True`, and `torch.view_as_real` if real and imaginary parts are needed"},
});

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const auto known = std::ranges::find(kCalls, api, &ChangedCall::api);
  if (known == kCalls.end() || has_hidden_arguments(call) || is_version_guarded(site)) {
    return;
  }
  const std::size_t before = site.findings.size();
  if (!known->required.empty() && keyword_argument(call, known->required) == nullptr) {
    constexpr u32 kPlaceOfReturnComplex = 9;
    if (call.args.size() <= kPlaceOfReturnComplex) {
      report(site, call,
             fmt::format("`{}` requires `{}=` since {} {}", api, known->required, known->package, known->since),
             fmt::format("use {}", known->instead));
    }
  } else if (call.args.size() > known->positional) {
    report(site, call,
           fmt::format("`{}` accepts {} by position since {} {}", api,
                       known->positional == 0 ? "no arguments" : "only its first argument", known->package,
                       known->since),
           fmt::format("use {}", known->instead));
  }
  if (site.findings.size() > before && status_in(site, known->package, known->since) == Status::Fine) {
    report_for_upgrade(site.findings.back(), site, known->package);
  }
}

// `table.drop("x", 1)`
void check_drop(Site &site, const Call &call) {
  if (call.args.size() < 2 || has_hidden_arguments(call) || is_version_guarded(site)) {
    return;
  }
  Finding &finding = report(site, call, "`drop` accepts only its first argument by position since pandas 2.0",
                            fmt::format("use `axis={}`, or `columns=`", text_of(site, call.args[1])));
  if (status_in(site, "pandas", "2.0") == Status::Fine) {
    report_for_upgrade(finding, site, "pandas");
  }
}

// `x, _ = pack_padded_sequence(…)`: it had two fields, and has four.
void check_packed(Site &site, const Call &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *targets =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
  if (targets == nullptr || assignment->value != &call || targets->elts.size() != 2 || is_version_guarded(site) ||
      status_in(site, "torch", "1.1") == Status::Fine) {
    return;
  }
  report(site, call,
         "`pack_padded_sequence` returns four values since torch 1.1, which cannot be unpacked into two names",
         "use the attributes you need: `pack_padded_sequence(…).data`");
}

// ---- Methods that a Trainer calls with more arguments than before ---------------------------------------------------

bool is_transformers_trainer(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const model::Value &base) {
      return base.is(model::Value::Tag::Api) &&
             (base.name().text() == "transformers.Trainer" || base.name().text() == "transformers.Seq2SeqTrainer");
    });
  });
}

// `def compute_loss(self, model, inputs, return_outputs=False)`
void check_override(Site &site, const Node &node) {
  const auto *definition = as<FunctionDef>(&node);
  const std::string_view name = definition != nullptr ? definition->name.text() : std::string_view{};
  if (name != "compute_loss" && name != "training_step") {
    return;
  }
  const model::FunctionInfo *function = site.project.function_at(&node);
  const auto takes_it = [](const Param *param) {
    return param->param_kind() == ParamKind::VarArgs || param->param_kind() == ParamKind::KwArgs ||
           param->name.text() == "num_items_in_batch";
  };
  constexpr std::size_t kOldStep = 3; // self, model, inputs
  if (function == nullptr || function->type == nullptr || !is_transformers_trainer(*function->type) ||
      std::ranges::any_of(definition->params, takes_it) || is_version_guarded(site) ||
      (name == "training_step" && definition->params.size() != kOldStep)) {
    return;
  }
  const std::size_t place = site.module->parsed->source.text().find(name, definition->start);
  const auto start = static_cast<u32>(place);
  Finding &finding = report(
      site, Span{start, start + static_cast<u32>(name.size())},
      fmt::format("the Trainer passes `num_items_in_batch` to `{}` since transformers 4.46, which this method rejects",
                  name),
      "add the parameter `num_items_in_batch=None`");
  if (status_in(site, "transformers", "4.46") == Status::Fine) {
    report_for_upgrade(finding, site, "transformers");
  }
}

// ---- What flax returns ----------------------------------------------------------------------------------------------

// `state, params = model.init(key, x).pop("params")`: with a plain dict, pop() gives the value alone.
void check_popped(Site &site, const Call &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *targets =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
  if (!site.module->jax || targets == nullptr || assignment->value != &call || targets->elts.size() != 2 ||
      call.args.size() != 1 || !is_constant(call.args[0], ConstantKind::Str) ||
      !file_has_word(site, {"flax.linen", "from flax import linen", "from flax import"}) ||
      file_has_word(site, {"freeze("}) || is_version_guarded(site)) {
    return;
  }
  const Expr *made = receiver_of(call);
  if (const auto *name = as<Name>(made)) {
    made = last_assigned(site, *name);
  }
  const auto *init = as<Call>(made);
  if (init == nullptr || called_method(*init) != "init") {
    return;
  }
  Finding &finding = report(
      site, call, "`init` returns a plain dict since flax 0.7, whose `pop` returns one value, which cannot be unpacked",
      fmt::format("use `flax.core.pop(variables, {})`", text_of(site, call.args[0])));
  add_note(finding, site, *init, "the variables are created here");
  if (status_in(site, "flax", "0.7") == Status::Fine) {
    report_for_upgrade(finding, site, "flax");
  }
}

void check_any(Site &site, const Call &call) {
  if (called_method(call) == "pop") {
    check_popped(site, call);
  } else if (called_method(call) == "drop") {
    check_drop(site, call);
  } else if (called_api(site, call) == "torch.nn.utils.rnn.pack_padded_sequence") {
    check_packed(site, call);
  } else {
    check(site, call);
  }
}

} // namespace

extern constinit const Rule kChangedCall = {
    .info = {.code = "DP308",
             .name = "changed-call",
             .summary = "a call that newer versions of the library reject",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Environment Setting",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Calls that used to work and fail with newer versions: arguments of librosa functions and of `DataFrame.drop` that are
passed by position, `torch.stft` without `return_complex`, and unpacking the result of `pack_padded_sequence`, or of
`pop` on what flax's `init` returns, into two names. Also `compute_loss` and `training_step` of a Transformers Trainer
without the parameter `num_items_in_batch`, which the Trainer passes since 4.46. Where the project's requirements specify an older version of the library, it is a note for a later upgrade.

## Why it is wrong

The program stops with a `TypeError`, `RuntimeError` or `ValueError`, often after it has read its data and built its
models.

## Bad

```python
import librosa
import torch


def spectrum(y, window):
    basis = librosa.filters.mel(22050, 1024)
    return basis, torch.stft(y, 1024, window=window)
```

## Good

```python
import librosa
import torch


def spectrum(y, window):
    basis = librosa.filters.mel(sr=22050, n_fft=1024)
    return basis, torch.stft(y, 1024, window=window, return_complex=True)
```

## When it is wrong

Where the program only runs with an old version, although nothing in the project states it. State the version in
`requirements.txt`. `torch.stft` of a complex signal needs no `return_complex`.

## References

- librosa 0.10, pandas 2.0, PyTorch 2.0, flax 0.7 and Transformers 4.46: release notes
)"},
    .calls = "librosa.filters.mel librosa.feature.melspectrogram librosa.feature.mfcc librosa.feature.chroma_stft "
             "librosa.resample librosa.core.resample librosa.util.pad_center librosa.effects.time_stretch "
             "librosa.effects.pitch_shift torch.stft PandasFrame.drop torch.nn.utils.rnn.pack_padded_sequence "
             "*.pop",
    .on_call = check_any,
    .nodes = {NodeKind::FunctionDef},
    .on_node = check_override};

} // namespace deepperf::rules::changed_call
