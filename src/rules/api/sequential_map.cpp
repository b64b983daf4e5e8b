#include "model/consumers.h"
#include "model/few_elements.h"
#include "model/mapper.h"
#include "model/pipeline.h"
#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

namespace deepperf::rules::sequential_map {

using namespace python;

extern const Rule kSequentialMap;

namespace {

bool is_sequential_value(const Source &source, const Expr *value) {
  const auto *constant = as<Constant>(value);
  return constant != nullptr && (is_none(value) || source.part(constant->start, constant->end) == "1");
}

// The value given for num_parallel_calls, and whether one may have been given out of sight (*args, **kwargs).
struct Parallelism {
  const Expr *value = nullptr;
  bool hidden = false;
};

Parallelism parallelism_of(const model::Project &project, const model::Stage &stage, u32 position) {
  const Call *const call = stage.call;
  Parallelism result;
  bool is_written = false;
  for (const Keyword *keyword : call->keywords) {
    is_written |= keyword->name && keyword->name.text() == "num_parallel_calls";
  }
  // map(f, **options) of a dictionary that is written down
  if (has_hidden_arguments(*call) && !is_written && stage.function != nullptr) {
    const model::Argument given =
        model::argument_of(model::scope_of(project, *stage.function), *call, position, "num_parallel_calls");
    result.hidden = !given.is_absent();
    return result;
  }
  for (u32 i = 0; i < call->args.size(); ++i) {
    result.hidden |= call->args[i]->kind == NodeKind::Starred;
    if (i == position) {
      result.value = call->args[i];
    }
  }
  for (const Keyword *keyword : call->keywords) {
    result.hidden |= !keyword->name;
    if (keyword->name &&
        (keyword->name.text() == "num_parallel_calls" || keyword->name.text() == "num_threads")) { // of tf.contrib.data
      result.value = keyword->value;
    }
  }
  return result;
}

// The mapped function only describes further pipelines; their work is done elsewhere.
bool makes_datasets(const model::Stage &stage) {
  const model::Value &mapper = stage.mapper;
  return stage.info->has(kMaps) && (mapper.is(model::Value::Tag::Function) || mapper.is(model::Value::Tag::Method)) &&
         mapper.function->returns.is_kind(Kind::Dataset);
}

// In code that other machinery runs for many elements: a mapped function, or one given to Beam.
bool runs_in_parallel(const model::Stage &stage) {
  for (const model::FunctionInfo *function = stage.function; function != nullptr; function = function->parent) {
    if (function->in_parallel) {
      return true;
    }
  }
  return false;
}

// options.experimental_optimization.map_parallelization = True
bool enables_parallel_maps(const Node *node) {
  if (const auto *assignment = as<Assign>(node)) {
    const auto *option = as<Attribute>(assignment->targets[0]);
    const auto *value = as<Constant>(assignment->value);
    return option != nullptr && option->attr.text() == "map_parallelization" && value != nullptr &&
           value->constant_kind() == ConstantKind::True;
  }
  bool found = false;
  if (node->kind != NodeKind::ExprStmt) {
    for_each_child(node, [&found](const Node *child) { found = found || enables_parallel_maps(child); });
  }
  return found;
}

// The pipeline gets options that make all its maps parallel.
class ParallelOptions {
public:
  explicit ParallelOptions(const model::Project &project) : project_(project) {}

  bool apply_to(const model::Stage &stage) {
    if (!stage.info->has(kMaps) || !model::is_followed_by(project_, stage, "with_options")) {
      return false;
    }
    const auto [known, is_new] = modules_.try_emplace(stage.module, false);
    if (is_new) {
      known->second = std::ranges::any_of(stage.module->parsed->tree.body, enables_parallel_maps);
    }
    return known->second;
  }

private:
  const model::Project &project_;
  std::unordered_map<const model::Module *, bool> modules_;
};

// The elements are only numbers that count: Counter(), range(n).
bool counts(const model::Project &project, const model::Stage &stage) {
  bool found = false;
  model::walk_back(project, stage.previous, [&found](const model::Stage &earlier) {
    const std::string_view name = earlier.method.text();
    found |= name.ends_with("Counter") || name.ends_with("Dataset.range") || name.ends_with("Dataset.counter");
    return true;
  });
  return found;
}

// `ds.map(f)  # num_parallel_calls=AUTOTUNE`: somebody took it out.
bool was_taken_out(const model::Stage &stage) {
  const std::string_view text = stage.module->parsed->source.text();
  const std::size_t line_end = std::min(text.find('\n', stage.call->end), text.size());
  const Expr *const receiver = receiver_of(*stage.call);
  const u32 from = receiver != nullptr ? receiver->end : stage.call->start;
  const std::vector<Span> &comments = stage.module->parsed->tree.comments;
  for (auto at = std::ranges::lower_bound(comments, from, {}, &Span::start);
       at != comments.end() && at->start <= line_end; ++at) {
    const bool is_behind_name = text.substr(from, at->start - from).find(stage.method.text()) != std::string_view::npos;
    if (is_behind_name &&
        text.substr(at->start, at->end - at->start).find("num_parallel_calls=") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// Why it may not matter there, if there is a reason.
std::string_view excuse(const model::Stage &stage, const model::MapperFacts &mapper) {
  if (stage.module->is_test || (stage.function != nullptr && stage.function->is_test)) {
    return ", though this is test code";
  }
  if (makes_datasets(stage)) {
    return ", though its function only describes further pipelines";
  }
  if (mapper.ignores_element && stage.info->has(kMaps)) {
    return ", though its function ignores its input";
  }
  if (was_taken_out(stage)) {
    return ", though a comment suggests that the argument was removed on purpose";
  }
  return runs_in_parallel(stage) ? ", though the enclosing function already runs for many elements at once"
                                 : std::string_view{};
}

// Does it give the same elements in the same order when several are prepared at once? Not if the function draws random
// numbers or may have state, if the pipeline was allowed to mix them up, or if how many inputs are interleaved
// depends on the number of threads.
bool keeps_results(const model::Stage &stage, const model::MapperFacts &mapper,
                   std::unordered_map<const model::Module *, bool> &mixing) {
  const bool has_state = !mapper.known || mapper.random != nullptr || mapper.shares || mapper.stateful ||
                         mapper.locked || mapper.python != nullptr;
  const auto [known, is_new] = mixing.try_emplace(stage.module);
  if (is_new) {
    known->second = stage.module->parsed->source.text().find("deterministic") != std::string_view::npos;
  }
  const bool may_mix = known->second;
  const bool has_cycle = !stage.info->has(kInterleaves) || argument(*stage.call, 1, "cycle_length") != nullptr;
  return !has_state && !may_mix && has_cycle;
}

void check(const model::Project &project, Findings &findings) {
  model::Consumers consumers(project);
  ParallelOptions options(project);
  std::unordered_map<const model::Module *, bool> mixing; // modules that mention it
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    if (stage.info == nullptr || !stage.info->has(kMaps | kInterleaves) || stage.call == nullptr) {
      continue;
    }
    const std::string_view method = stage.method.text().substr(stage.method.text().rfind('.') + 1);
    if (method == "parallel_interleave" || method == "sloppy_interleave" || stage.info->has(kSource)) {
      continue;
    }
    const Source &source = stage.module->parsed->source;
    const u32 position = method.starts_with("map_and_batch") ? 4 : stage.info->has(kInterleaves) ? 3 : 1;
    const Parallelism given = parallelism_of(project, stage, position);
    if (given.hidden || (given.value != nullptr && !is_sequential_value(source, given.value))) {
      continue;
    }
    if (method.starts_with("map_and_batch") && (given.value == nullptr || is_none(given.value))) {
      continue; // by default as parallel as its batch is large, or several batches
    }
    if (stage.call->args.empty() && stage.call->keywords.empty()) {
      continue; // an exercise: what to map is yet to be filled in
    }
    if (options.apply_to(stage)) {
      continue;
    }
    const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
    Finding finding;
    finding.rule = &kSequentialMap.info;
    finding.file = stage.module->file;
    finding.span = stage.span();
    finding.message = fmt::format("this `{}()` processes elements sequentially", method);
    const std::string autotune = autotune_at(stage.function, *stage.module, stage.call->start);
    finding.advice = fmt::format("pass `num_parallel_calls={}`", autotune.empty() ? "tf.data.AUTOTUNE" : autotune);
    // The order of the calls matters to such a function.
    if (stage.info->has(kMaps) && (mapper.stateful || (mapper.ignores_element && !mapper.known))) {
      continue;
    }
    if (mapper.shares && counts(project, stage)) {
      finding.tier = Tier::Hint;
      finding.message += ", though what it calls may depend on the order of its calls";
    } else if (mapper.cheap) {
      finding.tier = Tier::Hint;
      finding.message += ", though its function may be too cheap for this to matter";
    } else if (stage.info->has(kMaps) && !mapper.works) {
      finding.tier = Tier::Hint;
      finding.message += ", though its function does no visible work";
    } else if (mapper.is_model) {
      finding.tier = Tier::Hint;
      finding.message += ", though its function is a model, which uses all cores by itself";
    } else if (mapper.splits_memory && stage.info->has(kInterleaves)) {
      finding.tier = Tier::Hint;
      finding.message += ", though its function only splits data that is already in memory";
    } else if (mapper.on_gpu) {
      finding.tier = Tier::Hint;
      finding.message += ", though its function runs on a GPU";
    } else if (mapper.locked && !mapper.reads) {
      finding.tier = Tier::Hint;
      finding.message += ", but its function runs Python, which only one thread can do at a time";
      finding.advice += ", and write the function with TensorFlow operations if possible";
    } else if ((stage.info->has(kMaps) && model::has_few_elements(project, stage)) ||
               consumers.of(stage) != model::Consumption::All) {
      finding.tier = Tier::Hint;
      finding.message += ", though only a few elements are read";
    } else if (const std::string_view reason = excuse(stage, mapper); !reason.empty()) {
      finding.tier = Tier::Hint;
      finding.message += reason;
    }
    const bool takes_autotune = keyword_argument(*stage.call, "num_threads") == nullptr; // of tf.contrib.data
    if (!autotune.empty() && takes_autotune) {
      Fix fix;
      fix.safe = keeps_results(stage, mapper, mixing);
      if (given.value != nullptr) {
        fix.edits.push_back({given.value->start, given.value->end, autotune});
      } else if (const u32 end = end_of_arguments(source, *stage.call); end != 0) {
        fix.edits.push_back({end, end, ", num_parallel_calls=" + autotune});
      }
      if (!fix.edits.empty()) {
        finding.fix = std::move(fix);
      }
    }
    findings.push_back(std::move(finding));
  }
}

} // namespace

extern constinit const Rule kSequentialMap = {
    .info = {.code = "DP101",
             .name = "sequential-map",
             .summary = "`map` or `interleave` of a `tf.data` pipeline that processes elements sequentially",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .posts = "48068013_2",
             .documentation = R"(## What it finds

A `map`, `interleave` or `map_with_legacy_function` of a `tf.data` pipeline without `num_parallel_calls`, or with
`num_parallel_calls=None` or `1`.

## Why it costs

Without the argument, TensorFlow applies the function to one element after another. While one core decodes and augments,
the other cores and the GPU wait. With `tf.data.AUTOTUNE` the runtime chooses how many elements to process in parallel;
their order stays the same. Before TensorFlow 2.4 the constant is `tf.data.experimental.AUTOTUNE`.

## Bad

```python
import tensorflow as tf

def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))

dataset = tf.data.Dataset.list_files("*.jpg").map(load)
```

## Good

```python
import tensorflow as tf

def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))

dataset = tf.data.Dataset.list_files("*.jpg").map(load, num_parallel_calls=tf.data.AUTOTUNE)
```

## When it is wrong

Calling a function of a few cheap operations (a cast, a reshape, splitting a line) costs less than handing it to a
thread. These cases are hints:

- functions of a few cheap operations, and functions that do no visible work: they take entries out of a dictionary, set
  shapes, or print while they are traced
- pipelines of which only a few elements are read: `take(1)`, `next(iter(dataset))`, a loop that stops after a few
  elements, `fit(steps_per_epoch=1)`, a helper that shows some elements, a short list of literals, an element that a
  session runs once
- functions that run plain Python, which the interpreter lock serializes, functions that run on a GPU, and functions
  that are a Keras model
- places where a comment contains the argument
- an `interleave` that only splits data that is already in memory
- pipelines in test code, and pipelines inside a function that is itself mapped or that Apache Beam runs

Options with `map_parallelization = True` make the earlier maps parallel, and the rule is silent. TensorFlow's
documentation gives `True` as the default of that option since 2.7: a `map` with a stateless function and default
options may then already run in parallel, but an `interleave` or a stateful function does not.
Where the function draws random numbers, the fix is unsafe, because the numbers would be drawn in another order.

## References

- TensorFlow guide, "Better performance with the tf.data API": parallelizing data transformation
- DLPerf, root cause "Inefficient API Usage"; DeepPerf's third checker
)"},
    .on_project = check};

} // namespace deepperf::rules::sequential_map
