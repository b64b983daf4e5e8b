// What one iteration of a loop, one step or one forward pass reads back from the device, in its own code and in the
// functions of the project that it calls.
#pragma once

#include "rules/memory.h"
#include "rules/site.h"

#include <string_view>
#include <vector>

namespace deepperf::rules {

// How Python asks for a value, as messages name it.
constexpr std::string_view kCondition = "a tensor as a condition";
constexpr std::string_view kComparison = "a Python comparison of tensors";
constexpr std::string_view kRange = "`range()` of a tensor";
constexpr std::string_view kConversion = "a conversion to a Python number";
constexpr std::string_view kBounds = "a slice whose bounds are tensors";
constexpr std::string_view kSynchronize = "`synchronize()`"; // that reads nothing itself

// A place that reads a value back from the device.
struct DeviceRead {
  const model::Module *module = nullptr;
  const python::Node *place = nullptr;
  std::string_view how;               // "`.item()`", "a condition"
  bool is_optional = false;           // under a setting, so that it may be switched off
  bool is_repeated = false;           // in a loop inside the step
  bool is_explicit = false;           // .item(), .cpu(), .tolist()
  const python::Node *call = nullptr; // in the step's own code, that leads to it; null if it stands there itself
  bool decides_end = false;           // whether the loop goes on
  Symbol name = {};                   // that it is assigned to
  bool is_needed = false;             // for something that only the host can do: see host_use.h
  const model::FunctionInfo *function = nullptr;
  std::string_view when = {}; // if it is optional: when it is done, as notes tell it
};

// DeviceRead::when
constexpr std::string_view kIfEnabled = "if that is enabled";
constexpr std::string_view kIfTensor = "if it is given a tensor";
constexpr std::string_view kIfGiven = "if it is given such a tensor";
constexpr std::string_view kIfNever = "where nothing in sight asks for it"; // which is not worth a note
constexpr std::string_view kIfCalled = "in one of the functions that may be called";

struct DeviceReads {
  std::vector<DeviceRead> reads;
  bool moves = false;     // something is copied to a device
  bool on_device = false; // a tensor that it reads or reads back is known to be there
  bool acts = false;      // an environment is told what to do, for which the value is needed
  bool measures = false;  // reads a clock: then it may want to wait
  bool hands_out = false; // yields to a caller, who may want each value at once
};

// Of a loop's body, or of a function's; `is_forward`: of a forward pass, without what other forward passes report.
DeviceReads device_reads_in(const model::Project &project, const model::FunctionInfo &function,
                            const python::Node &region, bool is_forward, Memory &memory);

} // namespace deepperf::rules
