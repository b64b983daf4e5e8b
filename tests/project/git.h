// Real git, as the judge of what is ignored.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace deepperf::project {

inline bool has_git() { return std::system("git --version >/dev/null 2>&1") == 0; }

// Runs git in a folder, without anybody's settings, and returns what it prints. `arguments` go through the shell.
// Throws if git fails, as no output would look like an answer.
inline std::string git(const std::string &folder, const std::string &arguments) {
  const std::string command =
      "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES=/ XDG_CONFIG_HOME=/nowhere git -C '" +
      folder + "' " + arguments;
  std::FILE *const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) {
    throw std::runtime_error("cannot run " + command);
  }
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  if (::pclose(pipe) != 0) {
    throw std::runtime_error("this fails: " + command);
  }
  return output;
}

} // namespace deepperf::project
