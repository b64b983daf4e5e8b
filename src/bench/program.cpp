#include "bench/program.h"

#include "base/embedded_text.h"
#include "base/json.h"
#include "bench/files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace deepperf {

std::span<const EmbeddedText> bench_texts(); // generated, see CMakeLists.txt

namespace bench {

namespace {

std::string driver_path(const std::string &folder) { return folder + "/driver.py"; }

std::string gigabytes(u64 bytes) {
  constexpr double kGigabyte = 1 << 30;
  return fmt::format("{:.3g} GB", static_cast<double>(bytes) / kGigabyte);
}

// The last line that says something.
std::string last_line(std::string_view output) {
  while (!output.empty()) {
    const std::size_t begin = output.find_last_of('\n', output.size() - 1);
    const std::string_view line = output.substr(begin == std::string_view::npos ? 0 : begin + 1);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      return std::string(line.substr(0, 300));
    }
    output = begin == std::string_view::npos ? std::string_view() : output.substr(0, begin);
  }
  return {};
}

// What Python and C++ say of memory that they do not get, where nobody catches it.
bool is_about_memory(std::string_view output) {
  return output.find("std::bad_alloc") != std::string_view::npos ||
         output.find("MemoryError") != std::string_view::npos ||
         output.find("annot allocate memory") != std::string_view::npos;
}

std::string failure_of(const Finished &finished, const Limits &limits) {
  const std::string last = last_line(finished.output);
  if (finished.end != Finished::End::TimedOut && is_about_memory(finished.output)) {
    return fmt::format("needed more than {} of memory (--memory-limit){}",
                       gigabytes(finished.in_import ? limits.of_imports().memory : limits.memory),
                       finished.in_import ? " to import its libraries" : "");
  }
  const std::string quoted = last.empty() ? "" : fmt::format("; it wrote last: {}", last);
  switch (finished.end) {
  case Finished::End::NotStarted:
    return fmt::format("could not be started: {}", std::strerror(finished.code)); // NOLINT(concurrency-mt-unsafe)
  case Finished::End::TimedOut:
    if (finished.in_import) {
      return fmt::format("did not import its libraries within {} s", limits.of_imports().seconds);
    }
    return fmt::format("did not finish within {} s (--time-limit)", limits.seconds);
  case Finished::End::Killed:
    // The kernel's way of ending who asks for more than the machine has.
    return finished.code == SIGKILL
               ? fmt::format("was killed, probably because memory ran out{}", quoted)
               : fmt::format("crashed: {}{}", ::strsignal(finished.code), quoted); // NOLINT(concurrency-mt-unsafe)
  default:
    return fmt::format("ended early with exit code {}{}", finished.code, quoted);
  }
}

std::string failure_of(const nlohmann::json &error, const Limits &limits, const std::vector<u32> &lines) {
  const auto kind = error.at("kind").get<std::string>();
  const auto message = error.at("message").get<std::string>();
  const auto written = error.at("line").get<u32>();
  const u32 line = lines.empty() ? written : written < lines.size() ? lines[written] : 0;
  const std::string where = line == 0 ? "" : fmt::format(" at line {}", line);
  if (kind == "unfit") {
    return message;
  }
  if (kind == "import memory") {
    return fmt::format("needs {} of memory for its imports alone, more than the limit of {} (--memory-limit)",
                       gigabytes(error.at("bytes").get<u64>()), gigabytes(limits.memory));
  }
  if (kind == "memory") {
    return fmt::format("needed more than {} of memory (--memory-limit){}", gigabytes(limits.memory), where);
  }
  return fmt::format("failed{}: {}", where, message);
}

ProgramRun read_report(const Finished &finished, bool with_result, const Limits &limits,
                       const std::vector<u32> &lines) {
  ProgramRun run;
  run.is_interrupted = finished.end == Finished::End::Interrupted;
  if (run.is_interrupted) {
    run.failure = "was interrupted";
    return run;
  }
  const nlohmann::json report = parse_json<nlohmann::json>(finished.report);
  if (finished.end != Finished::End::Exited || !report.is_object()) {
    run.failure = failure_of(finished, limits);
    return run;
  }
  try {
    if (report.contains("error")) {
      run.failure = failure_of(report.at("error"), limits, lines);
      run.lacks_module = report.at("error").at("kind") == "missing";
      return run;
    }
    run.sample = Sample{report.at("wall").get<double>(), report.at("cpu").get<double>(),
                        report.at("peak").get<double>(), report.at("base").get<double>()};
    if (with_result) {
      run.result = read_computed(report.at("result"));
    }
  } catch (const nlohmann::json::exception &) {
    run.sample.reset();
    run.failure = "wrote to its report itself";
  }
  return run;
}

} // namespace

double used_memory(const Sample &sample) { return std::max(sample.peak - sample.base, kLeastMemory); }

Workplace::Workplace(std::string folder, const Limits &limits, Interrupts &interrupts)
    : folder_(std::move(folder)), limits_(limits), interrupts_(interrupts) {
  std::string text;
  for (const EmbeddedText &file : bench_texts()) {
    for (const std::string_view chunk : file.chunks) {
      text += chunk;
    }
  }
  write_file(driver_path(folder_), text);
}

ProgramRun Workplace::run(const std::string &script, const std::vector<Knob> &knobs, const std::string &python,
                          bool with_result, const std::vector<u32> &lines) {
  // Each run finds an empty folder, whatever the one before has left in it.
  const std::string files = folder_ + "/files";
  std::filesystem::remove_all(files);
  std::filesystem::create_directory(files);
  nlohmann::json request;
  request["script"] = std::filesystem::absolute(script).string();
  request["folder"] = files;
  request["memory"] = limits_.memory;
  request["values"] = with_result;
  request["knobs"] = nlohmann::json::object();
  for (const Knob &knob : knobs) {
    request["knobs"][knob.name] = parse_json<nlohmann::json>(knob.value);
  }
  ForkServer &server =
      servers_.try_emplace(python, python, driver_path(folder_), folder_, limits_, interrupts_).first->second;
  return read_report(server.run(json_text(request, -1, true)), with_result, limits_, lines);
}

} // namespace bench

} // namespace deepperf
