#include "check/cache_format.h"

#include "base/hash.h"
#include "check/cache_bytes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

namespace deepperf::check {

namespace {

constexpr std::string_view kMagic = "deepperf cache\n\2"; // the last byte is the version of the form
static_assert(kMagic.size() + sizeof(u64) == kHeadSize);
constexpr u32 kNoGroup = std::numeric_limits<u32>::max();

// ---- Writing --------------------------------------------------------------------------------------------------------

void write_span(ByteWriter &out, python::Span span) {
  out.number(span.start);
  out.number(span.end);
}

void write_error(ByteWriter &out, const FileError &error) {
  out.number(static_cast<u64>(error.level));
  for (const u32 number : {error.line, error.column, error.end_column, error.cell}) {
    out.number(number);
  }
  out.text(error.message);
  out.text(error.line_text);
}

void write_file(ByteWriter &out, const KnownFile &file) {
  out.text(file.path);
  out.number(file.version.stamp.size);
  out.fixed(static_cast<u64>(file.version.stamp.modified));
  out.fixed(static_cast<u64>(file.version.stamp.changed));
  out.number(file.version.stamp.inode);
  out.fixed(file.version.hash);
  out.number(file.is_test ? 1 : 0);
  out.number(file.is_unreadable ? 1 : 0);
  out.number(file.text_size);
  out.number(file.suppressed_errors);
  out.number(file.errors.size());
  for (const FileError &error : file.errors) {
    write_error(out, error);
  }
  out.number(file.comments.size());
  for (const python::Span &span : file.comments) {
    write_span(out, span);
  }
}

void write_names(ByteWriter &out, const std::set<std::string> &names) {
  out.number(names.size());
  for (const std::string &name : names) {
    out.text(name);
  }
}

u64 number_of(const rules::RuleInfo &rule) {
  const std::span<const rules::RuleInfo *const> all = rules::all_rules();
  return static_cast<u64>(std::ranges::lower_bound(all, rule.code, {}, &rules::RuleInfo::code) - all.begin());
}

void write_finding(ByteWriter &out, const rules::Finding &finding) {
  out.number(number_of(*finding.rule));
  out.number(finding.file.value);
  write_span(out, finding.span);
  out.number(static_cast<u64>(finding.tier));
  out.number(static_cast<u64>(finding.severity));
  out.text(finding.message);
  out.text(finding.advice);
  out.number(finding.notes.size());
  for (const rules::Note &note : finding.notes) {
    out.number(note.file.value);
    write_span(out, note.span);
    out.text(note.message);
  }
  out.number(finding.fix ? 1 : 0);
  if (finding.fix) {
    out.number(finding.fix->safe ? 1 : 0);
    out.number(finding.fix->edits.size());
    for (const rules::Edit &edit : finding.fix->edits) {
      write_span(out, {edit.start, edit.end});
      out.text(edit.replacement);
    }
  }
}

void write_group(ByteWriter &out, const KnownGroup &group) {
  out.number(group.members.size());
  u32 last = 0;
  for (const u32 member : group.members) {
    out.number(member - last);
    last = member;
  }
  out.number(group.findings.size());
  for (const rules::Finding &finding : group.findings) {
    write_finding(out, finding);
  }
}

// ---- Reading --------------------------------------------------------------------------------------------------------

// Calls `read` for each of a list's elements; ends with the bytes, whatever the list says of its length.
template <class Read> void read_list(ByteReader &in, Read read) {
  for (std::size_t count = in.count(); count != 0 && in.ok(); --count) {
    read();
  }
}

python::Span read_span(ByteReader &in, u64 text_size) {
  const auto most = static_cast<u32>(std::min<u64>(text_size, std::numeric_limits<u32>::max()));
  const u32 start = in.number(most);
  return {start, in.number(most)};
}

FileError read_error(ByteReader &in) {
  FileError error;
  error.level = static_cast<FileError::Level>(in.number(static_cast<u32>(FileError::Level::UnknownRule)));
  for (u32 *number : {&error.line, &error.column, &error.end_column, &error.cell}) {
    *number = in.number32();
  }
  error.message = in.text();
  error.line_text = in.text();
  // The report writes as many blanks as the columns say.
  if (!error.line_text.empty() && std::max(error.column, error.end_column) > error.line_text.size() + 2) {
    in.fail();
  }
  return error;
}

void read_file(ByteReader &in, i64 started, KnownFile &file) {
  file.path = in.text();
  file.version.stamp.size = in.number();
  file.version.stamp.modified = static_cast<i64>(in.fixed());
  file.version.stamp.changed = static_cast<i64>(in.fixed());
  file.version.stamp.inode = in.number();
  file.version.hash = in.fixed();
  file.is_recent = is_too_recent(file.version.stamp, started);
  file.is_test = in.flag();
  file.is_unreadable = in.flag();
  file.text_size = in.number();
  file.suppressed_errors = in.number32();
  read_list(in, [&] { file.errors.push_back(read_error(in)); });
  read_list(in, [&] { file.comments.push_back(read_span(in, file.text_size)); });
}

// Reads groups, and sees to it that they point at nothing but their own members.
class GroupReader {
public:
  GroupReader(ByteReader &in, const std::vector<KnownFile> &files)
      : in_(in), files_(files), group_of_(files.size(), kNoGroup) {}

  void read(u32 number, KnownGroup &group) {
    u64 at = 0;
    read_list(in_, [&] {
      at += in_.number32();
      if (at >= files_.size() || group_of_[at] != kNoGroup) {
        in_.fail();
        return;
      }
      group_of_[at] = number;
      group.members.push_back(static_cast<u32>(at));
    });
    if (group.members.empty()) {
      in_.fail();
    }
    read_list(in_, [&] { read_finding(number, group.findings.emplace_back()); });
  }

private:
  FileIndex read_member(u32 group) {
    const u32 file = in_.number32();
    if (!in_.ok() || file >= files_.size() || group_of_[file] != group) {
      in_.fail();
      return {};
    }
    return {file};
  }

  void read_finding(u32 group, rules::Finding &finding) {
    const std::span<const rules::RuleInfo *const> rules = rules::all_rules();
    finding.rule = rules[in_.number(static_cast<u32>(rules.size() - 1))];
    finding.file = read_member(group);
    const u64 text_size = in_.ok() ? files_[finding.file.value].text_size : 0;
    finding.span = read_span(in_, text_size);
    finding.tier = static_cast<rules::Tier>(in_.number(static_cast<u32>(rules::Tier::Off)));
    finding.severity = static_cast<rules::Severity>(in_.number(static_cast<u32>(rules::Severity::Error)));
    finding.message = in_.text();
    finding.advice = in_.text();
    read_list(in_, [&] {
      rules::Note &note = finding.notes.emplace_back();
      note.file = read_member(group);
      note.span = read_span(in_, in_.ok() ? files_[note.file.value].text_size : 0);
      note.message = in_.text();
    });
    if (in_.flag()) {
      rules::Fix &fix = finding.fix.emplace();
      fix.safe = in_.flag();
      read_list(in_, [&] {
        const python::Span span = read_span(in_, text_size);
        fix.edits.push_back({span.start, span.end, std::string(in_.text())});
      });
    }
  }

  ByteReader &in_;
  const std::vector<KnownFile> &files_;
  std::vector<u32> group_of_;
};

} // namespace

std::string encode_cache(const CacheContents &contents, std::string_view key) {
  ByteWriter out;
  out.text(key);
  out.fixed(static_cast<u64>(contents.started));
  out.number(contents.has_all_groups ? 1 : 0);
  out.number(contents.files.size());
  for (const KnownFile &file : contents.files) {
    write_file(out, file);
  }
  out.number(contents.groups.size());
  for (const KnownGroup &group : contents.groups) {
    write_group(out, group);
  }
  out.number(contents.folders.size());
  for (const project::AskedFolder &folder : contents.folders) {
    out.text(folder.folder);
    write_names(out, folder.packages);
    write_names(out, folder.modules);
    out.fixed(folder.fingerprint);
  }
  out.text(contents.imports);

  return seal_cache(out.bytes());
}

std::string seal_cache(std::string_view body) {
  ByteWriter out;
  out.bytes() = kMagic;
  out.fixed(hash_bytes(body));
  out.bytes() += body;
  return std::move(out.bytes());
}

bool decode_cache(std::string_view bytes, std::string_view key, CacheContents &contents) {
  contents = {};
  if (bytes.size() < kHeadSize || !bytes.starts_with(kMagic)) {
    return false;
  }
  const std::string_view body = bytes.substr(kHeadSize);
  ByteReader head(bytes.substr(kMagic.size()));
  ByteReader in(body);
  if (head.fixed() != hash_bytes(body) || in.text() != key) {
    return false;
  }
  contents.started = static_cast<i64>(in.fixed());
  contents.has_all_groups = in.flag();
  read_list(in, [&] { read_file(in, contents.started, contents.files.emplace_back()); });
  GroupReader groups(in, contents.files);
  read_list(in, [&] {
    const auto number = static_cast<u32>(contents.groups.size());
    groups.read(number, contents.groups.emplace_back());
  });
  read_list(in, [&] {
    project::AskedFolder &folder = contents.folders.emplace_back();
    folder.folder = in.text();
    read_list(in, [&] { folder.packages.insert(std::string(in.text())); });
    read_list(in, [&] { folder.modules.insert(std::string(in.text())); });
    folder.fingerprint = in.fixed();
  });
  contents.imports = in.text();
  return in.ok() && in.left() == 0;
}

std::string encode_imports(const std::vector<const model::ParsedFile *> &files) {
  ByteWriter refs;
  ByteWriter names;
  std::unordered_map<u32, u64> numbers; // of symbols; 0 is none
  const auto number_of = [&](Symbol symbol) {
    if (!symbol) {
      return u64{0};
    }
    const auto [place, is_new] = numbers.emplace(symbol.id, numbers.size() + 1);
    if (is_new) {
      names.text(symbol.text());
    }
    return place->second;
  };
  for (const model::ParsedFile *file : files) {
    refs.number(file->frameworks);
    refs.number(file->imports.size());
    for (const model::ImportRef &import : file->imports) {
      refs.number(number_of(import.module));
      refs.number(number_of(import.name));
      refs.number(import.level);
    }
  }
  ByteWriter out;
  out.number(numbers.size());
  out.bytes() += names.bytes();
  out.bytes() += refs.bytes();
  return std::move(out.bytes());
}

bool decode_imports(std::string_view bytes, const std::vector<model::ParsedFile *> &files) {
  ByteReader in(bytes);
  std::vector<Symbol> names(in.count() + 1);
  for (std::size_t i = 1; i < names.size(); ++i) {
    names[i] = intern(in.text());
  }
  const auto most = static_cast<u32>(names.size() - 1);
  for (model::ParsedFile *file : files) {
    const u32 frameworks = in.number(0xFF);
    std::vector<model::ImportRef> imports(in.count());
    for (model::ImportRef &import : imports) {
      import.module = names[in.number(most)];
      import.name = names[in.number(most)];
      import.level = in.number32();
    }
    if (file != nullptr) {
      file->frameworks = static_cast<u8>(frameworks);
      file->imports = std::move(imports);
    }
  }
  return in.ok() && in.left() == 0;
}

} // namespace deepperf::check
