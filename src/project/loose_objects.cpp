#include "project/loose_objects.h"

#include "base/types.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::project {

namespace {

constexpr std::size_t kNameDigits = 40; // of an object's name, of which two are its folder's

class ObjectFile {
public:
  explicit ObjectFile(const std::string &path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat facts {};
    is_regular_ = descriptor_ >= 0 && ::fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode);
  }
  ObjectFile(const ObjectFile &) = delete;
  ObjectFile &operator=(const ObjectFile &) = delete;
  ~ObjectFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  [[nodiscard]] bool exists() const { return descriptor_ >= 0; }
  [[nodiscard]] bool is_regular() const { return is_regular_; }
  std::size_t read(std::array<unsigned char, 65536> &room) const {
    const ssize_t got = ::read(descriptor_, room.data(), room.size());
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  }

private:
  int descriptor_;
  bool is_regular_ = false;
};

// The length of the whole object by its first bytes, `blob 12\0`; nothing if they say none.
std::optional<u64> length_by_head(std::string_view head) {
  const std::size_t end = head.find('\0');
  const std::size_t space = head.find(' ');
  u64 size = 0;
  if (end == std::string_view::npos || space >= end) {
    return std::nullopt;
  }
  const auto [stop, error] = std::from_chars(head.data() + space + 1, head.data() + end, size);
  return error == std::errc() && stop == head.data() + end ? std::optional(end + 1 + size) : std::nullopt;
}

// Is everything there that the first bytes promise?
bool is_whole(const ObjectFile &file) {
  constexpr std::size_t kLongestHead = 64;
  z_stream stream{};
  if (!file.is_regular() || inflateInit(&stream) != Z_OK) {
    return false;
  }
  std::array<unsigned char, 65536> packed; // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  std::array<unsigned char, 65536> plain;  // NOLINT(cppcoreguidelines-pro-type-member-init): inflate fills it
  std::string head;
  u64 total = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(file.read(packed));
      stream.next_in = packed.data();
      if (stream.avail_in == 0) {
        break;
      }
    }
    stream.next_out = plain.data();
    stream.avail_out = plain.size();
    status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t got = plain.size() - stream.avail_out;
    if (head.size() < kLongestHead) {
      head.append(reinterpret_cast<const char *>(plain.data()), std::min(got, kLongestHead - head.size()));
    }
    total += got;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && length_by_head(head) == total;
}

// The folders in which the repository keeps objects: its own, and those that `info/alternates` names.
void add_folders(const std::filesystem::path &objects, std::vector<std::string> &folders) {
  constexpr std::size_t kMost = 64;
  if (folders.size() >= kMost) {
    return;
  }
  folders.push_back(objects.string());
  const std::string list = (objects / "info" / "alternates").string();
  if (!ObjectFile(list).is_regular()) {
    return;
  }
  std::ifstream alternates(list);
  for (std::string line; folders.size() < kMost && std::getline(alternates, line);) {
    if (!line.empty() && line[0] != '#') {
      add_folders(objects / line, folders); // an absolute path stays one
    }
  }
}

// Asked before the places where objects are, it has none itself.
struct Gate {
  git_odb_backend backend{};
  std::vector<std::string> folders;

  // Of the objects whose names begin with these digits.
  [[nodiscard]] int pass(const char *digits, std::size_t count) const {
    const std::string_view name(digits, count);
    for (const std::string &folder : folders) {
      const std::string below = fmt::format("{}/{}", folder, name.substr(0, 2));
      if (count == kNameDigits) {
        if (is_damaged(fmt::format("{}/{}", below, name.substr(2)))) {
          return refuse(name);
        }
        continue;
      }
      std::error_code error;
      for (std::filesystem::directory_iterator at(below, error), end; !error && at != end; at.increment(error)) {
        const std::string rest = at->path().filename().string();
        if (rest.starts_with(name.substr(std::min<std::size_t>(2, count))) && is_damaged(at->path().string())) {
          return refuse(name);
        }
      }
    }
    return GIT_ENOTFOUND;
  }

private:
  static bool is_damaged(const std::string &path) {
    const ObjectFile file(path);
    return file.exists() && !is_whole(file);
  }
  static int refuse(std::string_view name) {
    git_error_set_str(GIT_ERROR_ODB, fmt::format("object {} is damaged", name).c_str());
    return GIT_ERROR;
  }
};

int pass(git_odb_backend *backend, const git_oid *id, std::size_t digits) {
  std::array<char, kNameDigits + 1> name{};
  git_oid_tostr(name.data(), name.size(), id);
  return reinterpret_cast<Gate *>(backend)->pass(name.data(), std::min(digits, kNameDigits));
}

std::vector<std::string> folders_of(git_repository *repository) {
  std::vector<std::string> folders;
  git_buf objects{};
  if (git_repository_item_path(&objects, repository, GIT_REPOSITORY_ITEM_OBJECTS) == 0) {
    add_folders(objects.ptr, folders);
    git_buf_dispose(&objects);
  }
  return folders;
}

// Any damaged object in these folders.
std::optional<std::string> find_damaged(const std::vector<std::string> &folders) {
  for (const std::string &folder : folders) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (at->path().filename().string().size() != 2) {
        continue;
      }
      std::error_code inner;
      for (std::filesystem::directory_iterator file(at->path(), inner), last; !inner && file != last;
           file.increment(inner)) {
        const std::string path = file->path().string();
        const bool is_object = file->path().filename().string().size() == kNameDigits - 2;
        if (is_object && !is_whole(ObjectFile(path))) {
          return path;
        }
      }
    }
  }
  return std::nullopt;
}

struct SubmoduleSearch {
  git_repository *repository = nullptr;
  std::optional<std::string> found;
  u32 depth = 0;

  void run() { git_submodule_foreach(repository, look, this); }

  static int look(git_submodule *submodule, const char * /*name*/, void *payload) {
    constexpr u32 kMostNested = 16;
    auto &search = *static_cast<SubmoduleSearch *>(payload);
    git_repository *inner = nullptr;
    if (git_submodule_open(&inner, submodule) != 0) {
      return 0; // it is not checked out
    }
    search.found = find_damaged(folders_of(inner));
    if (!search.found.has_value() && search.depth < kMostNested) {
      SubmoduleSearch below{.repository = inner, .found = {}, .depth = search.depth + 1};
      below.run();
      search.found = std::move(below.found);
    }
    git_repository_free(inner);
    return search.found.has_value() ? 1 : 0; // 1 ends the search
  }
};

} // namespace

std::optional<std::string> damaged_object_of_submodules(git_repository *repository) {
  SubmoduleSearch search{.repository = repository, .found = {}, .depth = 0};
  search.run();
  return search.found;
}

bool refuse_damaged_objects(git_repository *repository) {
  auto gate = std::make_unique<Gate>();
  gate->folders = folders_of(repository);
  git_odb_init_backend(&gate->backend, GIT_ODB_BACKEND_VERSION);
  gate->backend.read = [](void **, std::size_t *, git_object_t *, git_odb_backend *self, const git_oid *id) {
    return pass(self, id, kNameDigits);
  };
  gate->backend.read_header = [](std::size_t *, git_object_t *, git_odb_backend *self, const git_oid *id) {
    return pass(self, id, kNameDigits);
  };
  gate->backend.read_prefix = [](git_oid *, void **, std::size_t *, git_object_t *, git_odb_backend *self,
                                 const git_oid *id, std::size_t digits) { return pass(self, id, digits); };
  gate->backend.free = [](git_odb_backend *self) { delete reinterpret_cast<Gate *>(self); };
  git_odb *odb = nullptr;
  if (git_repository_odb(&odb, repository) != 0) {
    return false;
  }
  constexpr int kFirst = 100; // what libgit2 has itself comes at 1 and 2
  const bool is_added = git_odb_add_backend(odb, &gate->backend, kFirst) == 0;
  if (is_added) {
    (void)gate.release();
  }
  git_odb_free(odb);
  return is_added;
}

} // namespace deepperf::project
