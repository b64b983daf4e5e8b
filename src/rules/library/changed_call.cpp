#include "rules/api_history.h"
#include "rules/call_history.h"
#include "rules/library_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace deepperf::rules::changed_call {

using namespace python;

namespace {

std::string in_words(unsigned positional) {
  constexpr std::string_view kFirst[] = {"no arguments", "only its first argument", "only its first two arguments"};
  return positional < std::size(kFirst) ? std::string(kFirst[positional])
                                        : fmt::format("only its first {} arguments", positional);
}

void end_report(Finding &finding, const Site &site, std::string_view package, std::string_view since) {
  if (status_in(site, package, since) == Status::Fine) {
    report_for_upgrade(finding, site, package);
  }
}

void check_arguments(Site &site, const Call &call, const ChangedCall &known) {
  if (has_hidden_arguments(call) || is_version_guarded(site)) {
    return;
  }
  constexpr u32 kPlaceOfReturnComplex = 9;
  const u32 place_of_required = known.required == "return_complex"                  ? kPlaceOfReturnComplex
                                : known.api.starts_with("torchmetrics.functional.") ? 2
                                                                                    : 0;
  // `self.drop` of a method, without the kind
  const std::string_view shown =
      known.api.starts_with("PandasFrame.") ? known.api.substr(known.api.find('.') + 1) : known.api;
  if (!known.required.empty() && keyword_argument(call, known.required) == nullptr &&
      call.args.size() <= place_of_required) {
    end_report(report(site, call,
                      fmt::format("`{}` requires `{}=` since {} {}", shown, known.required, known.package, known.since),
                      fmt::format("use {}", known.instead)),
               site, known.package, known.since);
  } else if (call.args.size() > known.positional) {
    end_report(report(site, call,
                      fmt::format("`{}` accepts {} by position since {} {}", shown, in_words(known.positional),
                                  known.package, known.since),
                      fmt::format("use {}", known.instead)),
               site, known.package, known.since);
  }
}

// `plt.style.use("seaborn")`, `pipeline("summarization")`
void check_values(Site &site, const Call &call, std::string_view api) {
  const std::vector<const ChangedValue *> *const values = find_changed_values(api);
  if (values == nullptr || is_version_guarded(site)) {
    return;
  }
  for (const ChangedValue *changed : *values) {
    const Expr *const argument_given = argument(call, changed->position, changed->keyword);
    const auto *text = as<Constant>(argument_given);
    const std::optional<std::string> value = text != nullptr ? string_of(site, argument_given) : std::nullopt;
    const bool is_refused =
        value.has_value() &&
        (changed->value.ends_with('*') ? value->starts_with(changed->value.substr(0, changed->value.size() - 1))
                                       : *value == changed->value);
    if (is_refused && !value->starts_with("seaborn-v")) { // the names since Matplotlib 3.6
      end_report(report(site, *argument_given,
                        fmt::format("`{}` does not accept `\"{}\"` since {} {}", changed->api, *value, changed->package,
                                    changed->since),
                        fmt::format("use {}", changed->instead)),
                 site, changed->package, changed->since);
      return;
    }
  }
}

// `torch.fft(x, 2)`: the function became a module.
void check_fourier(Site &site, const Call &call) {
  if (!is_version_guarded(site)) {
    end_report(report(site, call, "`torch.fft` is a module since torch 1.8, and cannot be called",
                      "use `torch.fft.fftn`, which takes and returns complex tensors"),
               site, "torch", "1.8");
  }
}

// `observation, reward, done, info = env.step(action)`: it gives five values.
void check_step(Site &site, const Call &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *targets =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
  constexpr std::size_t kOldFields = 4;
  const auto is_starred = [](const Expr *target) { return target->kind == NodeKind::Starred; };
  if (targets == nullptr || assignment->value != &call || targets->elts.size() != kOldFields ||
      std::ranges::any_of(targets->elts, is_starred) || is_version_guarded(site)) {
    return;
  }
  end_report(
      report(site, call, "`step` of a Gym environment returns five values since gym 0.26, and four are unpacked",
             "use `observation, reward, terminated, truncated, info`, and `terminated or truncated` for the end"),
      site, "gym", "0.26");
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

void check(Site &site, const Node &node) {
  if (node.kind == NodeKind::FunctionDef) {
    return check_override(site, node);
  }
  const auto &call = static_cast<const Call &>(node);
  if (called_method(call) == "pop") {
    check_popped(site, call);
  }
  const model::Value callee = site.project.callee_of(&call);
  if (!callee.is(model::Value::Tag::Api) && !callee.is(model::Value::Tag::ApiMethod)) {
    return;
  }
  const std::string api = called_name(site, call);
  if (api == "PandasFrame.drop") {
    check_drop(site, call);
  } else if (api == "torch.nn.utils.rnn.pack_padded_sequence") {
    check_packed(site, call);
  } else if (api == "GymEnv.step") {
    check_step(site, call);
  } else if (api == "torch.fft") {
    check_fourier(site, call);
  } else if (const ChangedCall *const known = find_changed_call(api); known != nullptr) {
    check_arguments(site, call, *known);
  }
  check_values(site, call, api);
}

} // namespace

extern constinit const Rule kChangedCall = {.info = {.code = "DP308",
                                                     .name = "changed-call",
                                                     .summary = "a call that newer versions of the library reject",
                                                     .root_cause = "Library: Mismatched Library Version",
                                                     .symptoms = "Program Crash",
                                                     .stage = "Environment Setting",
                                                     .frameworks = "PyTorch",
                                                     .severity = Severity::Error,
                                                     .tier = Tier::On,
                                                     .documentation = R"(## What it finds

Calls that used to work and fail with newer versions: arguments of librosa, scikit-learn and pandas that are passed by
position but can only be named, `torch.stft` without `return_complex`, metrics of TorchMetrics without `task`, tasks of
`transformers.pipeline`, styles of Matplotlib and options of scikit-learn that no longer exist, and unpacking the result
of `pack_padded_sequence` into two names or that of a Gym environment's `step` into four, and `pop` on what flax's `init` returns.
Also `compute_loss` and `training_step` of a Transformers Trainer without the parameter `num_items_in_batch`, which the Trainer passes since 4.46. Where the project's requirements specify an older version of the library, it is a note for a later upgrade.

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

- librosa 0.10, scikit-learn 1.0, pandas 2.0, PyTorch 2.0, TorchMetrics 0.11, Gym 0.26, flax 0.7 and Transformers 4.46: release notes
)"},
                                            .nodes = {NodeKind::Call, NodeKind::FunctionDef},
                                            .on_node = check};

} // namespace deepperf::rules::changed_call
