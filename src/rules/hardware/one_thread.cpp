#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::one_thread {

using namespace python;

namespace {

// Several processes share the cores, or a GPU does the work: then one thread is what somebody wanted.
bool has_reason(const Site &site) {
  return project_has_word(site, {"multiprocessing", "ProcessPool", "joblib", "import ray", "Parallel(", "Process(",
                                 "fork(", "VecEnv", "mpi4py", "torch.distributed", "cuda", "gpu", "GPU", "dali",
                                 "num_envs", "OMP_NUM_THREADS", "taskset", "gunicorn", "uvicorn"});
}

// Inside a `try` or under a condition it is for a case that we do not know.
bool is_for_good(const Site &site) {
  return std::ranges::none_of(site.ancestors, [&](const Node *around) {
    const auto *guard = as<If>(around);
    const bool is_main = guard != nullptr && text_of(site, guard->test).find("__name__") != std::string_view::npos;
    return around->kind == NodeKind::Try || around->kind == NodeKind::With || (guard != nullptr && !is_main);
  });
}

// Does this program train a model? TensorFlow has calls for that which do not show where the steps are.
bool trains(const Site &site) {
  return std::ranges::any_of(site.project.functions, &model::FunctionInfo::trains) ||
         project_has_word(site, {".minimize(", ".fit(", ".apply_gradients("});
}

void say(Site &site, const Node &place) {
  const PlaceContext context = context_of(site);
  if (site.module->is_test || !context.run_by_script || !context.runs_once || !is_for_good(site) || has_reason(site) ||
      !trains(site)) {
    return;
  }
  report(site, place,
         "operations run on one thread, so all other cores of the machine stay idle while the model trains",
         "remove the call: by default operations use all cores; limit the threads where several processes share them");
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api.ends_with("ConfigProto")) {
    const Keyword *const threads = keyword_argument(call, "intra_op_parallelism_threads");
    if (threads != nullptr && integer_of(site, threads->value) == 1) {
      say(site, *threads);
    }
    return;
  }
  const Expr *const threads = !call.args.empty() ? call.args[0] : argument(call, 0, "num_threads");
  if (threads != nullptr && integer_of(site, threads) == 1) {
    say(site, call);
  }
}

} // namespace

extern constinit const Rule kOneThread = {
    .info = {.code = "DP525",
             .name = "one-thread",
             .summary = "operations on the CPU that are limited to one thread",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time",
             .stage = "Initialization",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.set_num_threads(1)`, `tf.config.threading.set_intra_op_parallelism_threads(1)` and `ConfigProto(intra_op_parallelism_threads=1)` in a script that trains on the CPU, in one process.

## Why it costs

Products of matrices, convolutions and most other operations are divided among the cores. With one thread they run on one of them. The line is often left over from a server
with many processes, or from looking for a difference between two runs.

## Bad

```python
import torch


def main(loader):
    torch.set_num_threads(1)
    model = torch.nn.Linear(512, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    main(torch.utils.data.DataLoader(torch.load("samples.pt", weights_only=True), batch_size=64, num_workers=2))
```

## Good

```python
import torch


def main(loader):
    model = torch.nn.Linear(512, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    main(torch.utils.data.DataLoader(torch.load("samples.pt", weights_only=True), batch_size=64, num_workers=2))
```

## When it is wrong

Where the operations are so small that dividing them costs more than it gains, where the machine has one core or is shared, and where results must not depend on the number
of cores. Projects that start processes or use a GPU are not reported.

## References

- PyTorch documentation: `torch.set_num_threads`, CPU threading and TorchScript inference
- TensorFlow documentation: `tf.config.threading`
)"},
    .calls =
        "torch.set_num_threads tensorflow.config.threading.set_intra_op_parallelism_threads tensorflow.ConfigProto "
        "tensorflow.compat.v1.ConfigProto",
    .on_call = check};

} // namespace deepperf::rules::one_thread
