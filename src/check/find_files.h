// Phase 1 of a check: finds the files and what they import, on all cores.
#pragma once

#include "base/arena.h"
#include "base/file_version.h"
#include "check/check.h"
#include "model/project.h"
#include "rules/registry.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace deepperf::check {

struct Cache;
struct KnownFile;

struct LoadedFile {
  model::ParsedFile parsed;
  std::vector<python::SourceError> load_errors; // not empty: there is no text and no tree
  std::vector<FileError> unknown_rules;         // named in comments; their `file` means nothing
  bool waits = false;                           // it is not parsed yet: that is done with those it belongs to
  bool text_stays = false;                      // its text is in memory until all is done
  // For the cache: which version of the file the results are about, and what was known of it before.
  std::optional<FileVersion> version;
  const KnownFile *known = nullptr; // of the same contents
  bool is_unstable = false;         // it has changed during the check
  // Of a file that stays in memory from one check to the next.
  Arena memory;                                  // for its text and tree
  std::vector<model::ImportRef> scanned_imports; // what its text tells of them, also when there is a tree
  u8 scanned_frameworks = 0;
  u64 hash = 0;               // of its contents, if there are any
  i64 read_at = 0;            // the system's clock, before it was read
  bool is_open = false;       // its text is not that of the disk
  bool is_folder = false;     // it is a folder that cannot be read
  u64 serial = next_serial(); // no other file, nor this one with other contents, has it

  static u64 next_serial();
};

// Texts that stand for files, by their paths.
using OpenTexts = std::map<std::string, std::string, std::less<>>;

// What one worker reads and parses with, file after file in the same memory.
struct Worker {
  Arena kept;    // texts that stay: files that wait, and what is needed when all is done, to show lines of it
  Arena shared;  // texts and trees of groups that several workers parse
  Arena trees;   // texts and trees of the group that it judges
  Arena scratch; // trees that nobody looks at
  LocalSymbols symbols;
  LocalSymbols known_names = LocalSymbols::of_known_names(); // where only mistakes are looked for
  python::Source source;                                     // the one that is being read
  u64 parse_time = 0;                                        // in nanoseconds
};

class Residents;

// Sorted by path.
struct LoadedFiles {
  std::vector<std::unique_ptr<LoadedFile>> files;
  std::vector<Worker> workers;
  bool stay = false;                           // texts and trees do, each in its file's own memory, for the next check
  const OpenTexts *open_texts = nullptr;       // count instead of what is on the disk
  u64 unreadable_folders = 0;                  // among `files`, told as errors but no files
  Residents *residents = nullptr;              // projects that stay; null if none do
  std::unique_ptr<const rules::RuleSet> rules; // that the options choose; judge_files() makes it once
};

// Files that use a framework wait; all others are parsed, and what is left of them are imports and errors. What the
// cache knows (it may be null) is not even read; of such files the imports are missing.
void find_files(const Options &options, Progress &progress, const Cache *cache, LoadedFiles &result);

// The same for some paths, in their order. The cache is not asked.
std::vector<std::unique_ptr<LoadedFile>> load_files(const Options &options, const std::vector<std::string> &paths,
                                                    LoadedFiles &loaded);

// An entry for a folder that cannot be read.
std::unique_ptr<LoadedFile> unreadable_folder(std::string path, std::string message);

// Reads the file's text into the worker's source. False: the file's errors say why there is none.
bool read_text(LoadedFile &file, const LoadedFiles &loaded, Worker &worker);
// Copies the text that the worker has read to where it can stay.
void keep_text(LoadedFile &file, const LoadedFiles &loaded, Worker &worker);

// To be called when a tree was made of the text.
void note_unknown_rules(LoadedFile &file, const python::Source &source);

// To be called for a file that was read once more: its contents may not be those that were seen before.
void note_reading(LoadedFile &file, const python::Source &source);

// What is said of a file that a mistake of ours, or too little memory, has cost.
std::string failure_message(std::string_view where, std::string_view what);

// The program has made a mistake with the file: all that is left of it is an error that says so.
void note_failure(LoadedFile &file, std::string_view what);

// The text must be there at the end if there is something wrong in it.
bool is_reported(const model::ParsedFile &file);

} // namespace deepperf::check
