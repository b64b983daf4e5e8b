#include "base/known_names.h"
#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/context.h"
#include "rules/device_reads.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/sampling_loop.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::sync_every_step {

using namespace python;

namespace {

constexpr std::size_t kMostNotes = 40;

// Does the program use a GPU at all? On a CPU there is nothing to wait for.
bool uses_gpu(const Site &site) { return file_has_word(site, {"cuda", ".to(device", ".device)", "accelerat"}); }

bool project_uses_gpu(const Site &site) { return project_has_word(site, {"cuda", ".to(device", "accelerat"}); }

// A program that is all there, makes its model itself, and has nothing that moves it anywhere: it runs on the host,
// whatever other files of the repository do. A function of another file that it calls may move what it is given.
bool stays_on_host(const Site &site) {
  if (!file_has_word(site, {"__main__"}) || !file_has_word(site, {".parameters()"}) ||
      file_has_word_in_any_case(site, {"cuda", ".to(", "device", "accelerat", "prepare", "trainer(", "fabric", "xla",
                                       "\"mps\"", "distributed", "deepspeed", "auto_model"})) {
    return false;
  }
  const auto may_move = [&](const model::FunctionInfo &function) {
    return std::ranges::any_of(function.calls, [&](const model::CallSite &called) {
      const model::Module *const there = called.callee->module;
      return there != site.module && there->body != nullptr &&
             file_has_word(site_inside(site, *there->body), {"cuda", ".to("});
    });
  };
  return std::ranges::none_of(site.project.functions, [&](const model::FunctionInfo &function) {
    return function.module == site.module && may_move(function);
  });
}

// Python cannot go on without the value.
bool is_asked_by_python(const DeviceRead &read) {
  return read.how == kCondition || read.how == kComparison || read.how == kRange;
}

bool reads_number(const DeviceRead &read) { return read.how == "`.item()`" || read.how == kConversion; }

// `predictions.append(pred.cpu())`, once for each batch, and what is told of it.
bool is_result(const DeviceRead &read) { return !read.is_repeated && !reads_number(read) && !is_asked_by_python(read); }

// `x.min() >= 0`, `torch.any(bad)`: a test of all of a tensor, which is there for safety and costs a wait.
bool is_whole_test(const Node *node) {
  if (const auto *compare = as<Compare>(node)) {
    return compare->rest.size() == 1 && (is_whole_test(compare->left) || is_whole_test(compare->rest[0].right));
  }
  const auto *call = as<Call>(node);
  const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
  return name == "min" || name == "max" || name == "any" || name == "all" || name == "allclose" || name == "equal";
}

// `next(batches)` in the loop's own code, and no `continue` under a test before the place.
bool draws_batches(const Site &site, const model::Loop &loop, const Node &place) {
  const auto *statement = as<For>(loop.node);
  const auto *endless = as<While>(loop.node);
  const Block body = statement != nullptr ? statement->body : endless != nullptr ? endless->body : Block{};
  return any_node(body,
                  [&](const Node *node) {
                    const auto *call = as<Call>(node);
                    return call != nullptr && called_api(site, *call) == "next";
                  }) &&
         std::ranges::none_of(body, [&](const Stmt *one) {
           const auto *guard = as<If>(one);
           return guard != nullptr && guard->end <= place.start && !guard->body.empty() &&
                  guard->body.back()->kind == NodeKind::Continue;
         });
}

// Is each iteration of a loop that counts (`for step in range(n)`, `while True`) one batch? It is where what the loop
// fetches goes into a model or a step; full-batch training gives the model the same tensors in every epoch.
bool takes_batches(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto is_fetched = [&](const Expr *argument) {
    return any_node(argument, [&](const Node *node) {
      const auto *name = as<Name>(node);
      return name != nullptr && !model::has_grad(name) && contains(loop.assigned, name->id) &&
             (statement == nullptr || !mentions(statement->target, name->id));
    });
  };
  return any_node(loop.node, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const model::FunctionInfo *called = called_function(site, *call);
    const bool is_step = model::kind_of(call->func) == Kind::TorchModule || (called != nullptr && called->steps) ||
                         model::has_grad(call);
    return is_step &&
           (std::ranges::any_of(call->args, is_fetched) ||
            std::ranges::any_of(call->keywords, [&](const Keyword *keyword) { return is_fetched(keyword->value); }));
  });
}

// What a finding is about.
enum class Region : u8 {
  Loop,          // whose iterations are training steps
  FrameworkStep, // training_step() of Lightning, compute_loss() of a Trainer
  Forward,       // of a module that no step in sight runs
  Evaluation,    // a loop over data that trains nothing
  Sampling,      // a loop that runs a model again and again on what it gave before: denoising, decoding
};

// Is what is read at the place assigned in a loop inside the region, and so not there before that loop? What a loop
// goes over was there.
bool is_computed_in_loop(const Site &site, const Node &region, const Node &place) {
  const Name *const name =
      place.kind < NodeKind::FunctionDef ? model::root_name(static_cast<const Expr *>(&place)) : nullptr;
  if (name == nullptr) {
    return false;
  }
  return std::ranges::any_of(loops_inside(*site.function, region), [&](const model::Loop *loop) {
    const auto *statement = as<For>(loop->node);
    return loop->node != &region && statement != nullptr && contains(loop->node, &place) &&
           !mentions(statement->target, name->id) && any_node(statement->body, [&](const Node *node) {
             const auto *assignment = as<Assign>(node);
             return assignment != nullptr && assignment->end <= place.start &&
                    assignment->value->kind == NodeKind::Call && mentions(assignment->targets[0], name->id);
           });
  });
}

// Of a loop, or of a function's body.
bool any_in_region(const Node &region, NodePredicate holds) {
  const auto *function = as<FunctionDef>(&region);
  return function != nullptr ? any_node(function->body, holds) : any_node(&region, holds);
}

// Does the call end the computation of a step: `loss.backward()`, `optimizer.step()`?
bool ends_step(const Site &site, const Node *node) {
  const auto *call = as<Call>(node);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  return method == "backward" || method == "update_params" ||
         (method == "step" && call->args.size() <= 1 && called_api(site, *call).empty());
}

// Where the last such call in the region's own code ends; 0 if there is none.
u32 end_of_step(const Site &site, const Node &region) {
  u32 end = 0;
  const auto look = [&](const Node *node) {
    end = ends_step(site, node) ? std::max(end, node->end) : end;
    return false;
  };
  any_in_region(region, look);
  return end;
}

// Does it read something of the loss before the step is done, and does nothing of the step depend on the number?
bool can_wait(const Site &site, const Node &region, const DeviceRead &read) {
  const Node &place = *read.place;
  const auto *call = as<Call>(&place);
  const Expr *of = call == nullptr ? nullptr : read.how == kConversion ? call->args[0] : receiver_of(*call);
  if (const auto *detached = as<Call>(of); detached != nullptr && called_method(*detached) == "detach") {
    of = receiver_of(*detached);
  }
  if (of == nullptr || !read.is_explicit || read.call != nullptr || read.is_repeated ||
      read.place->end > end_of_step(site, region)) {
    return false;
  }
  const auto *name = as<Name>(of);
  const auto is_walked_back = [name](const Node *node) { // loss.backward(), scaler.scale(loss).backward()
    const auto *walk = as<Call>(node);
    const std::string_view method = walk != nullptr ? called_method(*walk) : std::string_view{};
    return (method == "backward" || method == "update_params") && mentions(walk, name->id);
  };
  if (!model::has_grad(of) && (name == nullptr || !any_in_region(region, is_walked_back))) {
    return false;
  }
  return !read.name || !any_in_region(region, [&](const Node *node) {
    const auto *branch = as<If>(node);
    return branch != nullptr && mentions(branch->test, read.name);
  });
}

// What to do about a read in a training step.
std::string training_help(const Site &site, const Node &region, const DeviceRead &read) {
  const Node &place = *read.place;
  const auto *conversion = as<Call>(&place);
  if (read.how == kSynchronize) {
    return "wait only in steps whose time or values are shown: what runs on one stream is in order without it";
  }
  if (read.how == kBounds) {
    return "read all bounds at once with `tolist()` before tensors are sliced, or use a mask";
  }
  if (is_asked_by_python(read)) {
    return "let the device decide (`torch.where`, a product with the mask), or let Python decide by numbers that the "
           "host has anyway";
  }
  if (conversion != nullptr && read.how == kConversion && called_name(*conversion) == "int") {
    return "keep a whole number that Python needs, such as a position or a count, as a Python number from the start";
  }
  std::string help = "keep values on the device (`total += loss.detach()`) and read them every few hundred steps";
  if (can_wait(site, region, read)) {
    help += "; at least, read them behind `backward()` and `step()`, so that the device has work meanwhile";
  }
  return help;
}

bool is_ignite_engine(const model::Value &made) {
  if (made.is(model::Value::Tag::Class) && made.type != nullptr) {
    const auto &parts = made.type->module->parts;
    return made.type->name.text() == "Engine" &&
           std::ranges::any_of(parts, [](Symbol part) { return part.text() == "ignite"; });
  }
  return made.is(model::Value::Tag::Api) && made.name().text().starts_with("ignite.") &&
         made.name().text().ends_with(".Engine");
}

// Is it handed to an Engine of Ignite, which runs it for each batch and shows what it returns to handlers?
bool is_run_by_ignite(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  const FunctionDef *const around = function.parent != nullptr ? function.parent->definition() : nullptr;
  if (definition == nullptr) {
    return false;
  }
  return any_node(around != nullptr ? around->body : site.module->parsed->tree.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *given = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
    return given != nullptr && given->id == definition->name && is_ignite_engine(site.project.callee_of(call));
  });
}

void lint(Site &site, const model::FunctionInfo &function, const Node &region, Region kind) {
  const bool is_forward = kind == Region::Forward;
  DeviceReads step = device_reads_in(site.project, function, region, is_forward, site.memory);
  // Where it stands in the step's own code, the first one that is written out is pointed at.
  const auto rank = [&](const DeviceRead &read) {
    return (read.is_needed ? 8 : 0) + (read.call != nullptr ? 4 : 0) + (read.is_optional ? 2 : 0) +
           (read.is_explicit ? 0 : 1);
  };
  // An evaluation has to read its results once; all else in it waits for nothing.
  const bool is_sampling = kind == Region::Sampling;
  const bool is_evaluation = kind == Region::Evaluation || is_sampling;
  const bool reads_results =
      is_evaluation && std::ranges::any_of(step.reads, [](const DeviceRead &read) { return is_result(read); });
  if (is_evaluation) {
    std::erase_if(step.reads, is_result);
  }
  // Where each iteration has to know whether it is the last one, all else waits with it.
  const bool is_open = is_sampling && std::ranges::any_of(step.reads, &DeviceRead::decides_end);
  std::erase_if(step.reads, [&](const DeviceRead &read) { return is_sampling && read.decides_end; });
  const auto first = std::ranges::min_element(step.reads, {}, rank);
  if (first == step.reads.end() || (is_sampling && step.measures)) {
    return;
  }
  const DeviceRead main = *first;
  step.reads.erase(first);
  const bool on_gpu = step.moves || step.on_device || kind == Region::FrameworkStep || uses_gpu(site) ||
                      (main.is_explicit && project_uses_gpu(site) && !stays_on_host(site));
  if (!on_gpu) {
    return;
  }
  const auto counts = [](const DeviceRead &read) { return !read.is_optional; };
  const auto others = std::ranges::count_if(step.reads, counts);
  const bool is_repeated = main.is_repeated || std::ranges::any_of(step.reads, [&](const DeviceRead &read) {
                             return read.is_repeated && counts(read);
                           });
  const std::size_t total = static_cast<std::size_t>(others) + 1;
  const std::string_view step_name = is_forward      ? "forward pass"
                                     : is_sampling   ? "iteration"
                                     : is_evaluation ? "batch"
                                                     : "training step";
  std::string message = fmt::format("{} waits for the device in every {}", main.how, step_name);
  if (total > 1) {
    message = fmt::format("every {} waits for the device in {} places, here by {}", step_name, total, main.how);
  }
  if (is_repeated) {
    message += total > 1 ? ", and again in a loop inside it" : ", once for each iteration of a loop inside it";
  }
  std::string help =
      main.is_needed ? "Python needs the value here: read all that it needs in one copy, as early as that can be done"
      : is_forward   ? "compute with the tensor on the device where the value is not needed as a Python number"
      : is_sampling && is_asked_by_python(main)
          ? "take numbers that Python decides by to the host before the loop (`times.tolist()`), or use "
            "`torch.where`"
      : is_sampling && reads_number(main)
          ? "compute numbers that Python decides by on the host, or take them there before the loop "
            "(`times.tolist()`); collect others on the device, and read them after the loop"
      : is_sampling ? "collect tensors on the device, and read them together after the loop"
      : is_evaluation && is_repeated && !is_computed_in_loop(site, region, *main.place)
          ? "read the whole tensor once with `tolist()` or `cpu()`, before the inner loop"
      : is_evaluation ? "accumulate on the device (`correct += (pred == y).sum()`) and read the total after the loop"
                      : training_help(site, region, main);
  const Node &shown = *(main.call != nullptr ? main.call : main.place);
  Finding &finding = report(site, shown, std::move(message), std::move(help));
  // Where one step is an epoch, as with small data sets, one value at its end is what people want to see.
  const model::Loop *const loop = site.project.loop_at(&region);
  const Expr *const over = loop != nullptr ? iterated_by(site, *loop) : nullptr;
  const auto *counted = as<Call>(over);
  const bool is_counting =
      loop != nullptr && (over == nullptr || (counted != nullptr && called_api(site, *counted) == "range"));
  const bool is_over_batches = !is_counting || takes_batches(site, *loop) || draws_batches(site, *loop, shown);
  const bool is_matching = is_forward && function_has_word(site, {"linear_sum_assignment"}); // which SciPy does
  const bool is_much = is_forward ? (main.is_explicit || is_whole_test(main.place)) && !is_matching
                                  : is_over_batches || is_sampling || total > 1 || is_repeated;
  // `if out[i, j] == end` in the evaluation's own code; a decoder that it calls may have to know whether it is done.
  const bool is_per_element = is_asked_by_python(main) && main.is_repeated && main.call == nullptr;
  // What a step returns to Ignite is read by its handlers, so that reading it at the end of the step costs nothing
  // more.
  const auto is_late = [&, end = end_of_step(site, region)](const DeviceRead &read) {
    return read.is_optional || (read.call == nullptr && !read.is_repeated && !is_asked_by_python(read) && end != 0 &&
                                read.place->start >= end);
  };
  const bool is_for_handlers = is_late(main) && std::ranges::all_of(step.reads, is_late) &&
                               as<FunctionDef>(&region) != nullptr && is_run_by_ignite(site, function);
  // An evaluation that reads results anyway waits for each batch in any case, unless it does so for each sample.
  const bool is_condition = is_sampling && is_asked_by_python(main);
  const bool is_seldom = is_open || (is_sampling && (step.hands_out || !runs_model_itself(site, *loop))) ||
                         (is_evaluation && ((reads_results && !is_repeated) ||
                                            (!main.is_explicit && !is_condition && !is_per_element &&
                                             (reads_results || main.call != nullptr || !is_whole_test(main.place))) ||
                                            (step.measures && !is_repeated)));
  finding.tier = is_much && !main.is_optional && !main.is_needed && !is_for_handlers && !is_seldom && !step.acts &&
                         !site.module->is_test
                     ? Tier::On
                     : Tier::Hint;
  if (is_evaluation) {
    finding.severity = Severity::Advice;
  }
  if (main.call != nullptr) {
    finding.notes.push_back({main.module->file, main.place->span(), "the value is read back here"});
  }
  for (const DeviceRead &read : step.reads) {
    if (finding.notes.size() >= kMostNotes) {
      break;
    }
    if (read.is_optional && read.when == kIfNever) {
      continue;
    }
    finding.notes.push_back(
        {read.module->file, read.place->span(),
         read.when.empty() || !read.is_optional ? std::string(read.how) : fmt::format("{}, {}", read.how, read.when)});
  }
}

void check(Site &site, const Node &node) {
  if (!site.module->torch) {
    return;
  }
  if (const model::FunctionInfo *function = site.project.function_at(&node)) {
    constexpr u16 kInSteps = model::kPerTrainingStep | model::kSomeTrainingSteps;
    if ((function->context & model::kStepOfFramework) != 0) {
      const bool is_framework = function->type != nullptr && !function->steps;
      lint(site, *function, node, is_framework ? Region::FrameworkStep : Region::Loop);
    } else if (function->type != nullptr && function->type->kind == Kind::TorchModule &&
               function->name == known::sym_forward && (function->context & kInSteps) == 0) {
      lint(site, *function, node, Region::Forward);
    }
    return;
  }
  const model::Loop *loop = site.project.loop_at(&node);
  if (loop == nullptr || loop->few_iterations) {
    return;
  }
  if (loop->steps || loop->evaluates) {
    lint(site, *site.function, node, loop->steps ? Region::Loop : Region::Evaluation);
  } else if (is_sampling_loop(site, *loop)) {
    lint(site, *site.function, node, Region::Sampling);
  }
}

} // namespace

extern constinit const Rule kSyncEveryStep = {
    .info = {.code = "DP402",
             .name = "sync-every-step",
             .summary = "a value that is read back from the device in every training step",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Code that reads a value back from the device in every training step: `.item()`, `.cpu()`, `.tolist()`, `float(t)`, a
tensor as a condition or in an f-string, `print(t)`, `add_scalar(…, t)`, indexing with a mask, `nonzero()` and the like.
The rule follows the step into the functions, losses and models of the project that it calls, into Lightning's
`training_step` and into a Trainer's `compute_loss`, and reports all places of one loop together. It also checks the `forward()`
of modules that no visible step runs, with the functions that it calls, and at evaluations: numbers that are
read for each batch or sample only to add them up are advice, and most conditions are hints: tests of each element of a
tensor, and of all of one (`assert y.min() >= 0`), are reported. Loops that run a model again and
again on what it gave before, such as denoising steps, are checked as well (advice).

All places of one loop are notes of one finding. The program has to use a GPU: a program that makes its model
itself and moves nothing is left alone, whatever else is in the repository. Where `torch.cuda.synchronize()` stands
right before a read, that is the place which waits. These are hints: reads that a setting
switches on, values that only the host can use (sizes of pieces, bounds of slices, indices of a structure of Python, and
whether the optimizer takes its step), environments and games that a step has to act on, a single read where each step
is an epoch, what a process function of Ignite reads after its step (Ignite's handlers read it anyway), numbers
of an evaluation that copies its results to the host for each batch anyway, and decoding loops that have to know after
each token whether they are done.

## Why it costs

PyTorch enqueues work on the device and continues; reading a value back waits until all of that work is done. The CPU
then cannot prepare the next step while the device computes the current one, and the device is idle until it does.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    return total
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = torch.zeros((), device="cuda")
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.detach()
    return total.item()
```

## When it is wrong

Where the steps are long, one wait per step costs little. The rule is silent under `if step % 100 == 0`, and for tensors
that are known to be in host memory.

## References

- PyTorch performance tuning guide: avoid unnecessary CPU-GPU synchronization
)"},
    .nodes = {NodeKind::For, NodeKind::While, NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::sync_every_step
