#include "model/bind.h"
#include "model/few_elements.h"
#include "model/mapper.h"
#include "model/pipeline.h"
#include "rules/origins.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::misplaced_cache {

using namespace python;

namespace {

bool is_endless(const model::Stage &stage) {
  if (!stage.info->has(kRepeats) || stage.info->has(kShuffles) || has_hidden_arguments(*stage.call)) {
    return false;
  }
  const Expr *count = argument(*stage.call, 0, "count");
  if (count == nullptr || is_none(count)) {
    return true;
  }
  const auto *negative = as<UnaryOp>(count);
  return negative != nullptr && negative->op() == UnaryOperator::USub && negative->operand->kind == NodeKind::Constant;
}

bool shuffles_once(const model::Stage &stage) {
  const Keyword *again = keyword_argument(*stage.call, "reshuffle_each_iteration");
  const Expr *value = again != nullptr ? again->value : argument(*stage.call, 2, "reshuffle_each_iteration");
  return value != nullptr || has_hidden_arguments(*stage.call);
}

// What stands before a cache.
struct Before {
  const model::Stage *random = nullptr;
  const model::Stage *shuffle = nullptr;
  const model::Stage *endless = nullptr;
  bool branches = false;  // some of it is only there under a condition
  bool taken = false;     // a part was taken after what came earlier
  bool few = false;       // so few that they are to be the same each time
  bool work = false;      // that takes time
  bool in_memory = false; // it starts from arrays
};

void look_at(const model::Project &project, const model::Stage &stage, Before &before) {
  const ApiInfo &info = *stage.info;
  if (info.has(kMaps)) {
    const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
    before.work |= !mapper.cheap;
    // An object may have been told not to: random only `if self.training`.
    const bool is_random = mapper.random != nullptr && !stage.mapper.is(model::Value::Tag::Object) && !before.few;
    before.random = is_random && before.random == nullptr ? &stage : before.random;
  } else if (info.has(kSource)) {
    const std::string_view name = stage.method.text();
    before.in_memory =
        name.ends_with(".from_tensor_slices") || name.ends_with(".from_tensors") || name.ends_with(".range");
    before.work |= !before.in_memory;
  } else if (info.has(kTakes)) {
    before.taken = true;
    before.few |= model::takes_few(stage);
  } else if (info.has(kRepeats) && !info.has(kShuffles)) {
    before.endless = !before.taken && is_endless(stage) ? &stage : before.endless;
  } else if (info.has(kShuffles)) {
    before.shuffle = !before.taken && before.shuffle == nullptr && !shuffles_once(stage) ? &stage : before.shuffle;
  } else if (!info.has(kBatches | kEnumerates | kPrefetches)) {
    before.work = true;
  }
}

// `val_ds = …`, `val_ds.cache()`: nobody needs another order there in each epoch.
bool is_for_evaluation(const Site &site, const Call &call) {
  const auto *assignment = as<Assign>(enclosing(site, NodeKind::Assign));
  const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  const auto says_so = [](std::string_view name) {
    return name == "val" || name.starts_with("val_") || name.ends_with("_val") || name.find("_val_") != name.npos ||
           name.find("valid") != name.npos || name.find("test") != name.npos || name.find("VAL") != name.npos ||
           name.find("TEST") != name.npos;
  };
  const Expr *const receiver = receiver_of(call);
  const Name *const root = receiver != nullptr ? model::root_name(receiver) : nullptr;
  return (target != nullptr && says_so(target->id.text())) || (root != nullptr && says_so(root->id.text()));
}

// Is the function one of several stages that a loop calls under one name? Then each seems to come after all others, and
// check_list knows their order.
bool is_listed(const model::FunctionInfo *function) {
  return function != nullptr && std::ranges::any_of(function->called_by, [](const model::CallSite *site) {
           const auto *loop = site->loop != nullptr ? as<For>(site->loop->node) : nullptr;
           const auto *stage = loop != nullptr ? as<Name>(loop->target) : nullptr;
           const auto *called = as<Name>(site->call->func);
           return stage != nullptr && called != nullptr && stage->id == called->id;
         });
}

// A random function that a helper maps which the cached dataset went through: `apply_all(ds, decode, augment).cache()`.
// What it maps is what this very call passes.
const model::Stage *random_by_argument(const Site &site, const Call &cache,
                                       const std::vector<const model::Stage *> &stages) {
  const Expr *receiver = receiver_of(cache);
  if (receiver == nullptr || site.function == nullptr || stages.empty()) {
    return nullptr;
  }
  const model::Stage *found = nullptr;
  visit_origins(site, *site.function, receiver, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    if (call != nullptr) {
      const auto stage = site.project.stage_at.find(call);
      const bool is_stage = stage != site.project.stage_at.end() && site.project.stages[stage->second].call == call;
      const ApiInfo *info = is_stage ? site.project.stages[stage->second].info : nullptr;
      return info == nullptr || info->has(kCaches | kSource | kTakes) ? Onward::Stop : Onward::Through;
    }
    const model::Value value = value_of(site_of_origin(site, *origin.function), origin.expr);
    if (value.is(model::Value::Tag::Function) && model::examine_mapper(site.project, value).random != nullptr) {
      found = stages.front();
    }
    return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
  });
  return found;
}

// The map after a cache of file names that reads the files, the same in each epoch; null if there is none.
const model::Stage *work_after(const model::Project &project, const model::Stage &cache) {
  constexpr u32 kMost = 32;
  u32 at = static_cast<u32>(&cache - project.stages.data());
  for (u32 i = 0; i < kMost; ++i) {
    const std::vector<u32> &followers = model::followers_of(project, at);
    if (followers.size() != 1) {
      return nullptr;
    }
    at = followers[0];
    const model::Stage &stage = project.stages[at];
    if (stage.info == nullptr || stage.info->has(kCaches | kSource)) {
      return nullptr;
    }
    if (stage.info->has(kMaps)) {
      const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
      return mapper.reads && mapper.random == nullptr && !mapper.opaque ? &stage : nullptr;
    }
  }
  return nullptr;
}

void check(Site &site, const Call &call) {
  const auto known = site.project.stage_at.find(&call);
  if (known == site.project.stage_at.end()) {
    return;
  }
  const model::Project &project = site.project;
  const model::Stage &cache = project.stages[known->second];
  if (cache.call != &call || is_listed(site.function)) {
    return;
  }
  Before before;
  std::vector<const model::Stage *> open; // that map what a helper is given
  const bool complete = model::walk_back(project, cache.previous, [&](const model::Stage &stage) {
    if (stage.info != nullptr && !stage.info->has(kCaches)) {
      look_at(project, stage, before);
      if (stage.info->has(kMaps) && stage.function != site.function && !stage.mapper.known()) {
        open.push_back(&stage);
      }
    }
    return stage.info == nullptr || !stage.info->has(kCaches);
  });
  constexpr u32 kMostStages = 200; // `ds = ds.map(f)` in a loop follows itself
  u32 at = cache.previous;
  for (u32 i = 0; at != 0 && i < kMostStages; ++i) {
    before.branches |= project.stages[at].other != 0;
    at = project.stages[at].previous;
  }
  if (before.random == nullptr) {
    before.random = random_by_argument(site, call, open);
  }
  const auto add_finding = [&](const model::Stage &culprit, std::string_view what, std::string message,
                               std::string advice) {
    Finding &finding = report(site, cache.span(), std::move(message), std::move(advice));
    finding.notes.push_back({culprit.module->file, culprit.span(), std::string(what)});
  };
  if (before.endless != nullptr && !before.branches) {
    add_finding(*before.endless, "the dataset repeats endlessly from here",
                "`cache()` after an endless `repeat()` never completes, and it grows with every epoch",
                "move `cache()` before `repeat()`");
  } else if (before.random != nullptr && !is_for_evaluation(site, call)) {
    add_finding(*before.random, "elements are changed at random here",
                "`cache()` after random augmentation repeats the first epoch's random values in every epoch",
                "move `cache()` before the random augmentation");
  } else if (before.shuffle != nullptr && !before.branches && !is_for_evaluation(site, call) &&
             !model::is_followed_by(project, cache, kShuffles)) {
    add_finding(*before.shuffle, "the dataset is shuffled here",
                "`cache()` after `shuffle()` repeats the first epoch's order in every epoch",
                "move `cache()` before `shuffle()`");
  } else if (const model::Stage *work =
                 complete && before.in_memory && !before.work ? work_after(project, cache) : nullptr;
             work != nullptr) {
    add_finding(*work, "this reads and decodes every file again in every epoch",
                "`cache()` keeps only file names, because the files are read after it",
                "move `cache()` after this `map`, if the decoded data fits into memory, or omit it");
  } else if (complete && before.in_memory && !before.work) {
    Finding &finding = report(site, cache.span(), "`cache()` keeps a second copy of data that is already in memory",
                              "omit `cache()`, or move it after the expensive stages");
    finding.tier = Tier::Hint;
  }
}

// ---- Stages that stand in a list ------------------------------------------------------------------------------------

// The statement `dataset = dataset.apply(stage)` or `dataset = stage(dataset)` of a loop over stages.
bool applies_each(const For &loop) {
  const auto *stage = as<Name>(loop.target);
  return stage != nullptr && std::ranges::any_of(loop.body, [&](const Stmt *statement) {
           const auto *assignment = as<Assign>(statement);
           const auto *target =
               assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
           const auto *call = target != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
           if (call == nullptr || call->args.size() != 1 || !call->keywords.empty()) {
             return false;
           }
           const auto is_name = [](const Expr *expr, Symbol name) {
             const auto *plain = as<Name>(expr);
             return plain != nullptr && plain->id == name;
           };
           const bool by_method = called_method(*call) == "apply" && is_name(receiver_of(*call), target->id) &&
                                  is_name(call->args[0], stage->id);
           return by_method || (is_name(call->func, stage->id) && is_name(call->args[0], target->id));
         });
}

// The lists that the loop may go over: written in its head, or assigned to the name there. None if it may be another.
std::vector<const Expr *> lists_of(const Site &site, const For &loop) {
  const auto is_list = [](const Expr *expr) { return expr->kind == NodeKind::List || expr->kind == NodeKind::Tuple; };
  if (is_list(loop.iter)) {
    return {loop.iter};
  }
  const auto *name = as<Name>(loop.iter);
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  std::vector<const Expr *> lists;
  const bool is_other = name == nullptr || any_node(body, [&](const Node *node) {
                          const auto *call = as<Call>(node); // stages.append(…)
                          const auto *receiver = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
                          const auto *assignment = as<Assign>(node);
                          for (const Expr *target : assignment != nullptr ? assignment->targets : Array<Expr *>{}) {
                            const auto *bound = as<Name>(target);
                            if (bound != nullptr && bound->id == name->id) {
                              lists.push_back(assignment->value);
                            }
                          }
                          return receiver != nullptr && receiver->id == name->id;
                        });
  return is_other || !std::ranges::all_of(lists, is_list) ? std::vector<const Expr *>{} : lists;
}

// What one stage of the list does: `self.augment`, `lambda dataset: dataset.cache()`.
struct ListedStage {
  const model::StageFact *random = nullptr;
  const model::StageFact *cache = nullptr;
  const model::FunctionInfo *function = nullptr;
};

ListedStage listed_stage(const Site &site, const Expr *expr) {
  ListedStage listed;
  const model::Value value =
      expr->kind == NodeKind::Lambda ? model::Value::of(site.project.function_at(expr)) : value_of(site, expr);
  const bool is_function = value.is(model::Value::Tag::Function) || value.is(model::Value::Tag::Method);
  listed.function = is_function ? value.function : nullptr;
  if (listed.function == nullptr) {
    return listed;
  }
  for (const model::StageFact &stage : listed.function->stages) {
    if (stage.info != nullptr && stage.info->has(kCaches)) {
      listed.cache = &stage;
    } else if (stage.info != nullptr && stage.info->has(kMaps) && !stage.mapper.is(model::Value::Tag::Object) &&
               model::examine_mapper(site.project, stage.mapper).random != nullptr) {
      listed.random = &stage;
    }
  }
  return listed;
}

void check_list(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  if (!site.module->tensorflow || site.module->is_test || !applies_each(loop)) {
    return;
  }
  for (const Expr *list : lists_of(site, loop)) {
    const auto &stages =
        list->kind == NodeKind::List ? static_cast<const List *>(list)->elts : static_cast<const Tuple *>(list)->elts;
    ListedStage random;
    for (const Expr *stage : stages) {
      const ListedStage one = listed_stage(site, stage);
      if (one.cache != nullptr && one.random == nullptr && random.random != nullptr) {
        Finding &finding = report(site, *stage,
                                  "`cache()` after random augmentation repeats the first epoch's random values in "
                                  "every epoch",
                                  "move `cache()` before the random augmentation");
        finding.notes.push_back(
            {random.function->module->file, random.random->call->span(), "elements are changed at random here"});
        break;
      }
      random = one.random != nullptr ? one : random;
    }
  }
}

} // namespace

extern constinit const Rule kMisplacedCache = {
    .info = {.code = "DP105",
             .name = "misplaced-cache",
             .summary = "a `Dataset.cache()` after randomness or an endless `repeat()`, or one that saves nothing",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Memory Leak, Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "",
             .documentation = R"(## What it finds

A `cache()` in a `tf.data` pipeline after a map with random operations (`tf.image.random_flip_left_right`,
`RandomCrop`), after `shuffle()`, or after an endless `repeat()`. The stages may also be functions in a list that a loop applies
one after the other. A `cache()` of data that `from_tensor_slices` already holds in memory is a hint.

## Why it costs

In every later epoch, a cache replays what the first epoch stored. Random augmentation is drawn once and then stays the
same, and so does the order. After an endless `repeat()` the cache never completes: it takes memory for every epoch and
is never read.

## Bad

```python
import tensorflow as tf

def augment(image):
    return tf.image.random_flip_left_right(image)

def pipeline(dataset: tf.data.Dataset):
    return dataset.map(augment, num_parallel_calls=tf.data.AUTOTUNE).cache().batch(32)
```

## Good

```python
import tensorflow as tf

def augment(image):
    return tf.image.random_flip_left_right(image)

def pipeline(dataset: tf.data.Dataset):
    return dataset.cache().map(augment, num_parallel_calls=tf.data.AUTOTUNE).batch(32)
```

## When it is wrong

A validation set may be augmented once on purpose, and one shuffled order may be enough. Set a seed in such a place, or
suppress the rule there.

## References

- TensorFlow guide, "Better performance with the tf.data API": caching
- `tf.data.Dataset.cache`: the note on the order of elements
)"},
    .calls = "Dataset.cache",
    .on_call = check,
    .nodes = {NodeKind::For},
    .on_node = check_list};

} // namespace deepperf::rules::misplaced_cache
