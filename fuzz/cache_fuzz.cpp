// Any bytes as the body of a cache: refused, or something that points nowhere but into itself and can be written again.
#include "check/cache_format.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace deepperf;
using namespace deepperf::check;

namespace {

constexpr std::string_view kKey = "key";

void demand(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void look_at(const CacheContents &contents, const KnownGroup &group) {
  const auto demand_in_text = [&](FileIndex file, u32 start, u32 end) {
    demand(start <= contents.files.at(file.value).text_size && end <= contents.files.at(file.value).text_size);
  };
  for (const u32 member : group.members) {
    demand(member < contents.files.size());
  }
  for (const rules::Finding &finding : group.findings) {
    demand(finding.rule != nullptr);
    demand_in_text(finding.file, finding.span.start, finding.span.end);
    for (const rules::Note &note : finding.notes) {
      demand_in_text(note.file, note.span.start, note.span.end);
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  // The checksum keeps damage out, and would keep the fuzzer out too.
  const std::string bytes = seal_cache({reinterpret_cast<const char *>(data), size});
  CacheContents contents;
  if (!decode_cache(bytes, kKey, contents)) {
    return 0;
  }
  for (const KnownGroup &group : contents.groups) {
    look_at(contents, group);
  }
  std::vector<model::ParsedFile> files(contents.files.size());
  std::vector<model::ParsedFile *> pointers;
  pointers.reserve(files.size());
  for (model::ParsedFile &file : files) {
    pointers.push_back(&file);
  }
  decode_imports(contents.imports, pointers);
  CacheContents again;
  demand(decode_cache(encode_cache(contents, kKey), kKey, again));
  demand(again.files.size() == contents.files.size() && again.groups.size() == contents.groups.size());
  return 0;
}
