#include "model/consumers.h"
#include "model/exclusion.h"
#include "model/few_elements.h"
#include "model/mapper.h"
#include "model/pipeline.h"
#include "model/variance.h"
#include "python/literals.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_set>

namespace deepperf::rules::unbatched_map {

using namespace python;

extern const Rule kUnbatchedMap;

namespace {

// Is that parameter 1 unless somebody says otherwise, and does nobody?
bool is_always_one(model::Consumers &consumers, const model::FunctionInfo &function, const Name &name) {
  const auto param = std::ranges::find(function.params, name.id, &Param::name);
  const auto is_one = [](const model::Module &module, const Expr *value) {
    return value != nullptr && module.parsed->source.part(value->start, value->end) == "1";
  };
  if (param == function.params.end() || !is_one(*function.module, (*param)->default_value)) {
    return false;
  }
  const auto index = static_cast<u32>(param - function.params.begin());
  const std::vector<const model::CallSite *> &sites = consumers.calls_of(function);
  return !sites.empty() && !model::is_rebound(function, index) &&
         std::ranges::all_of(sites, [&](const model::CallSite *site) {
           const Expr *const passed = model::passed_argument(*site, index);
           // Called by another name, it may be a partial of it.
           return !has_hidden_arguments(*site->call) && called_name(*site->call) == function.name.text() &&
                  (passed == nullptr || is_one(*site->caller->module, passed));
         });
}

bool is_single(model::Consumers &consumers, const model::Stage &stage) {
  const Source &source = stage.module->parsed->source;
  const Call *const batch = stage.call;
  const Expr *const size = argument(*batch, 0, "batch_size");
  const auto *name = size != nullptr ? as<Name>(size) : nullptr;
  return size == nullptr || source.part(size->start, size->end) == "1" ||
         (name != nullptr && stage.function != nullptr && is_always_one(consumers, *stage.function, *name));
}

bool is_plain_batch(std::string_view method) {
  return method == "batch" || method.ends_with(".batch_and_drop_remainder");
}

// The first stage of a pipeline; null if it is not known.
const model::Stage *source_of(const model::Project &project, u32 at) {
  for (u32 steps = 0; at != 0 && steps < 1000; ++steps) {
    const model::Stage &stage = project.stages[at];
    if (stage.previous == 0) {
      return &stage;
    }
    at = stage.previous;
  }
  return nullptr;
}

// A slicing of arrays, whose elements are all alike.
bool slices_arrays(const model::Stage &source) { return source.method.text().ends_with("from_tensor_slices"); }

// A record that tfds gives has all fields of one shape, for the datasets that are known for it.
bool gives_uniform_records(const model::Stage &source) {
  if (source.call == nullptr || !source.method || !source.method.text().ends_with("tensorflow_datasets.load")) {
    return false;
  }
  const Expr *name = argument(*source.call, 0, "name");
  const StringConstant *text = name != nullptr ? as_string(name) : nullptr;
  const std::string value = text != nullptr ? string_value(source.module->parsed->source, *text) : std::string();
  const std::string_view dataset = std::string_view(value).substr(0, value.find_first_of(":/"));
  return dataset.ends_with("mnist") || dataset.starts_with("cifar10") || dataset == "svhn_cropped" || dataset == "iris";
}

// tfds.load(…, batch_size=32): batches from the start.
bool gives_batches(const model::Stage &source) {
  const Keyword *size = source.call != nullptr ? keyword_argument(*source.call, "batch_size") : nullptr;
  return size != nullptr && !is_none(size->value);
}

// The stages whose elements some loop of the project goes through.
std::unordered_set<u32> stages_in_loops(const model::Project &project) {
  std::unordered_set<u32> stages;
  for (const model::Loop &loop : project.loops) {
    const auto *statement = as<For>(loop.node);
    const auto found = statement != nullptr ? project.stage_at.find(statement->iter) : project.stage_at.end();
    if (found != project.stage_at.end()) {
      stages.insert(found->second);
    }
  }
  return stages;
}

// Who reads datasets, and how.
struct Readers {
  model::Consumers consumers;
  std::unordered_set<u32> in_loops;

  // What other files get is read by each as it likes; what batches in the same file can be seen to belong to it.
  bool read_singly(const model::Stage &stage, u32 at, const model::Stage &batch) {
    return (batch.module != stage.module && in_loops.contains(at)) || consumers.is_read_singly(stage);
  }
};

// A map that could stand after a batch, and what its function does.
struct MovableMap {
  u32 at = 0;
  model::MapperFacts mapper;
};

// Stages before a batch.
struct Before {
  std::vector<MovableMap> maps; // with nothing but shuffles and the like between them and the batch
  std::vector<u32> stops;       // that nothing can be moved past
};

bool parses_one(const model::MapperFacts &mapper) {
  return mapper.parses_single && mapper.known && (mapper.operations == 1 || mapper.vectorisable);
}

// A cache is no stage to look past: after it a map runs once, and after the batch it would run in every epoch.
void follow_back(const model::Project &project, u32 at, std::unordered_set<u32> &seen, Before &before) {
  constexpr u64 kTransparent = kShuffles | kRepeats | kPrefetches | kTakes;
  while (at != 0 && seen.insert(at).second) {
    const model::Stage &stage = project.stages[at];
    if (stage.info == nullptr) { // branches meet
      if (stage.other != 0) {
        follow_back(project, stage.other, seen, before);
      }
      at = stage.previous;
      continue;
    }
    if (stage.info->has(kMaps) && !stage.info->has(kBatches)) {
      // parse_example takes a vector of records: whoever maps it over single ones means to batch first.
      const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
      const bool can_move = mapper.vectorisable || mapper.parses_batch || parses_one(mapper);
      if (can_move) {
        before.maps.push_back({at, mapper});
      } else {
        before.stops.push_back(at);
      }
      return;
    }
    if (!stage.info->has(kTransparent) || stage.info->has(kMaps | kBatches | kFilters | kUnbatches | kWindows)) {
      before.stops.push_back(at);
      return;
    }
    at = stage.previous;
  }
}

// Somewhere on the way to the stage the examples were batched, and not taken apart again.
bool is_batched(const model::Project &project, u32 at) {
  for (u32 steps = 0; at != 0 && steps < 1000; ++steps) {
    const model::Stage &stage = project.stages[at];
    if (stage.info == nullptr || stage.info->has(kUnbatches | kFlatMaps | kInterleaves | kSource)) {
      return false;
    }
    if (stage.info->has(kBatches)) {
      return true;
    }
    at = stage.previous;
  }
  return false;
}

void lint_map(const model::Project &project, const MovableMap &map, const model::Stage &batch, Readers &readers,
              Findings &findings) {
  const model::MapperFacts &mapper = map.mapper;
  const model::Stage &stage = project.stages[map.at];
  const model::Stage *const source = source_of(project, map.at);
  if (model::has_few_elements(project, stage) || (source != nullptr && gives_batches(*source)) ||
      is_batched(project, stage.previous)) {
    return;
  }
  const bool single = parses_one(mapper);
  // Fields that the function leaves out may not even have one shape; only where the data was one array are they known
  // to.
  const bool unsure = mapper.picks_fields && !mapper.parses_batch && !mapper.parses_csv &&
                      (source == nullptr || (!slices_arrays(*source) && !gives_uniform_records(*source)));
  Finding finding;
  finding.rule = &kUnbatchedMap.info;
  finding.file = stage.module->file;
  finding.span = stage.span();
  finding.tier = single || unsure || stage.module->is_test || readers.read_singly(stage, map.at, batch) ||
                         readers.consumers.of(stage) != model::Consumption::All
                     ? Tier::Hint
                     : Tier::On;
  finding.message = "this `map()` runs once per example, though its function would work on a whole batch";
  finding.advice = single ? "call `batch()` first, then map `tf.io.parse_example`, which parses a whole batch at once"
                          : "move this `map()` after `batch()`";
  finding.notes.push_back({batch.module->file, batch.span(), "the examples are batched only here"});
  findings.push_back(std::move(finding));
}

// A map is told of unless it also reaches the batch through something that it cannot be moved past: `if augment:` with
// a crop inside, or another function.
void lint_batch(const model::Project &project, const model::Stage &batch, Readers &readers, Findings &findings) {
  Before before;
  std::unordered_set<u32> seen;
  follow_back(project, batch.previous, seen, before);
  std::unordered_set<const model::Stage *> held;
  for (const u32 stop : before.stops) {
    model::walk_back(project, stop, [&held](const model::Stage &stage) { return held.insert(&stage).second; });
  }
  for (const MovableMap &map : before.maps) {
    if (!held.contains(&project.stages[map.at])) {
      lint_map(project, map, batch, readers, findings);
    }
  }
}

// map_and_batch: the two in one stage, the map still once per example.
void lint_fused(const model::Project &project, const model::Stage &stage, Findings &findings) {
  const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
  const bool single = parses_one(mapper);
  if (!mapper.vectorisable && !single) {
    return;
  }
  Finding finding;
  finding.rule = &kUnbatchedMap.info;
  finding.file = stage.module->file;
  finding.span = stage.span();
  finding.tier = single || mapper.picks_fields || stage.module->is_test ? Tier::Hint : Tier::On;
  finding.message = "this `map_and_batch` maps once per example, though its function would work on a whole batch";
  finding.advice = single ? "call `batch()` first, then map `tf.io.parse_example`, which parses a whole batch at once"
                          : "call `batch()` first, then `map()`";
  findings.push_back(std::move(finding));
}

void check(const model::Project &project, Findings &findings) {
  Readers readers{model::Consumers(project), stages_in_loops(project)};
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    if (stage.info != nullptr && stage.call != nullptr && stage.info->has(kMaps) && stage.info->has(kBatches)) {
      lint_fused(project, stage, findings);
      continue;
    }
    if (stage.info == nullptr || stage.call == nullptr || !stage.info->has(kBatches) || stage.info->has(kMaps) ||
        !is_plain_batch(stage.method.text()) || is_single(readers.consumers, stage)) {
      continue;
    }
    lint_batch(project, stage, readers, findings);
  }
}

} // namespace

extern constinit const Rule kUnbatchedMap = {
    .info = {.code = "DP102",
             .name = "unbatched-map",
             .summary = "`map` before `batch`, though the mapped function could take whole batches",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "50781373_1 58014123_2",
             .documentation = R"(## What it finds

A `map` followed by `batch` where everything the mapped function does could be done for a whole batch at once: casts,
arithmetic, one-hot encoding, decoding CSV lines and the like.

## Why it costs

Each call of the mapped function has a fixed cost, paid once per example. Batching first pays it once per batch.

## Bad

```python
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(images)
dataset = dataset.map(lambda x: tf.cast(x, tf.float32) / 255.0, num_parallel_calls=tf.data.AUTOTUNE)
dataset = dataset.batch(128)
```

## Good

```python
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(images)
dataset = dataset.batch(128)
dataset = dataset.map(lambda x: tf.cast(x, tf.float32) / 255.0, num_parallel_calls=tf.data.AUTOTUNE)
```

## When it is wrong

Some operations need a single example: decoding, file reads, random crops, anything that depends on shapes or axes. The
rule is silent then, also if such an operation comes between the map and the batch on only one path, as under `if
augment:`. It is also silent for operations that it does not know, for short lists of literals, and where the examples
already come in batches.

A function that parses single records and otherwise works on a batch is a hint: `parse_example` parses a whole batch. It
is also a hint where the elements are read one by one before the batch, where another file batches them, or where only a
few of them are read.

## References

- TensorFlow guide, "Better performance with the tf.data API": vectorizing mapping
- DLPerf, root cause "Inefficient API Usage"; DeepPerf's second checker, which did not look into the function
)"},
    .on_project = check};

} // namespace deepperf::rules::unbatched_map
