// What we know of the frameworks: which call returns what kind of value, and what else is true of it.
//
// The knowledge is data: src/frameworks/*.txt, made into tables of the program by tools/make_tables. A line is
//     tensorflow.math.sqrt   Tensor    op batchable cheap       an API, by its canonical name
//     Dataset.map            Dataset   stage maps               a method of a kind
//     len                    -         cheap                    a Python builtin: a name without dots
// An API that is listed without `random`, `io`, `python`, `mutates`, `variable` and `session_run` gives the same for
// the same arguments.
#pragma once

#include "base/symbol.h"
#include "base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf {

// What a value is to us. Their names in the tables are the same words, but for the Python ones (`list`, `dict`, …).
enum class Kind : u8 {
  Unknown,
  Dataset,
  Iterator, // over a Dataset
  Tensor,
  Variable,
  Session,
  Graph,
  Saver,
  Optimizer, // tf.train.*Optimizer
  KerasModel,
  KerasLayer,
  KerasOptimizer,
  KerasLoss,
  KerasMetric,
  GradientTape,
  Function, // what tf.function makes
  Initializer,
  SummaryWriter,
  Operation,
  TensorArray,
  HashTable,
  TfRecordWriter,
  DistributeStrategy,
  Estimator,
  TfdsBuilder,
  TorchTensor,
  TorchModule,
  TorchDataset,
  TorchDataLoader,
  TorchOptimizer,
  TorchScheduler,
  TorchLoss,
  TorchDevice,
  TorchDistribution, // of torch.distributions
  NumpyArray,
  JaxArray,
  PandasFrame, // also a Series
  HfDataset,
  HfTokenizer,
  HfModel,
  HfPipeline,
  HfProcessor, // of pictures or sound
  HfOutput,    // what calling an HfModel gives: its tensors are attributes
  HfEncoder,   // a SentenceTransformer or CrossEncoder
  Trainer,     // of Transformers, TRL or Lightning
  Accelerator, // of Accelerate; also Lightning's Fabric
  TorchMetric, // of torchmetrics
  Path,
  RandomState, // numpy's and Python's random generators
  List,
  Dict,
  Set,
  Tuple,
  Str,
  Deque,
  File,
  NoGrad,   // torch.no_grad() and inference_mode(), as a context or decorator
  Autocast, // torch.autocast and what stood for it before
  GradScaler,
  Number,            // of Python: what item() and float() give
  ArgumentParser,    // of argparse; also its groups and sub-parsers
  ArgumentNamespace, // what it parsed; it remembers the call that made the parser
  NamedTuple,        // a class that collections.namedtuple made, by that call
  LibraryObject,     // of a library that no framework is, as its maker's name tells: see rules/library_object.h
  kCount
};

// One bit each. In the tables: the name without `k`, in snake_case.
enum Trait : u64 {
  kOp = u64{1} << 0,             // creates a graph operation (TF1) or runs a kernel (TF2 eager)
  kSpec = u64{1} << 1,           // describes something; runs nothing
  kRandom = u64{1} << 2,         // the result differs from call to call
  kConstant = u64{1} << 3,       // makes a value from Python values only
  kVariable = u64{1} << 4,       // makes a variable or other state
  kGraphState = u64{1} << 5,     // what a TF1 program must build once
  kBatchable = u64{1} << 6,      // gives for a batch what it gives for each example alone
  kShapeDependent = u64{1} << 7, // a new first dimension changes its meaning
  kPerExample = u64{1} << 8,     // needs one example
  kIo = u64{1} << 9,             // reads or writes files, the network or the terminal
  kDecode = u64{1} << 10,        // decodes an image, sound or record
  kPython = u64{1} << 11,        // runs a Python function for each element
  kCheap = u64{1} << 12,         // costs next to nothing
  kStage = u64{1} << 13,         // a Dataset method that adds a stage; the next ones say which
  kMaps = u64{1} << 14,
  kInterleaves = u64{1} << 15,
  kFlatMaps = u64{1} << 16,
  kBatches = u64{1} << 17,
  kShuffles = u64{1} << 18,
  kRepeats = u64{1} << 19,
  kPrefetches = u64{1} << 20,
  kCaches = u64{1} << 21,
  kFilters = u64{1} << 22,
  kZips = u64{1} << 23,
  kUnbatches = u64{1} << 24,
  kWindows = u64{1} << 25,
  kApplies = u64{1} << 26,
  kTakes = u64{1} << 27, // take, skip, shard
  kEnumerates = u64{1} << 28,
  kSource = u64{1} << 29,      // makes a Dataset or a loader from something else
  kBatched = u64{1} << 30,     // a source whose elements are batches already
  kContainerOf = u64{1} << 31, // may return a tuple, list or dict of the kind instead
  kSession = u64{1} << 32,     // makes a Session
  kSessionRun = u64{1} << 33,  // runs the graph
  kGraphScope = u64{1} << 34,  // makes or enters a new Graph
  kEager = u64{1} << 35,       // switches eager execution on, or asks for it
  kV1Switch = u64{1} << 36,    // switches TF2 behaviour off
  kTraces = u64{1} << 37,      // its function argument is traced once, or a few times
  kTape = u64{1} << 38,
  kNoLoop = u64{1} << 39,   // no work on a device: cannot matter in a loop
  kMutates = u64{1} << 40,  // changes its receiver
  kSyncs = u64{1} << 41,    // waits for the device, or copies from it
  kV1 = u64{1} << 42,       // TF1 only
  kV2 = u64{1} << 43,       // TF2 only
  kStep = u64{1} << 44,     // part of a training step: backward(), an optimizer's step, apply_gradients, …
  kProperty = u64{1} << 45, // no method: the attribute itself has the kind
  kMoves = u64{1} << 46,    // gives its receiver on another device
  kNoGrads = u64{1} << 47,  // the result hangs on no graph: detach(), item()
  kCompiles = u64{1} << 48, // the function that it makes is traced when first called, and that is kept: tf.function
  kLoss = u64{1} << 49,     // compares predictions with labels
  kWeights = u64{1} << 50,  // makes a layer that has weights
  kCopies = u64{1} << 51,   // cheap for an example, but it copies all that it is given: concat, stack, transpose
  kText = u64{1} << 52,     // splits a string, or looks it up: little work for one sentence
  kPassesOn = u64{1} << 53, // iterates over what its first argument iterates over: iter, tqdm, cycle
};

// What the numbers of a tensor are, as far as the last operation or layer tells: what a loss function has to
// agree with. Of a module: what calling it gives. The words in the tables are the same, in snake_case.
enum class Output : u8 {
  Unknown,
  Scores, // of a linear or convolutional layer: any number
  Relu,
  Tanh,
  Sigmoid,
  Softmax,
  LogSoftmax,
  Same,          // as what goes in: views, casts, dropout
  FirstArgument, // as the module that is given: DataParallel
  LastArgument,  // the same for Sequential
  kCount
};

struct ApiInfo {
  Kind returns = Kind::Unknown;
  Output output = Output::Unknown;
  u64 traits = 0;

  [[nodiscard]] bool has(u64 any_of) const { return (traits & any_of) != 0; }
};

// Null when nothing is known. `qualified_name` is canonical, as canonical_name makes it.
const ApiInfo *find_api(Symbol qualified_name);

// sqrt, exp and the like of TensorFlow: one function of each number, hardly more than a cast.
bool is_arithmetic(const ApiInfo &info, std::string_view name);

// The method of a kind, or of the kind that it is a case of (a Variable is a Tensor, a KerasModel a KerasLayer).
const ApiInfo *find_method(Kind kind, Symbol method);

// Kind::Unknown when there is no such kind.
Kind kind_named(std::string_view name);
std::string_view name_of(Kind kind);

// The kind that `kind` is a case of: Variable -> Tensor, KerasModel -> KerasLayer, TorchLoss -> TorchModule.
Kind parent_of(Kind kind);

// The trait's bit, 0 when there is no such trait; and a trait set as the tables spell it.
u64 trait_named(std::string_view name);
std::string names_of_traits(u64 traits);

// The one name under which the tables list an API that has several: `tensorflow.compat.v1.layers.dense`,
// `tensorflow._api.v2.data.Dataset`, `keras.layers.core.Dense`, `torch.nn.modules.linear.Linear`, `builtins.len`.
// `through_v1`, when given, tells whether the name went through compat.v1.
Symbol canonical_name(std::string_view dotted, bool *through_v1 = nullptr);

// What is wrong with the tables, as "file:line: what"; nothing, or a test fails.
std::vector<std::string> table_errors();

// How many entries the tables have.
std::size_t table_size();

} // namespace deepperf
