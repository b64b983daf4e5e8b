// What does a mapped function do in Python: does it hold the lock of the interpreter, does it draw random numbers?
#include "model/mapper_examination.h"
#include "python/children.h"

namespace deepperf::model {

using namespace python;

namespace {

bool lets_go(std::string_view api, const ApiInfo *info) {
  for (const std::string_view library : {"scipy.", "cv2.", "librosa.", "PIL.", "skimage.", "soundfile.", "subprocess.",
                                         "pydub.", "imageio.", "nibabel.", "SimpleITK.", "pyvips.", "time.sleep"}) {
    if (api.starts_with(library)) {
      return true;
    }
  }
  return info != nullptr && info->has(kOp) && !info->has(kCheap) && api.starts_with("tensorflow."); // its own work
}

bool draws(std::string_view api, const ApiInfo *info) {
  return api.starts_with("numpy.random.") || api.starts_with("random.") || (info != nullptr && info->has(kRandom));
}

} // namespace

// The interpreter's lock lets one thread at a time run Python, but libraries let go of it while they work.
void MapperExamination::run_python(const Call *call, const Value &function) {
  facts.vectorisable = facts.cheap = false;
  facts.heavy = facts.works = true;
  facts.python = facts.python == nullptr ? call : facts.python;
  const bool is_function = function.is(Value::Tag::Function) || function.is(Value::Tag::Method);
  facts.locked |= !is_function || !runs_any(function.function->node, lets_go);
  if (is_function && runs_any(function.function->node, draws)) {
    facts.random = facts.random == nullptr ? call : facts.random;
  }
}

// Does the code, or a function of the project that it calls, call such an API?
template <class Matches> bool MapperExamination::runs_any(const Node *node, Matches matches) const {
  std::unordered_set<const FunctionInfo *> seen;
  return runs_any(node, matches, seen);
}

template <class Matches>
bool MapperExamination::runs_any(const Node *node, Matches matches,
                                 std::unordered_set<const FunctionInfo *> &seen) const {
  constexpr std::size_t kMostFunctions = 50;
  if (node == nullptr) {
    return false;
  }
  if (const auto *call = as<Call>(node)) {
    const auto *name = as<Name>(call->func);
    if (name != nullptr && (name->id.text() == "type" || name->id.text() == "isinstance")) {
      return false; // isinstance(x, type(tf.constant(0))) computes nothing
    }
    const Value callee = project_.callee_of(call);
    if (callee.is(Value::Tag::Api)) {
      if (matches(callee.name().text(), find_api(callee.name()))) {
        return true;
      }
    } else if ((callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) && seen.size() < kMostFunctions &&
               seen.insert(callee.function).second && runs_any(callee.function->node, matches, seen)) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || runs_any(child, matches, seen); });
  return found;
}

} // namespace deepperf::model
