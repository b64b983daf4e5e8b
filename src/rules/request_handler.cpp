// Functions that answer requests, whatever server or platform calls them.
#include "base/known_names.h"
#include "base/name_table.h"
#include "base/steps.h"
#include "model/classes.h"
#include "model/code_text.h"
#include "model/definitions.h"
#include "rules/fate.h"
#include "rules/origins.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/shared_memory.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

std::string_view api_of(const Value &value) {
  return value.is(Value::Tag::Api) ? value.name().text() : std::string_view{};
}

// ---- Routes and tasks -----------------------------------------------------------------------------------------------

// The API that makes what the call gives, also in a function of the project: `app = create_app()`.
std::string_view app_made_by(const model::Project &project, const Call &call) {
  const Value callee = project.callee_of(&call);
  const FunctionDef *const maker =
      callee.is(Value::Tag::Function) && callee.function != nullptr ? callee.function->definition() : nullptr;
  if (maker == nullptr) {
    return api_of(callee);
  }
  std::string_view found;
  any_node(maker->body, [&](const Node *node) {
    const auto *result = as<Return>(node);
    const auto *made = result != nullptr ? as<Call>(result->value) : nullptr;
    const auto *assignment = as<Assign>(node);
    made = assignment != nullptr ? as<Call>(run_by(assignment->value)) : made;
    const std::string_view api = made != nullptr ? api_of(project.callee_of(made)) : std::string_view{};
    found = api.ends_with(".FastAPI") || api.ends_with(".Flask") || api.ends_with(".APIRouter") ||
                    api.ends_with(".Blueprint") || api.ends_with(".Celery")
                ? api
                : found;
    return false;
  });
  return found;
}

// `@app.post("/predict")`, `@celery.task`, `@shared_task`
bool is_routed(const model::Project &project, const FunctionInfo &function) {
  static const NameTable kRoutes(
      {"route", "get", "post", "put", "patch", "api_route", "websocket", "task", "event", "command", "message"});
  return std::ranges::any_of(function.definition()->decorators, [&](const Expr *decorator) {
    const auto *call = as<Call>(decorator);
    const Expr *const named = call != nullptr ? call->func : decorator;
    const model::Scope scope = model::scope_of(project, *function.parent);
    const auto *method = as<Attribute>(named);
    if (method == nullptr) {
      return named->kind == NodeKind::Name && api_of(model::value_of(scope, named)) == "celery.shared_task";
    }
    if (!kRoutes.has(method->attr) ||
        (call == nullptr && method->attr.text() != "task" && method->attr.text() != "event")) {
      return false;
    }
    const auto made = model::written_as(scope, method->value);
    return !made.empty() && std::ranges::all_of(made, [&project](const model::Argument::Given &given) {
      const auto *maker = as<Call>(given.expr);
      const std::string_view api = maker != nullptr ? app_made_by(project, *maker) : std::string_view{};
      return api.starts_with("flask.") || api.starts_with("fastapi.") || api.starts_with("sanic.") ||
             api.starts_with("quart.") || api.starts_with("starlette.") || api.starts_with("celery.") ||
             api.starts_with("aiohttp.") || api.starts_with("discord.") || api.starts_with("aiogram.");
    });
  });
}

// `post` of an APIView, `handle` of a TorchServe handler
bool is_view(const FunctionInfo &function) {
  static const NameTable kMethods({"get", "post", "put"});
  static const NameTable kSteps({"handle", "inference", "predict"});
  static const NameTable kPlain({"do_GET", "do_POST"});
  if (function.type == nullptr ||
      (!kMethods.has(function.name) && !kSteps.has(function.name) && !kPlain.has(function.name))) {
    return false;
  }
  const bool is_step = kSteps.has(function.name);
  return std::ranges::any_of(function.type->mro, [is_step](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [is_step](const Value &base) {
      const std::string_view api = api_of(base);
      return is_step ? api == "litserve.LitAPI" || (api.starts_with("ts.") && api.ends_with("Handler"))
                     : api.ends_with(".APIView") || api.ends_with(".MethodView") || api == "flask_restful.Resource" ||
                           api == "flask_restx.Resource" || api == "django.views.View" ||
                           api == "http.server.BaseHTTPRequestHandler" || api == "tornado.web.RequestHandler";
    });
  });
}

// AWS calls `lambda_handler(event, context)`, whatever its file is called; RunPod `handler(job)`.
bool is_cloud_function(const FunctionInfo &function) {
  if (function.type != nullptr || function.parent->node != nullptr) {
    return false;
  }
  const std::string_view name = function.name.text();
  const bool has_event = function.params.size() == 2 && function.params[0]->name &&
                         function.params[0]->name.text() == "event" && function.params[1]->name &&
                         function.params[1]->name.text() == "context";
  return ((name == "lambda_handler" || name == "handler") && has_event) ||
         (name == "handler" && function.passed &&
          has_word(function.module->parsed->source.text(), {"runpod.serverless"}));
}

// What `app.add_post("/answer", answer)` is given: the last part of a name; none if it is something else.
Symbol name_of(const Expr *expr) {
  const auto *name = as<Name>(expr);
  const auto *attribute = as<Attribute>(expr);
  return name != nullptr ? name->id : attribute != nullptr ? attribute->attr : Symbol{};
}

// Functions that a file hands to those who call them for requests, by their names.
struct HandedOver {
  std::unordered_set<u32>
      to_server; // `app.router.add_post("/answer", answer)`, `app.add_url_rule("/", view_func=answer)`
  std::unordered_set<u32> to_gradio; // `gr.Interface(fn=answer, …)`, `button.click(answer, …)`
};

// Who asks for what, in a project: worked out once, when a rule first asks.
struct Handlers {
  const model::Project *project = nullptr;
  std::unordered_map<const model::Module *, HandedOver> handed;
  std::unordered_multimap<const FunctionInfo *, const FunctionInfo *> dependencies; // and who depends on them
  std::unordered_multimap<u32, const FunctionInfo *> in_threads; // names, and the async function that hands them over
};

// Of this thread, until forget_handlers().
thread_local Handlers known_handlers;

HandedOver find_handed_over(const model::Module &module) {
  static const NameTable kAdding({"add_post", "add_get", "add_put", "add_route", "add_url_rule", "add_api_route"});
  static const NameTable kEvents({"click", "submit", "change", "upload", "Interface", "ChatInterface", "input"});
  HandedOver found;
  for (const Stmt *statement : module.parsed->tree.body) {
    any_node_inside(static_cast<const Node *>(statement), [&found](const Node *node) {
      const auto *call = as<Call>(node);
      const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
      if (method != nullptr && kAdding.has(method->attr)) {
        std::ranges::for_each(call->args, [&](const Expr *given) { found.to_server.insert(name_of(given).id); });
        std::ranges::for_each(call->keywords,
                              [&](const Keyword *given) { found.to_server.insert(name_of(given->value).id); });
      }
      if (const Expr *given = method != nullptr && kEvents.has(method->attr) ? argument(*call, 0, "fn") : nullptr) {
        found.to_gradio.insert(name_of(given).id);
      }
      return false;
    });
  }
  return found;
}

const HandedOver &handed_over(Handlers &handlers, const model::Module &module) {
  const auto [place, is_new] = handlers.handed.try_emplace(&module);
  if (is_new) {
    const SharedWork shared;
    place->second = find_handed_over(module);
  }
  return place->second;
}

bool is_registered(Handlers &handlers, const FunctionInfo &function) {
  return function.name && (function.type == nullptr || function.definition()->is_async) &&
         has_word(model::code_of(*function.module), {"aiohttp", "flask", "fastapi", "starlette", "sanic"}) &&
         handed_over(handlers, *function.module).to_server.contains(function.name.id);
}

bool is_gradio_callback(Handlers &handlers, const FunctionInfo &function) {
  return function.passed && function.type == nullptr && function.name &&
         has_word(model::code_of(*function.module), {"gradio"}) &&
         handed_over(handlers, *function.module).to_gradio.contains(function.name.id);
}

// ---- Dependencies of FastAPI ----------------------------------------------------------------------------------------

// `Depends(get_model)`, which FastAPI calls for every request. Of a class it is the constructor. Null if it is none.
const FunctionInfo *dependency_of(const model::Project &project, const FunctionInfo &user, const Node *node) {
  const auto *call = as<Call>(node);
  if (call == nullptr || call->args.size() != 1) {
    return nullptr;
  }
  const model::Scope scope = model::scope_of(project, *user.parent);
  if (api_of(model::value_of(scope, call->func)) != "fastapi.Depends") {
    return nullptr;
  }
  const Value given = model::value_of(scope, call->args[0]);
  return given.is(Value::Tag::Class) ? model::find_method_of(*given.type, known::sym_init)
         : given.is(Value::Tag::Function) || given.is(Value::Tag::Method) ? given.function.get()
                                                                          : nullptr;
}

void add_dependencies(const model::Project &project, const FunctionInfo &user, Handlers &handlers) {
  const auto add = [&](const Node *node) {
    if (const FunctionInfo *const function = dependency_of(project, user, node)) {
      handlers.dependencies.emplace(function, &user);
    }
    return false;
  };
  for (const Param *param : user.params) {
    if (param->default_value != nullptr) {
      add(param->default_value);
    }
    if (param->annotation != nullptr) {
      any_node(param->annotation, add);
    }
  }
}

// `await asyncio.to_thread(answer, question)`: a handler has another thread run the function.
void add_threads(const FunctionInfo &user, Handlers &handlers) {
  static const NameTable kRunning({"to_thread", "run_in_executor", "run_in_threadpool", "run_sync"});
  any_node(user.definition()->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const Symbol called = call != nullptr ? name_of(call->func) : Symbol{};
    if (called && kRunning.has(called)) {
      for (const Expr *given : call->args) {
        if (const Symbol name = name_of(given)) {
          handlers.in_threads.emplace(name.id, &user);
        }
      }
    }
    return false;
  });
}

Handlers find_handlers(const model::Project &project) {
  const SharedWork shared;
  const ReadPause pause; // who asks for what stands in other files says so
  Handlers found;
  found.project = &project;
  for (const FunctionInfo &user : project.functions) {
    if (user.definition() == nullptr || user.parent == nullptr) {
      continue;
    }
    if (has_word(user.module->parsed->source.text(), {"Depends"})) {
      add_dependencies(project, user, found);
    }
    if (user.definition()->is_async) {
      add_threads(user, found);
    }
  }
  return found;
}

Handlers &handlers_of(const model::Project &project) {
  if (shared_memory != nullptr) { // for all parts that this thread works on
    struct SharedHandlers {
      mutable Handlers handlers;
    };
    return shared_memory->recall<SharedHandlers>(&project, [&] { return SharedHandlers{find_handlers(project)}; })
        .handlers;
  }
  if (known_handlers.project != &project) {
    known_handlers = find_handlers(project);
  }
  return known_handlers;
}

bool is_handler(const model::Project &project, const FunctionInfo &function, u32 depth);

bool is_depended_on(const model::Project &project, const FunctionInfo &function, u32 depth) {
  constexpr u32 kMostDependencies = 3;
  if (depth == kMostDependencies || (!function.passed && function.name.text() != "__init__")) {
    return false;
  }
  note_read_everything();
  const auto [first, last] = handlers_of(project).dependencies.equal_range(&function);
  return std::any_of(first, last, [&](const auto &one) { return is_handler(project, *one.second, depth + 1); });
}

bool is_handler(const model::Project &project, const FunctionInfo &function, u32 depth) {
  if (function.definition() == nullptr || function.parent == nullptr) {
    return false;
  }
  Handlers &handlers = handlers_of(project);
  return is_routed(project, function) || is_view(function) || is_cloud_function(function) ||
         is_gradio_callback(handlers, function) || is_registered(handlers, function) ||
         is_depended_on(project, function, depth);
}

} // namespace

void forget_handlers() { known_handlers = {}; }

bool is_request_handler(const model::Project &project, const FunctionInfo &function) {
  return is_handler(project, function, 0);
}

namespace {

bool serves_requests(const model::Project &project, const FunctionInfo *function, u32 depth);

bool is_run_in_thread(const model::Project &project, const FunctionInfo &function, u32 depth) {
  note_read_everything();
  const auto [first, last] = handlers_of(project).in_threads.equal_range(function.name.id);
  return std::any_of(first, last, [&](const auto &one) {
    return one.second->module == function.module && serves_requests(project, one.second, depth + 1);
  });
}

bool serves_requests(const model::Project &project, const FunctionInfo *function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  for (const FunctionInfo *one = function; one != nullptr; one = one->parent) {
    if (is_request_handler(project, *one)) {
      return true;
    }
  }
  if (function != nullptr && function->definition() != nullptr && function->called_by.empty() && function->passed &&
      depth < kMostDepth) {
    return is_run_in_thread(project, *function, depth);
  }
  // A helper that nobody but handlers calls.
  return function != nullptr && function->definition() != nullptr && depth < kMostDepth &&
         !function->called_by.empty() && std::ranges::all_of(function->called_by, [&](const model::CallSite *caller) {
           return serves_requests(project, caller->caller, depth + 1);
         });
}

} // namespace

bool runs_per_request(const model::Project &project, const FunctionInfo &function) {
  return serves_requests(project, &function, 0);
}

namespace {

bool is_test_around(const std::vector<const Node *> &ancestors) {
  return std::ranges::any_of(ancestors, [](const Node *node) {
    return node->kind == NodeKind::If || node->kind == NodeKind::IfExp || node->kind == NodeKind::While ||
           node->kind == NodeKind::Match || node->kind == NodeKind::ExceptHandler || node->kind == NodeKind::BoolOp;
  });
}

// `if self.session is not None: return`, `if path in MODELS: return MODELS[path]`: it asks what was kept. A test of
// what the request brought is a check of the input.
bool returns_what_is_kept(const Site &site, const FunctionInfo &function, u32 before) {
  const Site there = site_of_origin(site, function);
  const auto asks_for_kept = [&](const Node *node) {
    const auto *name = as<Name>(node);
    const bool is_own = name != nullptr && function.slot_of(name->id) != FunctionInfo::kNoSlot;
    const bool is_object =
        name != nullptr && function.type != nullptr && !function.params.empty() && function.params[0]->name == name->id;
    return name != nullptr && (is_object || (!is_own && !value_of(there, name).is(Value::Tag::Api)));
  };
  const auto is_return = [](const Node *inner) { return inner->kind == NodeKind::Return; };
  struct FirstTest {
    u32 start = ~0U;
  };
  const FirstTest &first = site.memory.recall<FirstTest>(function.definition(), [&] {
    FirstTest found;
    any_node(function.definition()->body, [&](const Node *node) {
      const auto *test = as<If>(node);
      if (test != nullptr && test->start < found.start && any_node(test->test, asks_for_kept) &&
          (any_node(test->body, is_return) || any_node(test->orelse, is_return))) {
        found.start = test->start;
      }
      return false;
    });
    return found;
  });
  return first.start < before;
}

bool is_remembered(const FunctionInfo &function) {
  return std::ranges::any_of(function.definition()->decorators, [&](const Expr *decorator) {
    return has_word(function.module->parsed->source.text().substr(decorator->start, decorator->end - decorator->start),
                    {"cache", "singleton", "once", "property"});
  });
}

bool comes_with_request(const Site &site, const FunctionInfo &function, u32 place, u32 depth,
                        const model::CallSite **through) {
  constexpr u32 kMostDepth = 4;
  if (function.definition() == nullptr || function.parent == nullptr || depth == kMostDepth ||
      is_remembered(function) || returns_what_is_kept(site, function, place)) {
    return false;
  }
  if (is_request_handler(site.project, function)) {
    return true;
  }
  for (const model::CallSite *caller : function.called_by) {
    std::vector<const Node *> ancestors;
    const FunctionInfo &by = *caller->caller;
    if (caller->once || caller->behind_guard || caller->conditional || &by == &function || by.definition() == nullptr ||
        !comes_with_request(site, by, caller->call->start, depth + 1, through) ||
        !find_ancestors(by.node, *caller->call, ancestors) || is_test_around(ancestors)) {
      continue;
    }
    if (through != nullptr) {
      *through = caller;
    }
    return true;
  }
  return false;
}

} // namespace

bool runs_in_every_request(const Site &site, const model::CallSite **caller) {
  return site.function != nullptr && site.node != nullptr && enclosing(site, NodeKind::If) == nullptr &&
         !is_test_around(site.ancestors) && comes_with_request(site, *site.function, site.node->start, 0, caller);
}

bool in_request_handler(const Site &site) { return serves_requests(site.project, site.function, 0); }

} // namespace deepperf::rules
