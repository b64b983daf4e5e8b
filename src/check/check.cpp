#include "check/check.h"

#include "check/check_all.h"
#include "project/requirements.h"

#include <chrono>
#include <memory>

namespace deepperf::check {

Result run(const Options &options, Progress &progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto state = std::make_shared<CheckState>();
  project::set_open_requirements({});
  Result result = check_all(options, progress, *state);
  result.storage = state;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace deepperf::check
