#include "model/mapper.h"
#include "python/children.h"
#include "rules/registry.h"

#include <fmt/format.h>

#include <span>

#include <algorithm>

namespace deepperf::rules {

using namespace python;

constinit const RuleInfo kSequentialMap = {
    .code = "DP101",
    .name = "sequential-map",
    .summary = "map or interleave of a tf.data pipeline that handles one element at a time",
    .root_cause = "API: Inefficient API Usage",
    .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
    .stage = "Data Preparation",
    .frameworks = "TensorFlow",
    .tier = Tier::On,
    .documentation = R"(## What it finds

A `map`, `interleave` or `map_with_legacy_function` of a `tf.data` pipeline without `num_parallel_calls`, or with
`num_parallel_calls=None` or `1`.

## Why it costs

Without the argument the function is applied to one element after the other, on one core. While that core decodes and
augments, the others and the GPU wait. With `tf.data.AUTOTUNE` the runtime chooses how many elements to prepare at once;
their order stays the same.

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

A function of a few cheap operations (a cast, a reshape, reordering a tuple) costs less than handing it to a thread: such
places are only a hint. So are pipelines in test code, and those inside a function that is itself mapped.

## References

- TensorFlow guide, "Better performance with the tf.data API": parallelizing data transformation
- DLPerf, root cause "Inefficient API Usage"; DeepPerf's third checker
)"};

namespace {

// Where a scope's own statements first import a name, or bind it by a plain assignment; the end of time if they don't.
u32 bound_at(const Block &body, Symbol name) {
  const auto visit = [name](const auto &self, const Node *node) -> u32 {
    u32 first = ~0U;
    const auto note = [&first](u32 at) { first = std::min(first, at); };
    if (const auto *import = as<Import>(node)) {
      for (const Alias *alias : import->names) {
        const std::string_view text = alias->name.text();
        if (alias->asname == name || (!alias->asname && text.substr(0, text.find('.')) == name.text())) {
          note(node->start);
        }
      }
    } else if (const auto *from = as<ImportFrom>(node)) {
      for (const Alias *alias : from->names) {
        if ((alias->asname ? alias->asname : alias->name) == name) {
          note(node->start);
        }
      }
    } else if (const auto *assignment = as<Assign>(node)) {
      for (const Expr *target : assignment->targets) {
        if (const auto *plain = as<Name>(target); plain != nullptr && plain->id == name) {
          note(node->start);
        }
      }
    } else if (node->kind == NodeKind::If || node->kind == NodeKind::Try) {
      for_each_child(node, [&](const Node *child) { note(self(self, child)); });
    }
    return first;
  };
  u32 first = ~0U;
  for (const Stmt *statement : body) {
    first = std::min(first, visit(visit, statement));
  }
  return first;
}

// How to write AUTOTUNE at a place with the names that a scope has; empty if it has none for it. The plain `tf` is
// preferred. In the place's own scope a name must be bound before it.
std::string autotune_in(const model::FunctionInfo &scope, const model::Stage &stage, bool old) {
  const Block body = scope.node == nullptr           ? scope.module->parsed->tree.body
                     : scope.definition() != nullptr ? scope.definition()->body
                                                     : Block{};
  std::string best;
  int best_rank = 3;
  for (u32 slot = 0; slot < scope.names.size(); ++slot) {
    const model::Value &value = scope.ever[slot];
    if (!value.is(model::Value::Tag::Api)) {
      continue;
    }
    const std::string_view api = value.name().text();
    const int rank = api == "tensorflow" ? 0 : api == "tensorflow.data" ? 1 : api.ends_with(".AUTOTUNE") ? 2 : 3;
    const Symbol name{scope.names[slot]};
    if (rank >= best_rank || bound_at(body, name) > (stage.function == &scope ? stage.call->start : ~0U - 1)) {
      continue;
    }
    best_rank = rank;
    best = name.text();
    const bool experimental = old || value.v1;
    if (rank == 0) {
      best += experimental ? ".data.experimental.AUTOTUNE" : ".data.AUTOTUNE";
    } else if (rank == 1) {
      best += experimental ? ".experimental.AUTOTUNE" : ".AUTOTUNE";
    }
  }
  return best;
}

// The same for a place in a file.
std::string autotune_name(const model::Stage &stage) {
  const bool old = stage.module->v1 && !stage.module->v2;
  for (const model::FunctionInfo *scope = stage.function; scope != nullptr; scope = scope->parent) {
    if (std::string name = autotune_in(*scope, stage, old); !name.empty()) {
      return name;
    }
  }
  return stage.module->body != nullptr ? autotune_in(*stage.module->body, stage, old) : "";
}

bool is_sequential_value(const Source &source, const Expr *value) {
  const auto *constant = as<Constant>(value);
  return constant != nullptr && (constant->constant_kind() == ConstantKind::None ||
                                 source.text().substr(constant->start, constant->end - constant->start) == "1");
}

// The value given for num_parallel_calls, and whether one may have been given out of sight (*args, **kwargs).
struct Parallelism {
  const Expr *value = nullptr;
  bool hidden = false;
};

Parallelism parallelism_of(const Call *call, u32 position) {
  Parallelism result;
  for (u32 i = 0; i < call->args.size(); ++i) {
    result.hidden |= call->args[i]->kind == NodeKind::Starred;
    if (i == position) {
      result.value = call->args[i];
    }
  }
  for (const Keyword *keyword : call->keywords) {
    result.hidden |= !keyword->name;
    if (keyword->name &&
        (keyword->name.text() == "num_parallel_calls" || keyword->name.text() == "num_parallel_batches")) {
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

// The pipeline starts from a single element.
bool has_one_element(const model::Project &project, const model::Stage &stage) {
  u32 at = stage.previous;
  for (u32 steps = 0; at != 0 && steps < 1000; ++steps) {
    const model::Stage &earlier = project.stages[at];
    if (earlier.info != nullptr && earlier.info->has(kRepeats | kFlatMaps | kInterleaves | kUnbatches)) {
      return false;
    }
    if (earlier.previous == 0) {
      return earlier.method.text().ends_with("Dataset.from_tensors");
    }
    at = earlier.previous;
  }
  return false;
}

// Behind the call's last argument.
u32 end_of_arguments(const Source &source, const Call *call) {
  const Node *last = nullptr;
  bool parenthesized = false;
  const auto consider = [&](const Node *node, const Expr *value) {
    if (last == nullptr || node->end > last->end) {
      last = node;
      parenthesized = node == value && value->parenthesized; // a keyword's span includes its value's parentheses
    }
  };
  for (const Expr *arg : call->args) {
    consider(arg, arg);
  }
  for (const Keyword *keyword : call->keywords) {
    consider(keyword, keyword->value);
  }
  if (last == nullptr) {
    return 0;
  }
  u32 end = last->end;
  if (parenthesized) {
    end = static_cast<u32>(source.text().find(')', end)) + 1;
  }
  return end;
}

} // namespace

void check_sequential_map(const model::Project &project, Findings &findings) {
  for (const model::Stage &stage : std::span(project.stages).subspan(project.first_stage)) {
    if (stage.info == nullptr || !stage.info->has(kMaps | kInterleaves) || stage.call == nullptr) {
      continue;
    }
    const std::string_view method = stage.method.text().substr(stage.method.text().rfind('.') + 1);
    if (method == "parallel_interleave" || stage.info->has(kSource)) {
      continue;
    }
    const Source &source = stage.module->parsed->source;
    const u32 position = method == "map_and_batch" ? 4 : stage.info->has(kInterleaves) ? 3 : 1;
    const Parallelism given = parallelism_of(stage.call, position);
    if (given.hidden || (given.value != nullptr && !is_sequential_value(source, given.value))) {
      continue;
    }
    if (method == "map_and_batch" && given.value == nullptr) {
      continue; // by default as parallel as its batch is large
    }
    const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
    Finding finding;
    finding.rule = &kSequentialMap;
    finding.file = stage.module->file;
    finding.span = stage.span();
    finding.message = fmt::format("this {} handles one element at a time, on one core", method);
    const std::string autotune = autotune_name(stage);
    finding.advice = fmt::format("pass num_parallel_calls={}", autotune.empty() ? "tf.data.AUTOTUNE" : autotune);
    if (mapper.cheap) {
      finding.tier = Tier::Hint;
      finding.message += ", though its function is so cheap that this may not matter";
    } else if (stage.module->is_test || makes_datasets(stage) || has_one_element(project, stage) ||
               (stage.function != nullptr && stage.function->traced)) {
      finding.tier = Tier::Hint;
    }
    if (!autotune.empty()) {
      Fix fix;
      if (given.value != nullptr) {
        fix.edits.push_back({given.value->start, given.value->end, autotune});
      } else if (const u32 end = end_of_arguments(source, stage.call); end != 0) {
        fix.edits.push_back({end, end, ", num_parallel_calls=" + autotune});
      }
      if (!fix.edits.empty()) {
        finding.fix = std::move(fix);
      }
    }
    findings.push_back(std::move(finding));
  }
}

} // namespace deepperf::rules
