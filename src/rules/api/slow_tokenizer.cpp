#include "rules/options.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::slow_tokenizer {

using namespace python;

namespace {

// Does the file prepare data with it? A few prompts are quickly split by any tokenizer.
bool prepares_data(const Site &site) {
  return file_has_word(site, {"DataLoader(", ".map(", "Dataset)", "load_dataset("}) &&
         !file_has_word(site, {"use_fast=True", "TokenizerFast", "save_pretrained(", "from tokenizers"});
}

// Models whose fast tokenizer has been there for long and gives the same tokens.
bool has_equal_fast_tokenizer(const Site &site, const Call &call) {
  const auto setting = !call.args.empty() ? setting_of(site, call.args[0]) : std::nullopt; // by default, at least
  const auto name = setting.has_value() ? setting->as_string() : std::nullopt;
  return name.has_value() && has_word(*name, {"bert", "gpt2", "electra", "t5", "bart", "mpnet", "MiniLM"});
}

// `transformers.BertTokenizer.from_pretrained` has a sibling that is written in Rust.
bool has_fast_sibling(std::string_view api) {
  constexpr std::string_view kEnd = ".from_pretrained";
  const std::string_view type = api.substr(0, api.size() - kEnd.size());
  return type.ends_with("Tokenizer") && type != "transformers.AutoTokenizer" &&
         find_api(intern(std::string(type) + "Fast" + std::string(kEnd))) != nullptr;
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (!api.starts_with("transformers.") || !api.ends_with("Tokenizer.from_pretrained") || site.module->is_test ||
      api == "transformers.CLIPTokenizer.from_pretrained") { // for prompts of 77 tokens
    return;
  }
  const Option use_fast = option_of(site, call, "use_fast");
  if (api == "transformers.AutoTokenizer.from_pretrained") {
    if (use_fast.as_bool() == false) {
      Finding &finding = report_option(
          site, call, use_fast, "`use_fast=False` loads the slow Python tokenizer, which processes one text at a time",
          "omit `use_fast`: the Rust tokenizer processes lists of texts in parallel");
      if (!prepares_data(site) || !has_equal_fast_tokenizer(site, call)) {
        finding.tier = Tier::Hint; // somebody may have had a reason
      }
    }
    return;
  }
  if (has_fast_sibling(api)) {
    const std::string_view type = text_of(site, receiver_of(call));
    Finding &finding = report(
        site, *receiver_of(call),
        fmt::format("`{}` is the slow Python tokenizer, which processes one text at a time", type),
        fmt::format(
            "use `AutoTokenizer` or `{}Fast`, which is implemented in Rust and processes lists of texts in parallel",
            type));
    if (!prepares_data(site) || !has_equal_fast_tokenizer(site, call)) {
      finding.tier = Tier::Hint;
    }
  }
}

} // namespace

extern constinit const Rule kSlowTokenizer = {
    .info = {.code = "DP148",
             .name = "slow-tokenizer",
             .summary = "a tokenizer implemented in Python, where the library has the same one in Rust",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`BertTokenizer.from_pretrained` and other Transformers tokenizer classes that have a `…Fast` sibling, and
`AutoTokenizer.from_pretrained(…, use_fast=False)`.

## Why it costs

In Transformers 4, the classes without `Fast` split words in Python, one text at a time. The fast ones are implemented
in Rust and use all cores for a list of texts. `AutoTokenizer` loads the fast one if there is one.

## Bad

```python
from transformers import BertTokenizer

tokenizer = BertTokenizer.from_pretrained("bert-base-uncased")
```

## Good

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
```

## When it is wrong

For a handful of texts the difference does not matter. Some checkpoints converted from SentencePiece give slightly
different tokens; compare them before you switch a trained model. Since Transformers 5 the plain names are the fast
tokenizers.

## References

- Transformers: tokenizer, fast tokenizers
)"},
    .calls = "*.from_pretrained",
    .on_call = check};

} // namespace deepperf::rules::slow_tokenizer
