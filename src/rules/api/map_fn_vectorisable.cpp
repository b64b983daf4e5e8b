#include "model/mapper.h"
#include "rules/site.h"
#include "rules/vector_loop.h"

namespace deepperf::rules::map_fn_vectorisable {

using namespace python;

namespace {

model::Value mapped_function(const Site &site, const Expr *expr) {
  if (expr->kind == NodeKind::Lambda) {
    model::FunctionInfo *const known = site.project.function_at(expr);
    return known != nullptr ? model::Value::of(known) : model::Value{};
  }
  return value_of(site, expr);
}

void check(Site &site, const Call &call) {
  const Expr *function = argument(call, 0, "fn");
  if (function == nullptr || has_hidden_arguments(call)) {
    return;
  }
  const Expr *elements = argument(call, 1, "elems");
  if (elements == nullptr) {
    return;
  }
  const model::Value mapped = mapped_function(site, function);
  const model::MapperFacts facts = model::examine_mapper(site.project, mapped);
  if (!facts.known || facts.random != nullptr || facts.python != nullptr || facts.heavy) {
    return; // images are decoded one by one, and random numbers drawn for each
  }
  bool reduces = false;
  const bool by_rows = mapped.is(model::Value::Tag::Function) && mapped.function != nullptr &&
                       is_vectorisable_function(site, *mapped.function, &reduces);
  if ((facts.vectorisable || by_rows) && !facts.parses_single) {
    report(site, call, "`map_fn` runs row by row what these operations can compute for the whole tensor at once",
           reduces
               ? "call the function on the whole tensor, with `axis=-1` for reductions over a row, or `batch_dims=1`"
               : "call the function on the whole tensor, without `map_fn`");
    return;
  }
  if (facts.ragged || text_of(site, &call).find("Ragged") != std::string_view::npos) {
    return;
  }
  // Without control flow, vectorized_map finds the batched form of most operations by itself.
  Finding &finding = report(site, call, "`map_fn` runs its function for each row separately",
                            "rewrite the function for the whole tensor, or try `tf.vectorized_map`");
  finding.tier = Tier::Hint;
}

} // namespace

extern constinit const Rule kMapFnVectorisable = {
    .info = {.code = "DP113",
             .name = "map-fn-vectorisable",
             .summary = "`tf.map_fn` with a function that could take the whole tensor",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "54808519 59395593 60586279",
             .documentation = R"(## What it finds

`tf.map_fn(f, x)` where every operation in `f` gives the same result for the whole tensor as for each row. Other
functions that draw no random numbers and read no files are reported as hints.

## Why it costs

`map_fn` is a loop. In eager mode it runs the rows sequentially, in a graph a few at a time, and each row launches its
own small kernels. On the whole tensor, each operation is one kernel.

## Bad

```python
import tensorflow as tf

def normalise(images):
    return tf.map_fn(lambda image: tf.sqrt(image) / 255.0, images)
```

## Good

```python
import tensorflow as tf

def normalise(images):
    return tf.sqrt(images) / 255.0
```

## When it is wrong

Where the rows are so large that processing all of them at once does not fit into memory, and for ragged rows.

## References

- `tf.vectorized_map`
- DLPerf, posts 54808519, 59395593, 60586279
)"},
    .calls = "tensorflow.map_fn tensorflow.keras.backend.map_fn",
    .on_call = check};

} // namespace deepperf::rules::map_fn_vectorisable
