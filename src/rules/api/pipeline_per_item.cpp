#include "rules/per_item.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/site.h"
#include "rules/timed.h"
#include "rules/tree.h"

namespace deepperf::rules::pipeline_per_item {

using namespace python;

namespace {

bool is_batch_name(std::string_view name) {
  return name.find("batch") != std::string_view::npos || name.find("chunk") != std::string_view::npos;
}

// Does the expression take its value from the loop's element?
bool uses_element(const Expr *target, const Expr *expr) {
  if (const auto *name = as<Name>(target)) {
    return !is_batch_name(name->id.text()) && mentions(expr, name->id);
  }
  const Array<Expr *> parts =
      target->kind == NodeKind::Tuple ? static_cast<const Tuple *>(target)->elts : Array<Expr *>{};
  for (const Expr *part : parts) {
    if (uses_element(part, expr)) {
      return true;
    }
  }
  return false;
}

// Runs a model on what the tokenizer gives for one text: a batch of one.
const Call *model_in(const Block &body) {
  const Call *found = nullptr;
  any_node(body, [&found](const Node *node) {
    const auto *call = as<Call>(node);
    const Expr *const owner = call != nullptr ? receiver_of(*call) : nullptr;
    const std::string_view method =
        owner != nullptr && model::kind_of(owner) == Kind::HfModel ? called_method(*call) : std::string_view{};
    if (call != nullptr && (model::kind_of(call->func) == Kind::HfModel || method == "get_image_features" ||
                            method == "get_text_features")) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

// `model.encode(text)` and `reranker.predict([(query, text)])` of Sentence Transformers.
void check_encoder(Site &site, const Call &call) {
  const Expr *input = argument(call, 0, "sentences");
  const auto item = input != nullptr && !site.module->is_test ? item_behind(site, input) : std::nullopt;
  if (!item.has_value()) {
    return;
  }
  Finding &finding = report(site, call, "the model encodes one text at a time, in batches of one",
                            "pass the whole list of texts in one call, with `batch_size=`");
  finding.notes.push_back({item->module->file, item->place, "one call for each item"});
  if (!item->is_sure) {
    finding.tier = Tier::Hint;
  }
}

// `processor(images=picture)` and then the model, for one picture or sound after the other.
void check_processor(Site &site, const Call &call) {
  const Expr *input = argument(call, 0, "images");
  input = input == nullptr ? argument(call, 0, "audio") : input;
  const model::Loop *const loop = loop_around(site);
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  if (input == nullptr || site.module->is_test || keyword_argument(call, "return_tensors") == nullptr ||
      (loop != nullptr && (loop->trains || statement == nullptr))) {
    return;
  }
  const Block body = statement != nullptr ? statement->body : definition != nullptr ? definition->body : Block{};
  const Call *const forward = model_in(body);
  const auto item = forward != nullptr ? item_behind(site, input) : std::nullopt;
  if (!item.has_value()) {
    return;
  }
  Finding &finding =
      report(site, call, "the processor and the model are called for one item at a time, in batches of one",
             "process several items at once, `images=[…]`, and run the model on all of them");
  add_note(finding, site, *forward, "the model runs here");
  finding.notes.push_back({item->module->file, item->place, "for each item that this iterates over"});
  // Sounds differ in length, and a batch of them is mostly padding.
  if (!item->is_sure || keyword_argument(call, "images") == nullptr) {
    finding.tier = Tier::Hint;
  }
}

// range(0, n, step) walks over batches, and so does a loader.
bool goes_over_batches(const Site &site, const Expr *iterated) {
  const auto *const range = as<Call>(iterated);
  return model::kind_of(iterated) == Kind::TorchDataLoader || (range != nullptr && range->args.size() == 3) ||
         is_batch_name(text_of(site, iterated));
}

// A pipeline in a function that takes one item, and that a loop calls with each of its elements.
bool check_item_of_caller(Site &site, const Call &call, const Expr *input) {
  if (model::kind_of(call.func) != Kind::HfPipeline || site.module->is_test) {
    return false;
  }
  const Repetition repetition = repetition_of(site);
  const Expr *const target = repetition.through_calls() ? element_target(*repetition.loop) : nullptr;
  const Expr *const item = target != nullptr ? passed_in_loop(site, repetition, input) : nullptr;
  const auto *const part = as<Subscript>(item);
  if (item == nullptr || !uses_element(target, item) || (part != nullptr && part->slice->kind == NodeKind::Slice) ||
      !stays_same(site, repetition, call.func)) {
    return false;
  }
  const Site caller = site_of(site, *repetition.calls.back()->call);
  if (goes_over_batches(caller, iterated_by(caller, *repetition.loop))) {
    return false;
  }
  Finding &finding =
      report(site, call, "the pipeline is called for one item at a time, so the device computes batches of one",
             "pass the whole list or dataset in one call, with `batch_size=`");
  add_note(finding, site, repetition);
  std::string_view maker;
  if (maker_of_callee(site, call, &maker) != nullptr && maker.starts_with("diffusers.")) {
    finding.tier = Tier::Hint; // a single prompt keeps the device busy
  }
  return true;
}

// Does the constructor of a Dataset run the function, itself or through others?
bool fills_dataset(const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  const bool is_constructor =
      function.type != nullptr && function.type->kind == Kind::TorchDataset && function.name.text() == "__init__";
  return is_constructor ||
         (depth < kMostDepth && std::ranges::any_of(function.called_by, [&](const model::CallSite *caller) {
            return caller->caller != &function && fills_dataset(*caller->caller, depth + 1);
          }));
}

void check(Site &site, const Call &call) {
  if (model::kind_of(call.func) == Kind::HfProcessor) {
    check_processor(site, call);
    return;
  }
  if (receiver_of(call) != nullptr && model::kind_of(receiver_of(call)) == Kind::HfEncoder) {
    check_encoder(site, call);
    return;
  }
  if (model::kind_of(call.func) == Kind::HfPipeline && loop_around(site) == nullptr && !call.args.empty()) {
    // In a function that runs for each element: df["text"].apply(lambda text: pipeline(text))
    const auto item = item_behind(site, call.args[0]);
    if (item.has_value() && item->is_sure && !site.module->is_test) {
      Finding &finding =
          report(site, call, "the pipeline is called for one item at a time, so the device computes batches of one",
                 "pass the whole list or dataset in one call, with `batch_size=`");
      finding.notes.push_back({item->module->file, item->place, "one call for each item"});
      std::string_view made;
      if (maker_of_callee(site, call, &made) == nullptr || made != "transformers.pipeline") {
        finding.tier = Tier::Hint; // a single prompt keeps the device busy
      }
      return;
    }
  }
  if (call.args.empty() || call.args[0]->kind == NodeKind::Starred) {
    return;
  }
  const Expr *input = call.args[0];
  if (input->kind == NodeKind::List || input->kind == NodeKind::ListComp || input->kind == NodeKind::Constant) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  if (loop == nullptr && check_item_of_caller(site, call, input)) {
    return;
  }
  if (loop == nullptr || loop->few_iterations || loop->iterations == model::Iterations::Few) {
    return;
  }
  const Expr *target = element_target(*loop);
  if (target == nullptr || !uses_element(target, input)) {
    return;
  }
  // texts[i : i + 8]
  const auto *part = as<Subscript>(input);
  if (part != nullptr && part->slice->kind == NodeKind::Slice && uses_element(target, part->slice)) {
    return;
  }
  const Expr *iterated = iterated_by(site, *loop);
  if (goes_over_batches(site, iterated) || is_timed_in(site, *loop->node, call)) {
    return; // how long one item takes is what a benchmark asks
  }
  const bool is_pipeline = model::kind_of(call.func) == Kind::HfPipeline;
  Finding &finding =
      is_pipeline
          ? report(site, call, "the pipeline is called for one item at a time, so the device computes batches of one",
                   "pass the whole list or dataset in one call, with `batch_size=`")
          : report(site, call, "the tokenizer is called for one text at a time",
                   "pass the whole list of texts in one call: a fast tokenizer processes them in parallel");
  add_note(finding, site, *loop->node, "one call for each item of this loop");
  // A pipeline of Diffusers keeps the device busy with a single prompt.
  std::string_view maker;
  if (!is_pipeline || (maker_of_callee(site, call, &maker) != nullptr && maker.starts_with("diffusers."))) {
    finding.tier = Tier::Hint;
  }
  // The lines of a file are many.
  if (!is_pipeline && model::kind_of(iterated) == Kind::File && !site.module->is_test) {
    finding.tier = Tier::On;
  }
  // The texts of a data set are many.
  if (!is_pipeline && site.function != nullptr && loop->parent == nullptr && fills_dataset(*site.function, 0) &&
      !site.module->is_test) {
    finding.tier = Tier::On;
  }
  const auto *statement = as<For>(loop->node);
  const Call *const forward =
      !is_pipeline && statement != nullptr && !loop->trains ? model_in(statement->body) : nullptr;
  if (forward != nullptr && keyword_argument(call, "return_tensors") != nullptr) {
    finding.message = "the tokenizer and the model are called for one text at a time, in batches of one";
    finding.advice = "tokenize several texts at once with `padding=True`, and run the model on all of them";
    add_note(finding, site, *forward, "the model runs here");
    finding.tier = site.module->is_test ? Tier::Hint : Tier::On;
  }
}

} // namespace

extern constinit const Rule kPipelinePerItem = {
    .info = {.code = "DP141",
             .name = "pipeline-per-item",
             .summary = "a Hugging Face pipeline, sentence encoder or tokenizer that is called for each item",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Prediction",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A Transformers pipeline, or `encode()` and `predict()` of Sentence Transformers, that is called with one item in each iteration of a loop, in a
comprehension, or in a function that `apply()` or `map()` calls for each element. The same for a tokenizer or a Diffusers pipeline is a hint.

## Why it costs

Given a list or dataset, a pipeline overlaps reading, computing and collecting, and with `batch_size` it runs the model
on several items at once. Called for each item, it does all of that sequentially, in batches of one; the library warns
about it. A fast tokenizer uses all cores for a list, and one core for a string.

## Bad

```python
from transformers import pipeline


def rate(texts):
    rating = pipeline("sentiment-analysis", device=0)
    return [rating(text) for text in texts]
```

## Good

```python
from transformers import pipeline


def rate(texts):
    rating = pipeline("sentiment-analysis", device=0)
    return rating(texts, batch_size=32)
```

## When it is wrong

Where each item must be answered immediately, or the next one depends on the answer. Batches of texts of very different
lengths can be slower than single texts, because the short ones are padded. For a few texts it does not matter.

## References

- Transformers: pipelines, using pipelines on a dataset, and batching
- Tokenizers: batch encoding
)"},
    .calls = "HfPipeline.__call__ HfTokenizer.__call__ HfTokenizer.encode HfTokenizer.encode_plus HfTokenizer.tokenize "
             "HfProcessor.__call__ HfEncoder.encode HfEncoder.encode_query HfEncoder.encode_document HfEncoder.predict",
    .on_call = check};

} // namespace deepperf::rules::pipeline_per_item
