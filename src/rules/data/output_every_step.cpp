#include "rules/reach.h"
#include "rules/session_feed.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::output_every_step {

using namespace python;

namespace {

// A loop whose iterations are epochs by the name of its variable: saving once per iteration is then usual, also where
// the whole data is one batch.
bool counts_epochs(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  if (statement == nullptr) {
    return false;
  }
  const std::string_view target = text_of(site, statement->target);
  const std::string_view over = text_of(site, statement->iter);
  return target.starts_with("ep") || target.find("epoch") != std::string_view::npos ||
         over.find("epoch") != std::string_view::npos || over.find("EPOCH") != std::string_view::npos;
}

// with tf.summary.record_if(…): that says when something is written.
bool is_recorded_sometimes(const Site &site) {
  return std::ranges::any_of(site.ancestors, [](const Node *ancestor) {
    const auto *with = as<With>(ancestor);
    return with != nullptr && std::ranges::any_of(with->items, [](const WithItem &item) {
             const auto *context = as<Call>(item.context_expr);
             const std::string_view method = context != nullptr ? called_method(*context) : std::string_view{};
             return method == "record_if" || method == "record_summaries_every_n_global_steps";
           });
  });
}

// A loop of training steps that calls the function of the place in every iteration, with the call: `self.save()`, or
// `for callback in self.callbacks: callback.on_batch_end(self)`.
struct CallingStep {
  const model::CallSite *call = nullptr;
  const model::Loop *loop = nullptr;
};

CallingStep called_in_every_step(const Site &site) {
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || function->definition() == nullptr || loop_around(site) != nullptr ||
      enclosing(site, NodeKind::If) != nullptr) {
    return {};
  }
  for (const model::CallSite *caller : function->called_by) {
    const model::Loop *loop = caller->loop;
    while (loop != nullptr && !loop->steps && (loop->few_iterations || loop->iterations == model::Iterations::Few)) {
      loop = loop->parent; // over the few objects that are told of the step
    }
    const bool is_step = loop != nullptr && loop->steps && !loop->few_iterations && !caller->once &&
                         !caller->behind_guard && !caller->conditional;
    if (is_step && !counts_epochs(site_of(site, *caller->call), *loop)) {
      return {caller, loop};
    }
  }
  return {};
}

// `sess.run([train_op, merged])` in the loop.
bool trains_by_session(const Site &site, const model::Loop &loop) {
  return any_node(loop.node, [&](const Node *node) {
    const auto *run = as<Call>(node);
    return run != nullptr && called_method(*run) == "run" && !run->args.empty() && is_session_run(site, *run) &&
           fetches_train_op(site, run->args[0]);
  });
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  const CallingStep step = loop == nullptr ? called_in_every_step(site) : CallingStep{};
  const model::CallSite *const caller = step.call;
  if (caller != nullptr) {
    loop = step.loop;
  }
  const bool is_session_step =
      loop != nullptr && called_method(call) == "add_summary" && trains_by_session(site, *loop);
  if (loop == nullptr || is_recorded_sometimes(site) ||
      (caller == nullptr &&
       ((!loop->steps && !is_session_step) || counts_epochs(site, *loop) || !runs_every_iteration(site, *loop)))) {
    return;
  }
  const std::string_view method = called_method(call);
  const bool is_scalar = method == "add_scalar" || method == "add_scalars" || method == "scalar";
  Finding &finding = report(site, call,
                            fmt::format("`{}` writes {} in every training step", text_of(site, call.func),
                                        is_scalar                                                  ? "a value"
                                        : method.starts_with("add_") || method.starts_with("hist") ? "a summary"
                                                                                                   : "a file"),
                            "do it every few hundred steps (`if step % 500 == 0:`), or after each epoch");
  const bool is_small =
      is_scalar || (method == "add_summary" &&
                    !file_has_word(site, {"summary.histogram", "summary.image", "summary.audio", "histogram_summary"}));
  if (is_small) {
    finding.tier = Tier::Hint; // small, but the value has to be waited for
  }
  finding.notes.push_back({caller != nullptr ? caller->caller->module->file : site.module->file,
                           {loop->node->start, static_cast<const For *>(loop->node)->start + 3},
                           "the training step is in this loop"});
}

} // namespace

extern constinit const Rule kOutputEveryStep = {
    .info = {.code = "DP405",
             .name = "output-every-step",
             .summary = "checkpoints, images or summaries written in every training step",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.save`, `Saver.save`, `save_weights`, `save_image`, `savefig`, `add_histogram` and the like in every iteration of
the loop that trains, or in a function that the loop calls. Single numbers (`add_scalar`, `add_summary`
without histograms or images) are only a hint.

## Why it costs

The data is first copied from the device, which the program waits for, and then encoded and written by the thread that
should start the next step. Writing a checkpoint, an image or a histogram often takes longer than the step itself.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        torch.save(model.state_dict(), "model.pt")
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")
```

## When it is wrong

Where a step takes minutes, as in some kinds of reinforcement learning.

## References

- DLPerf, root cause "Inefficient API Usage"
)"},
    .calls = "torch.save Accelerator.save_state Accelerator.save_model HfModel.save_pretrained Saver.save "
             "KerasModel.save *.save_weights torchvision.utils.save_image "
             "matplotlib.pyplot.savefig numpy.save "
             "numpy.savez imageio.imwrite cv2.imwrite tensorflow.summary.histogram tensorflow.summary.image "
             "*.add_histogram *.add_image *.add_summary "
             "*.add_images *.add_figure *.add_embedding *.add_graph *.add_scalar *.add_scalars",
    .on_call = check};

} // namespace deepperf::rules::output_every_step
