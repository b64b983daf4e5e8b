#include "check/program_id.h"

#include "base/hash.h"
#include "base/types.h"

#include <fmt/format.h>

#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace deepperf::check {

namespace {

constexpr std::size_t aligned(std::size_t size) { return (size + 3) / 4 * 4; }

// The description of the note that holds the build id; empty if there is none among these.
std::string_view find_build_id(std::string_view notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const std::size_t name_size = aligned(header.n_namesz);
    const std::size_t size = name_size + aligned(header.n_descsz);
    if (size > notes.size()) {
      break;
    }
    if (header.n_type == NT_GNU_BUILD_ID && notes.starts_with(std::string_view("GNU\0", 4))) {
      return notes.substr(name_size, header.n_descsz);
    }
    notes.remove_prefix(size);
  }
  return {};
}

int visit_program(dl_phdr_info *info, std::size_t, void *result) {
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) {
      continue;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
    const auto *const notes = reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr);
    const std::string_view id = find_build_id({notes, segment.p_memsz});
    if (!id.empty()) {
      *static_cast<std::string_view *>(result) = id;
      break;
    }
  }
  return 1; // the program itself comes first, and libraries are none of ours
}

std::string make_id() {
  std::string_view build;
  ::dl_iterate_phdr(visit_program, &build);
  std::string id = DEEPPERF_VERSION " ";
  if (!build.empty()) {
    for (const char c : build) {
      id += fmt::format("{:02x}", static_cast<u8>(c));
    }
    return id;
  }
  // Linked without one: then the program's own bytes tell.
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  return bytes.empty() ? std::string() : id + fmt::format("{:016x}", hash_bytes(bytes));
}

} // namespace

const std::string &program_id() {
  static const std::string id = make_id();
  return id;
}

} // namespace deepperf::check
