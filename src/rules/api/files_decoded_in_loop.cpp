#include "rules/reach.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules::files_decoded_in_loop {

using namespace python;
using model::Value;

namespace {

// Does the loop read files itself?
bool reads_files(const Site &site, const Node &loop) {
  struct ReadsFiles {
    bool value = false;
  };
  return site.memory
      .recall<ReadsFiles>(&loop,
                          [&] {
                            return ReadsFiles{any_node(&loop, [&](const Node *inner) {
                              const auto *source = as<Call>(inner);
                              return source != nullptr && called_api(site, *source).ends_with("read_file");
                            })};
                          })
      .value;
}

// A call of TensorFlow that decodes a file's contents, in the node or in a function of the project that it calls.
const Call *decodes(const Site &site, const Node *node, const Node &loop, u32 depth) {
  const Call *found = nullptr;
  any_node(node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    const Value callee = call != nullptr ? site.project.callee_of(call) : Value{};
    if (callee.is(Value::Tag::Api) && callee.name().text().starts_with("tensorflow.")) {
      const ApiInfo *info = find_api(callee.name());
      const bool is_decoding = info != nullptr && info->has(kDecode);
      found = is_decoding && (depth > 0 || reads_files(site, loop)) ? call : found;
    } else if (callee.is(Value::Tag::Function) && depth == 0 && callee.function->definition() != nullptr &&
               callee.function->compiled_at == nullptr) {
      const FunctionDef *definition = callee.function->definition();
      const bool inside = std::ranges::any_of(definition->body, [&](const Stmt *statement) {
        return decodes(site, statement, loop, depth + 1) != nullptr;
      });
      found = inside && has_word(rules::text_of(*callee.function), {"read_file", "open("}) ? call : found;
    }
    return found != nullptr;
  });
  return found;
}

// Lists of a function whose elements are put together to one tensor.
struct StackedLists {
  std::unordered_set<u32> names;
};

StackedLists stacked_lists(const Site &site, const Block &scope) {
  StackedLists found;
  any_node(scope, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *given = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
    if (given != nullptr) {
      const std::string_view api = called_api(site, *call);
      const std::string_view last = api.substr(api.rfind('.') + 1);
      if (last == "stack" || last == "array" || last == "concat" || last == "concatenate" || last == "asarray" ||
          last == "convert_to_tensor" || last == "from_tensor_slices") {
        found.names.insert(given->id.id);
      }
    }
    return false;
  });
  return found;
}

bool is_stacked(const Site &site, Symbol list) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block scope = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const void *about = definition != nullptr ? static_cast<const void *>(definition) : site.module;
  return site.memory.recall<StackedLists>(about, [&] { return stacked_lists(site, scope); }).names.contains(list.id);
}

void add_finding(Site &site, const Node &place, const Node &loop) {
  Finding &finding = report(
      site, place, "the files are read and decoded sequentially, before anything else happens",
      "use `tf.data.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(32)`, "
      "or `tf.keras.utils.image_dataset_from_directory`");
  add_note(finding, site, loop, "in every iteration of this loop");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
}

void check(Site &site, const Node &node) {
  if (!site.module->tensorflow || site.module->is_test || is_traced(site) || (site.module->v1 && !site.module->v2)) {
    return;
  }
  const model::Loop *loop = site.project.loop_at(&node);
  if (loop == nullptr || loop->few_iterations || loop->iterations == model::Iterations::Few) {
    return;
  }
  if (const auto *statement = as<For>(&node)) {
    // images.append(load(path))
    any_node(statement->body, [&](const Node *part) {
      const auto *call = as<Call>(part);
      const auto *list = call != nullptr && called_method(*call) == "append" && call->args.size() == 1
                             ? as<Name>(receiver_of(*call))
                             : nullptr;
      if (list == nullptr || !is_stacked(site, list->id)) {
        return false;
      }
      const auto *name = as<Name>(call->args[0]);
      const Call *decoding = nullptr;
      if (name == nullptr) {
        decoding = decodes(site, call->args[0], node, 0);
      }
      for (const Stmt *one : statement->body) {
        const auto *assignment = as<Assign>(one);
        const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
        if (decoding == nullptr && name != nullptr && target != nullptr && target->id == name->id) {
          decoding = decodes(site, assignment->value, node, 0);
        }
      }
      if (decoding != nullptr) {
        add_finding(site, *decoding, node);
      }
      return decoding != nullptr;
    });
    return;
  }
  // tf.stack([load(path) for path in paths])
  const auto &list = static_cast<const ComprehensionExpr &>(node);
  const auto *outer = site.ancestors.empty() ? nullptr : as<Call>(site.ancestors.back());
  const std::string_view api = outer != nullptr ? called_api(site, *outer) : std::string_view{};
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const bool is_joined = api == "tensorflow.stack" || api == "tensorflow.concat" || api == "numpy.stack" ||
                         api == "numpy.array" || (target != nullptr && is_stacked(site, target->id));
  const Call *decoding = is_joined ? decodes(site, list.elt, node, 0) : nullptr;
  if (decoding != nullptr) {
    add_finding(site, *decoding, node);
  }
}

} // namespace

extern constinit const Rule kFilesDecodedInLoop = {
    .info = {.code = "DP122",
             .name = "files-decoded-in-loop",
             .summary = "a Python loop that decodes files with TensorFlow and stacks the results",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Out of Memory",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "65037659",
             .documentation = R"(## What it finds

A loop or comprehension that decodes an image, sound or record with TensorFlow's operations in each iteration, itself or through a function,
and collects the results in a list that is stacked afterwards.

## Why it costs

Each file is read and decoded on one core, and the model waits until the last one is in memory. A `tf.data` pipeline decodes several files at
once, while the model works, and keeps only a few batches.

## Bad

```python
import tensorflow as tf


def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [96, 96])


def features(model, paths):
    images = []
    for path in paths:
        images.append(load(path))
    return model(tf.stack(images))
```

## Good

```python
import tensorflow as tf


def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [96, 96])


def features(model, paths):
    images = tf.data.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return tf.concat([model(batch) for batch in images.batch(32).prefetch(tf.data.AUTOTUNE)], 0)
```

## When it is wrong

Where there are only a few files.

## References

- TensorFlow guide "tf.data: Build TensorFlow input pipelines"
- DLPerf, post 65037659
)"},
    .nodes = {NodeKind::For, NodeKind::ListComp},
    .on_node = check};

} // namespace deepperf::rules::files_decoded_in_loop
