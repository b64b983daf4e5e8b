// Where a rule looks: the node that it was called with stands inside `ancestors`, in a function of a module. The
// functions below answer what rules ask of such a place. All of them are silent where the engine does not know.
#pragma once

#include "model/constants.h"
#include "model/facts.h"
#include "model/lookup.h"
#include "model/project.h"
#include "python/call.h"
#include "rules/finding.h"
#include "rules/memory.h"
#include "rules/trace.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::rules {

struct Site {
  const model::Project &project;
  Findings &findings;
  Memory &memory;
  const Rule *rule = nullptr;
  const model::Module *module = nullptr;
  const model::FunctionInfo *function = nullptr; // the innermost around the place; of a module's own code its body
  const model::ClassInfo *type = nullptr;        // the class around it, if any
  std::vector<const python::Node *> ancestors =
      {};                             // of the node, from the outermost on; functions and classes included
  const python::Node *node = nullptr; // that the rule was called with
  Trace *trace = nullptr;             // is told what the rule asks, if somebody wants to know
  bool is_copy = false;               // the node is a copy that stands for a call: see thin.h
};

// ---- What is called, and with what ----------------------------------------------------------------------------------

// The canonical name of the API that a call calls: "torch.load", "numpy.append"; empty if it is none.
std::string_view called_api(const Site &site, const python::Call &call);

// The function of the project that a call calls; null if it is none.
const model::FunctionInfo *called_function(const Site &site, const python::Call &call);

// The call that made the object that is called: of `self.conv(x)` the `nn.Conv2d(…)`. Its API is in `*api`. Null if not
// known.
const python::Call *maker_of_callee(const Site &site, const python::Call &call, std::string_view *api = nullptr);

model::Scope scope_of(const Site &site);

// What the engine knows about a name, attribute or call where no flow matters: all that it ever was, joined.
model::Value value_of(const Site &site, const python::Expr *expr);

// ---- Constants, also under a name that has no other value: see model/constants.h ------------------------------------

// What it is, or is by default: `overridable` tells whether users can choose something else.
std::optional<model::ConstantValue> setting_of(const Site &site, const python::Expr *expr);
// The same of an argument; `otherwise` is what holds where it is not given.
std::optional<model::ConstantValue> setting_of(const Site &site, const model::Argument &argument,
                                               const model::ConstantValue &otherwise);
model::Argument argument_of(const Site &site, const python::Call &call, u32 position, std::string_view keyword);

// Certain ones only.
std::optional<double> number_of(const Site &site, const python::Expr *expr);
std::optional<i64> integer_of(const Site &site, const python::Expr *expr);
std::optional<bool> bool_of(const Site &site, const python::Expr *expr);
std::optional<std::string> string_of(const Site &site, const python::Expr *expr);
bool is_none(const python::Expr *expr);

// Does the expression make a batch of one example: `x[None]`, `np.expand_dims(x, 0)`, `[x]`, `x.reshape(1, …)`? Also
// under a name that was made so.
bool is_batch_of_one(const Site &site, const python::Expr *expr);

// The value of the last plain assignment to the name before the place, in the blocks around it; null if there is none.
const python::Expr *last_assigned(const Site &site, const python::Name &name);
// Does the name occur in the node, in its own scope or in functions inside?
bool mentions(const python::Node *node, Symbol name);

// ---- Where it stands ------------------------------------------------------------------------------------------------

std::string_view text_of(const Site &site, const python::Node *node);

// The place of a call, which may stand in another function and file: where its arguments are to be looked up.
Site site_of(const Site &site, const python::Call &call);

// The same with the node and all that is around it there, for questions about where it stands.
Site site_at(const Site &site, const model::FunctionInfo &function, const python::Node &node);

// The innermost loop around the place in its function, comprehensions included; null if there is none.
const model::Loop *loop_around(const Site &site);

// The innermost `for` or `while` that is not known to have only a few iterations.
const model::Loop *long_loop_around(const Site &site);

// What a loop runs over, without enumerate(), tqdm(), zip() of one and the like around it; null for `while`.
const python::Expr *iterated_by(const Site &site, const model::Loop &loop);

// Does the loop run over the batches or samples of data: a DataLoader, a dataset, a tf.data pipeline?
bool goes_over_data(const Site &site, const model::Loop &loop);

// Does the place run in every iteration of the loop? Not under an `if`, in an except handler, or after `if …: continue`
// at the loop's own level.
bool runs_every_iteration(const Site &site, const model::Loop &loop);

// In a loop that is a training step in each iteration, or in a function that is called from one.
bool in_training_step(const Site &site);

// When and how often a place runs, and inside what: what is known of its function (model/context.h), with the loops and
// `with` statements around the place.
struct PlaceContext {
  enum class NoGrad : u8 { Never, Sometimes, Always };

  bool in_training_step = false;   // in every training step, at any depth of calls
  bool in_evaluation_step = false; // for each batch of a loop that trains nothing
  bool per_sample = false;         // in a Dataset's __getitem__, or in what it calls
  bool repeated = false;           // in a loop of more than a few iterations, at any depth of calls
  bool runs_once = false;          // in a script's own code outside of loops, or called by such code alone
  bool callers_unknown = false;    // code that is not in these files may call it
  bool run_by_script = false;      // reached from the code of a script
  NoGrad no_grad = NoGrad::Never;
};
PlaceContext context_of(const Site &site);

// The node of that kind around the place, in the same function; null if there is none. A condition is around what it
// decides about, and not around its own test.
const python::Node *enclosing(const Site &site, python::NodeKind kind);

// Inside `with` of a value of that kind, in the same function.
bool inside_with(const Site &site, Kind kind);

// Under torch.no_grad(), inference_mode() or set_grad_enabled(False): a `with`, a decorator, or all callers.
bool under_no_grad(const Site &site);

// In a function of that name of a class whose framework class is of that kind, or in a function nested in one.
bool in_method(const Site &site, Kind kind, std::string_view name);

// In code that a framework traces: tf.function, a Keras call, a mapped function, jax.jit, torch.compile.
bool is_traced(const Site &site);

// ---- Saying so ------------------------------------------------------------------------------------------------------

// A finding at the place of a node. In test code, and for rules that are hints, it is a hint. The reference is good
// until the next report.
Finding &report(Site &site, const python::Node &place, std::string message, std::string advice);
Finding &report(Site &site, python::Span place, std::string message, std::string advice);

// The same for a rule that looks at the whole project.
Finding &report(Findings &findings, const Rule &rule, const model::Module &module, python::Span place,
                std::string message, std::string advice);

// Points to another place of the same file.
void add_note(Finding &finding, const Site &site, const python::Node &place, std::string message);

// ---- Edits ----------------------------------------------------------------------------------------------------------

// How this file writes an API at the place (`tf.data.AUTOTUNE`, `th.no_grad`); empty if it has no name for it.
std::string spelling_of(const Site &site, std::string_view api);

// The same for a place in a function that is given by itself; names that its own scope binds from `place` on are not
// used. `v1`, if given, tells whether the name goes through tensorflow.compat.v1.
std::string spelling_at(const model::FunctionInfo *function, const model::Module &module, u32 place,
                        std::string_view api, bool *v1 = nullptr);

// How to write tf.data.AUTOTUNE at a place in a function, with the names that its file has; empty if it has none.
std::string autotune_at(const model::FunctionInfo *function, const model::Module &module, u32 place);

// Behind the call's last argument; 0 if it has none.
u32 end_of_arguments(const python::Source &source, const python::Call &call);

Edit replace(const python::Node &node, std::string text);
Edit insert_before(const python::Node &node, std::string text);
Edit insert_after(const python::Node &node, std::string text);

// `name=value` as one more argument; nothing where it cannot be done.
std::optional<Edit> add_argument(const Site &site, const python::Call &call, std::string_view text);

// Takes an argument out, with its comma.
std::optional<Edit> remove_argument(const Site &site, const python::Call &call, const python::Node &argument);

// Takes a whole statement out, with its line. Nothing where it shares its line or is alone in its block.
std::optional<Edit> remove_statement(const Site &site, const python::Stmt &statement);

void set_fix(Finding &finding, bool safe, std::vector<Edit> edits);

} // namespace deepperf::rules
