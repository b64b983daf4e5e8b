#include "check/cache.h"

#include "base/hash.h"
#include "check/cache_bytes.h"
#include "check/cache_folder.h"
#include "check/program_id.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

namespace deepperf::check {

namespace {

// Everything that results depend on, apart from files. Paths are part of it as they were written, because they are
// printed, and because they decide what counts as test code.
std::string key_of(const Options &options, const std::string &program) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  if (error) {
    return {};
  }
  ByteWriter key;
  key.text(program);
  key.text(folder);
  key.number(options.with_tests ? 1 : 0);
  key.number(options.rules ? options.rules->size() + 1 : 0);
  if (options.rules) {
    for (const rules::RuleInfo *rule : *options.rules) {
      key.text(rule->code);
    }
  }
  key.number(options.respect_ignore ? 1 : 0);
  key.text(options.taught);
  for (const std::string &path : options.paths) {
    key.text(path);
  }
  return std::move(key.bytes());
}

} // namespace

std::unique_ptr<Cache> open_cache(const Options &options) {
  const bool is_wanted = !options.cache.folder.empty();
  const bool is_possible = !options.stdin_text.has_value() && !options.timings;
  if (!is_wanted || !is_possible || program_id().empty()) {
    return nullptr;
  }
  auto cache = std::make_unique<Cache>();
  cache->started = clock_now();
  cache->key = key_of(options, program_id());
  if (cache->key.empty()) {
    return nullptr;
  }
  // The program is not part of the name, so that a new build replaces what the old one has left behind.
  cache->name = fmt::format("{:016x}", hash_bytes(key_of(options, "")));
  cache->bytes = read_cache_file(options.cache.folder, cache->name).value_or("");
  if (!decode_cache(cache->bytes, cache->key, cache->known)) {
    forget_known(*cache);
  }
  for (u32 i = 0; i < cache->known.files.size(); ++i) {
    cache->by_path.emplace(cache->known.files[i].path, i);
  }
  return cache;
}

void forget_known(Cache &cache) {
  cache.known = {};
  cache.by_path.clear();
  cache.started = clock_now();
}

const KnownFile *find_known(const Cache &cache, const std::string &path) {
  const auto found = cache.by_path.find(path);
  return found != cache.by_path.end() ? &cache.known.files[found->second] : nullptr;
}

void write_cache(const Options &options, const Cache &cache, const CacheContents &contents) {
  write_cache_file(options.cache.folder, cache.name, encode_cache(contents, cache.key));
}

} // namespace deepperf::check
