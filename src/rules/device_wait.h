// Where a loop waits for the device: it reads what a compiled function returned before the device was done with it.
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

// A place that needs the value of what a compiled function returned.
struct DeviceWait {
  const python::Node *place = nullptr;
  std::string_view how;
  bool is_written_out = false; // float(x), device_get(x): not something that only prints
};

constexpr std::string_view kPlainWait = "`block_until_ready`"; // DeviceWait::how of a wait that reads nothing

struct DeviceWaits {
  std::vector<DeviceWait> waits;
  const python::Call *compiled = nullptr; // the first call of a compiled function
  bool acts = false;                      // an environment is told what to do, for which the value is needed
  bool measures = false;                  // reads a clock
};

// Of the code that each iteration of a loop runs, in the function of the site and in those that it calls.
DeviceWaits waits_in_iteration(const Site &site, const model::Loop &loop);

// Reports them in one finding, if there are any that matter.
void report_waits(Site &site, const model::Loop &loop, const DeviceWaits &found, std::string advice);

// Does the compiled function that is called go through many steps itself? Then one iteration is an epoch, and one wait
// is little. Also where nobody knows.
bool runs_many_steps(const Site &site, const python::Call &call);

// Does the call get something that is new in each iteration?
bool takes_what_loop_gives(const Site &site, const model::Loop &loop, const python::Call &call);

} // namespace deepperf::rules
