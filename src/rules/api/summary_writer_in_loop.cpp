#include "model/variance.h"
#include "rules/dependencies.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::summary_writer_in_loop {

using namespace python;

namespace {

bool varies(const Site &site, const model::Loop &loop, const Call &call) {
  return std::ranges::any_of(call.args, [&](const Expr *arg) { return model::varies(site.project, loop, arg); }) ||
         std::ranges::any_of(call.keywords,
                             [&](const Keyword *keyword) { return model::varies(site.project, loop, keyword->value); });
}

void check(Site &site, const Call &call) {
  if (const model::Loop *loop = long_loop_around(site)) {
    if (loop->makes_graph || varies(site, *loop, call) || !runs_every_iteration(site, *loop)) {
      return; // one for each run, or for the first iteration
    }
    Finding &finding = report(site, call, "this opens a new event file for the same folder in every iteration",
                              "create the writer once before the loop");
    add_note(finding, site, *loop->node, "in every iteration of this loop");
    finding.notes.back().span.end = finding.notes.back().span.start + 3;
    return;
  }
  // In a function that a training loop calls, where nothing keeps it.
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || !function->in_loop || function->node == nullptr || site.ancestors.empty() ||
      enclosing(site, NodeKind::If) != nullptr || (function->name && function->name.text() == "__init__")) {
    return;
  }
  const auto *assignment = as<Assign>(site.ancestors.back());
  const bool with = site.ancestors.back()->kind == NodeKind::With;
  if (!with && (assignment == nullptr || assignment->targets[0]->kind != NodeKind::Name)) {
    return;
  }
  const model::Dependencies on = [&] {
    model::Dependencies all;
    for (const Expr *arg : call.args) {
      const model::Dependencies one = dependencies_of(site, *function, arg);
      all.params |= one.params;
      all.varies |= one.varies;
    }
    for (const Keyword *keyword : call.keywords) {
      const model::Dependencies one = dependencies_of(site, *function, keyword->value);
      all.params |= one.params;
      all.varies |= one.varies;
    }
    return all;
  }();
  const bool method = function->type != nullptr && !function->is_static;
  if (on.varies || (on.params & ~u64{method ? 1U : 0U}) != 0) {
    return;
  }
  report(site, call, "this opens a new event file in every call of this function, and a loop calls it",
         "create the writer once, and pass it to the function");
}

} // namespace

extern constinit const Rule kSummaryWriterInLoop = {
    .info = {.code = "DP115",
             .name = "summary-writer-in-loop",
             .summary = "a TensorBoard writer that is created again in every iteration of a loop",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Increasing Time Over Time, Memory Leak",
             .stage = "Training",
             .frameworks = "TensorFlow, PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "",
             .documentation = R"(## What it finds

`tf.summary.FileWriter(…)`, `tf.summary.create_file_writer(…)` or `SummaryWriter(…)` of `torch.utils.tensorboard` in a
loop, for a folder that does not depend on the loop; also in a function that is called in a loop.

## Why it costs

Each writer has its own queue, thread and event file. They stay open until they are closed or collected, so files and
threads accumulate, and TensorBoard has to read one file for each iteration. A writer that is given a graph writes it
again each time.

## Bad

```python
from torch.utils.tensorboard import SummaryWriter

def train(steps, step):
    for i in range(steps):
        writer = SummaryWriter("runs")
        writer.add_scalar("loss", step(i), i)
```

## Good

```python
from torch.utils.tensorboard import SummaryWriter

def train(steps, step):
    writer = SummaryWriter("runs")
    for i in range(steps):
        writer.add_scalar("loss", step(i), i)
```

## When it is wrong

The rule is silent for a writer for each run of an experiment, in its own folder.

## References

- `torch.utils.tensorboard.SummaryWriter`, `tf.summary.create_file_writer`
)"},
    .calls = "tensorflow.summary.FileWriter tensorflow.train.SummaryWriter tensorflow.summary.create_file_writer "
             "tensorflow.contrib.summary.create_file_writer torch.utils.tensorboard.SummaryWriter "
             "tensorboardX.SummaryWriter",
    .on_call = check};

} // namespace deepperf::rules::summary_writer_in_loop
