#include "bench/machine.h"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string_view>

namespace deepperf::bench {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return {};
}

} // namespace

Machine this_machine() {
  Machine machine;
  machine.processor = processor_name();
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    machine.cores = static_cast<u32>(CPU_COUNT(&allowed));
  }
  machine.memory = static_cast<u64>(::sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(::sysconf(_SC_PAGESIZE));
  return machine;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

} // namespace deepperf::bench
