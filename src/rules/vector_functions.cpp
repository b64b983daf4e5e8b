#include "rules/vector_functions.h"

#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules::vectors {

using namespace python;

namespace {

// Is it one of the words, which blanks separate?
bool is_one_of(std::string_view name, std::string_view words) {
  for (std::size_t at = words.find(name); at != std::string_view::npos; at = words.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) {
      return !name.empty();
    }
  }
  return false;
}

// Functions and methods that work along an axis of a whole tensor as they work on one row.
constexpr std::string_view kRowFunctions =
    "norm sum mean max min amax amin argmax argmin prod std var softmax log_softmax matmul mm mv dot bmm t transpose "
    "cumsum cumprod reduce_sum reduce_max reduce_min reduce_mean reduce_prod reduce_any reduce_all reduce_std stack "
    "top_k topk sort argsort logsumexp normalize one_hot outer inner cosine_similarity dist fft ifft fft2d ifft2d rfft "
    "irfft gather flip median any all count_nonzero pairwise_distance l2_normalize reshape view squeeze unsqueeze "
    "flatten";

// Element-wise functions, also where nothing is known about the receiver.
constexpr std::string_view kElementFunctions =
    "abs sqrt exp log sin cos tan tanh sigmoid relu clamp clip pow square sign floor ceil round maximum minimum where "
    "float int long double half bool to type astype item cpu cuda detach numpy clone cast log2 log10 log1p expm1 rsqrt "
    "reciprocal equal";

// What makes a tensor of a list.
constexpr std::string_view kCollectors =
    "torch.stack torch.cat torch.concat torch.tensor torch.as_tensor torch.FloatTensor torch.LongTensor "
    "tensorflow.stack tensorflow.concat tensorflow.convert_to_tensor numpy.array numpy.asarray numpy.stack "
    "numpy.vstack numpy.concatenate jax.numpy.array jax.numpy.stack jax.numpy.concatenate";

} // namespace

bool is_array(Kind kind) {
  return kind == Kind::TorchTensor || kind == Kind::Tensor || kind == Kind::Variable || kind == Kind::JaxArray ||
         kind == Kind::NumpyArray;
}

std::string_view last_part(std::string_view api) {
  const std::size_t dot = api.rfind('.');
  return dot == std::string_view::npos ? api : api.substr(dot + 1);
}

bool works_on_rows(std::string_view name) { return is_one_of(name, kRowFunctions); }

bool works_on_elements(std::string_view name) { return is_one_of(name, kElementFunctions); }

bool is_collector(const Site &site, const Node *node) {
  const auto *call = as<Call>(node);
  return call != nullptr && is_one_of(called_api(site, *call), kCollectors);
}

// `model.compile(loss=f)`: Keras calls the function with tensors.
bool is_keras_loss(const Site &site) {
  struct KerasLosses {
    std::unordered_set<u32> names; // of the file
  };
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition == nullptr || definition->params.size() != 2) {
    return false;
  }
  const KerasLosses &losses = site.memory.recall<KerasLosses>(site.module, [&] {
    KerasLosses found;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, [&found](const Node *node) {
        const auto *call = as<Call>(node);
        const Expr *loss = call != nullptr && called_method(*call) == "compile" ? argument(*call, 1, "loss") : nullptr;
        if (const auto *name = as<Name>(loss)) {
          found.names.insert(name->id.id);
        }
        return false;
      });
    }
    return found;
  });
  return losses.names.contains(definition->name.id);
}

} // namespace deepperf::rules::vectors
