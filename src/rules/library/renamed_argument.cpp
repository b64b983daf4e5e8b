#include "rules/api_history.h"
#include "rules/argument_history.h"
#include "rules/library_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::renamed_argument {

using namespace python;

namespace {

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
  const auto may_be_renamed = [](const Keyword *keyword) {
    return keyword->name && is_renamed_somewhere(keyword->name);
  };
  if (std::ranges::none_of(call.keywords, may_be_renamed)) {
    return;
  }
  const std::string api = called_name(site, call);
  if (api.empty()) {
    return;
  }
  for (const Keyword *keyword : call.keywords) {
    const RenamedArgument *renamed = keyword->name ? find_renamed_argument(api, keyword->name) : nullptr;
    if (renamed == nullptr || is_version_guarded(site)) {
      continue;
    }
    const Status status = status_in(site, renamed->package, renamed->since);
    if (status == Status::Fine) {
      continue;
    }
    const auto reaches = [&](std::string_view version) {
      return !version.empty() && status_in(site, renamed->package, version) != Status::Fine;
    };
    const bool is_removed = reaches(renamed->removed);
    const auto says_since = [&](std::string_view what, std::string_view version) {
      return fmt::format("`{}=` {} {} {}", renamed->keyword, what, renamed->package, version);
    };
    Finding &finding = report(site, *keyword,
                              is_removed ? says_since("was removed in", renamed->removed) +
                                               required_version(site, renamed->package, renamed->removed)
                              : reaches(renamed->ignored) ? says_since("has no effect since", renamed->ignored)
                                                          : says_since("is deprecated since", renamed->since),
                              fmt::format("use {}", renamed->instead));
    if (!is_removed) {
      finding.severity = Severity::Note; // the program runs
      finding.tier = status == Status::Unknown ? Tier::Hint : finding.tier;
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
`evaluation_strategy=` of Transformers, `gpus=` of Lightning's Trainer, `error_bad_lines=` of `pandas.read_csv`,
`sparse=` of scikit-learn's `OneHotEncoder`, `size=` of Gensim's `Word2Vec`, `early_stopping_rounds=` of
`lightgbm.train` and many others, where the project's requirements are so new that the argument is deprecated or
removed. What is only deprecated or ignored is a note.

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
