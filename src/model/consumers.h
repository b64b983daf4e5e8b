// What becomes of a Dataset: is all of it read, only an element or two to look at, or nothing at all?
#pragma once

#include "model/project.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::model {

enum class Consumption : u8 {
  Nothing, // nobody reads an element; at most its specification is looked at
  Few,     // take(1), next(iter(dataset)) and the like are all there is
  All,     // a loop, a call, a return: it may be read to the end
};

// Follows datasets through the names of their module, into functions of the project that get them, and out of those
// that their own script calls. What leaves its sight is taken to be read to the end.
class Consumers {
public:
  explicit Consumers(const Project &project);
  ~Consumers();
  Consumers(const Consumers &) = delete;
  Consumers &operator=(const Consumers &) = delete;

  Consumption of(const Stage &stage);

  // The calls of a function, in the whole project.
  const std::vector<const CallSite *> &calls_of(const FunctionInfo &function);

  // Is what the stage gives put under a name, and are its elements read one by one from there?
  bool is_read_singly(const Stage &stage);

private:
  struct Uses; // of one module: who holds which node, and where names are read
  Uses &uses_in(const Module &module);

  // Of the dataset that is being followed.
  struct Trace {
    std::unordered_set<const python::Assign *> seen;
    std::unordered_map<const FunctionInfo *, Consumption> returned; // what becomes of what functions return
    u32 steps = 0;
    u32 looked = 0;
    const CallSite *entered = nullptr;    // the call that handed it to the function that is being looked at
    const python::Source *from = nullptr; // where that call stands
  };

  const Project &project_;
  Trace trace_;
  std::unordered_map<const Module *, std::unique_ptr<Uses>> uses_;
  std::vector<std::vector<const CallSite *>> calls_; // of each function, by its index; made when asked for
};

} // namespace deepperf::model
