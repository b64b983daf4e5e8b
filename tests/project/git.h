// Real git, as the judge of what is ignored.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace deepperf::project {

inline bool has_git() { return std::system("git --version >/dev/null 2>&1") == 0; }

// Runs git in a folder, without anybody's settings, and returns what it prints. `arguments` go through the shell.
inline std::string git(const std::string &folder, const std::string &arguments) {
  const std::string command =
      "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES=/ XDG_CONFIG_HOME=/nowhere git -C '" +
      folder + "' " + arguments;
  struct Close {
    void operator()(std::FILE *pipe) const { ::pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(::popen(command.c_str(), "r"));
  std::string output;
  std::array<char, 4096> buffer{};
  while (pipe != nullptr) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (count == 0) {
      break;
    }
    output.append(buffer.data(), count);
  }
  return output;
}

} // namespace deepperf::project
