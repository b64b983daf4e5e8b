#include "model/pipeline.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <span>

namespace deepperf::rules::sequential_file_read {

using namespace python;

extern const Rule kSequentialFileRead;

namespace {

// TFRecordDataset and the others that read files one record after the other.
bool reads_files(Symbol api) {
  const ApiInfo *info = find_api(api);
  const std::string_view name = api.text();
  return info != nullptr && info->returns == Kind::Dataset && info->has(kSource) && info->has(kIo) &&
         !info->has(kBatched) && (name.ends_with("Dataset") || name.find("IODataset.") != std::string_view::npos);
}

// The name of the reader that the mapped function opens its file with; empty if it does something else.
std::string_view reader_of(const model::Project &project, const model::Value &mapper) {
  if (mapper.is(model::Value::Tag::Api)) {
    return reads_files(mapper.name()) ? mapper.name().text() : std::string_view{};
  }
  if (!mapper.is(model::Value::Tag::Function) && !mapper.is(model::Value::Tag::Method)) {
    return {};
  }
  const model::Value &made = mapper.function->returns;
  if (!made.is_kind(Kind::Dataset)) {
    return {};
  }
  std::string_view reader;
  model::walk_back(project, model::stage_of(project, made), [&reader](const model::Stage &stage) {
    if (stage.info != nullptr && stage.info->has(kSource) && reads_files(stage.method)) {
      reader = stage.method.text();
    }
    return true;
  });
  return reader;
}

// One file has nothing to be read next to: from_tensors, or a list of one written down.
bool has_one_file(const model::Project &project, u32 stage) {
  bool one = false;
  model::walk_back(project, stage, [&one](const model::Stage &earlier) {
    if (earlier.info != nullptr && earlier.info->has(kSource) && !earlier.call->args.empty()) {
      const Expr *files = earlier.call->args[0];
      const auto *list = as<List>(files);
      one |= earlier.method.text().ends_with(".from_tensors") || (list != nullptr && list->elts.size() <= 1);
    }
    return true;
  });
  return one;
}

// The order of the records changes when files are read at once; a shuffle after it says that it does not matter.
void settle(const model::Project &project, const model::Stage &stage, Finding &finding) {
  if (!model::is_followed_by(project, stage, kShuffles, true)) {
    finding.tier = Tier::Hint;
  }
}

void check_flat_map(const model::Project &project, const model::Stage &stage, Findings &findings) {
  std::string_view reader = reader_of(project, stage.mapper);
  if (reader.empty() || has_one_file(project, stage.previous)) {
    return;
  }
  if (model::is_followed_by(project, stage, kTakes, true)) {
    return; // a look at a few records
  }
  reader = reader.substr(reader.rfind('.') + 1);
  const std::string autotune = autotune_at(stage.function, *stage.module, stage.call->start);
  Finding &finding = report(findings, kSequentialFileRead, *stage.module, stage.span(),
                            fmt::format("this reads files sequentially with `{}`", reader),
                            fmt::format("read several files at once: `interleave(…, num_parallel_calls={})`",
                                        autotune.empty() ? "tf.data.AUTOTUNE" : autotune));
  settle(project, stage, finding);
  if (!autotune.empty() && stage.call->args.size() == 1 && stage.call->keywords.empty()) {
    const u32 name_end = stage.call->func->end;
    const u32 end = end_of_arguments(stage.module->parsed->source, *stage.call);
    set_fix(finding, false,
            {Edit{name_end - 8, name_end, "interleave"}, Edit{end, end, ", num_parallel_calls=" + autotune}});
  }
}

// TFRecordDataset of a list of files reads them in turn, unless it is told how many at once.
void check_records(const model::Project &project, const model::Stage &stage, Findings &findings) {
  const Call &call = *stage.call;
  const Expr *files = argument(call, 0, "filenames");
  if (files == nullptr || call.args.size() > 3 || has_hidden_arguments(call) ||
      keyword_argument(call, "num_parallel_reads") != nullptr) {
    return;
  }
  const auto *list = as<List>(files);
  const bool several = list != nullptr ? list->elts.size() > 1
                                       : files->kind == NodeKind::ListComp || model::kind_of(files) == Kind::List ||
                                             model::kind_of(files) == Kind::Dataset;
  if (!several || (stage.function != nullptr && stage.function->traced) ||
      model::is_followed_by(project, stage, kTakes, true)) {
    return;
  }
  const std::string autotune = autotune_at(stage.function, *stage.module, call.start);
  Finding &finding =
      report(findings, kSequentialFileRead, *stage.module, call.span(), "this reads its files sequentially",
             fmt::format("pass `num_parallel_reads={}`", autotune.empty() ? "tf.data.AUTOTUNE" : autotune));
  settle(project, stage, finding);
  const u32 end = end_of_arguments(stage.module->parsed->source, call);
  if (!autotune.empty() && end != 0) {
    set_fix(finding, false, {Edit{end, end, ", num_parallel_reads=" + autotune}});
  }
}

void check(const model::Project &project, Findings &findings) {
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    if (stage.info == nullptr || stage.call == nullptr) {
      continue;
    }
    if (stage.info->has(kFlatMaps)) {
      check_flat_map(project, stage, findings);
    } else if (stage.info->has(kSource) && stage.method.text().ends_with(".TFRecordDataset")) {
      check_records(project, stage, findings);
    }
  }
}

} // namespace

extern constinit const Rule kSequentialFileRead = {
    .info = {.code = "DP106",
             .name = "sequential-file-read",
             .summary = "a `tf.data` pipeline that reads its files sequentially",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .posts = "",
             .documentation = R"(## What it finds

`flat_map` over file names whose function opens each file with `TFRecordDataset`, `TextLineDataset` or the like, and
`TFRecordDataset` of several files without `num_parallel_reads`. DP101 reports an `interleave` without
`num_parallel_calls`.

## Why it costs

Both read one file to its end before they open the next. One thread waits for every open and every read, which is slow
on remote storage. `interleave` with `num_parallel_calls` keeps several files open and reads them concurrently.

## Bad

```python
import tensorflow as tf

files = tf.data.Dataset.list_files("train-*.tfrecord")
records = files.flat_map(tf.data.TFRecordDataset).shuffle(10000)
```

## Good

```python
import tensorflow as tf

files = tf.data.Dataset.list_files("train-*.tfrecord")
records = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE).shuffle(10000)
```

## When it is wrong

Where the order of the records matters, as in an evaluation that is compared line by line. Without a later `shuffle()`
it is therefore a hint, and the fix needs `--unsafe-fixes`. It also does not matter for a single small file.

## References

- TensorFlow guide, "Better performance with the tf.data API": parallelizing data extraction
)"},
    .on_project = check};

} // namespace deepperf::rules::sequential_file_read
