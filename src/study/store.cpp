#include "study/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

namespace deepperf::study {

namespace {

// The number in user_version: a store of another version of the program is refused and not misread.
constexpr int kVersion = 1;

constexpr std::array kTables = {
    R"(CREATE TABLE posts(
  id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL, created TEXT NOT NULL,
  score INTEGER NOT NULL, views INTEGER, answers INTEGER, favourites INTEGER,
  accepted_id INTEGER, accepted TEXT, closed TEXT))",
    R"(CREATE TABLE labels(
  post INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(post, name, value)) WITHOUT ROWID)",
    "CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"};

// No text of a post comes near.
constexpr int kLongestStoredText = 64 << 20;

// A query that looks at everything takes a few dozen steps of SQLite's machine for each row, and a row takes a few
// bytes at least. A file that was made to keep us busy takes more.
constexpr int kStepsBetweenLooks = 100'000;
constexpr u64 kStepsForAny = 50'000'000;
constexpr u64 kStepsPerByte = 100;

void bind(sqlite3_stmt *statement, int index, std::string_view text) {
  // The text outlives the step that reads it, in all that is done here.
  sqlite3_bind_text64(statement, index, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
}

void bind_or_null(sqlite3_stmt *statement, int index, std::string_view text) {
  if (text.empty()) {
    sqlite3_bind_null(statement, index);
  } else {
    bind(statement, index, text);
  }
}

void bind(sqlite3_stmt *statement, int index, std::optional<i64> number) {
  if (number) {
    sqlite3_bind_int64(statement, index, *number);
  } else {
    sqlite3_bind_null(statement, index);
  }
}

std::string_view text_at(sqlite3_stmt *statement, int column) {
  const auto *text = reinterpret_cast<const char *>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

std::optional<i64> number_at(sqlite3_stmt *statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
    return std::nullopt;
  }
  return sqlite3_column_int64(statement, column);
}

bool is_in_wal_mode(const std::string &path) {
  constexpr std::size_t kReadVersion = 19; // of SQLite's header
  std::array<char, kReadVersion + 1> header{};
  std::ifstream file(path, std::ios::binary);
  return file.read(header.data(), header.size()) && header[kReadVersion] == 2;
}

} // namespace

void Store::Finalize::operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }

Store::Store(const std::string &path, Mode mode) : path_(path) {
  int flags = SQLITE_OPEN_NOMUTEX;
  switch (mode) {
  case Mode::Read:
    flags |= SQLITE_OPEN_READONLY;
    break;
  case Mode::Write:
    flags |= SQLITE_OPEN_READWRITE;
    break;
  case Mode::Create:
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    break;
  }
  // SQLite would write beside such a file even to read it. We never make one.
  if (mode != Mode::Create && is_in_wal_mode(path)) {
    throw std::runtime_error(
        fmt::format("{} is an SQLite file in WAL mode, which `deepperf study` does not write", path));
  }
  try {
    if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
      fail("open");
    }
    distrust();
    if (mode == Mode::Create) {
      create_tables();
    }
    check_schema();
    if (mode != Mode::Read) {
      add_post_ = prepare("INSERT OR REPLACE INTO posts VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
      add_label_ = prepare("INSERT OR IGNORE INTO labels VALUES(?,?,?)");
      drop_labels_ = prepare("DELETE FROM labels WHERE post=? AND name=?");
      accept_ = prepare("UPDATE posts SET accepted=? WHERE id=? AND accepted_id=?");
    }
  } catch (...) {
    add_post_.reset();
    add_label_.reset();
    drop_labels_.reset();
    accept_.reset();
    sqlite3_close(database_);
    throw;
  }
}

Store::~Store() {
  add_post_.reset();
  add_label_.reset();
  drop_labels_.reset();
  accept_.reset();
  sqlite3_close(database_);
}

void Store::fail(std::string_view doing) const {
  throw std::runtime_error(fmt::format("cannot {} {}: {}", doing, path_,
                                       database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_)));
}

void Store::throw_damaged() const { throw std::runtime_error(fmt::format("{} is damaged", path_)); }

void Store::execute(const char *sql) {
  looks_left_ = most_looks_;
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail("write");
  }
}

Store::Statement Store::prepare(std::string_view sql) const {
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK) {
    fail("read");
  }
  return Statement(statement);
}

bool Store::step(sqlite3_stmt *statement) const {
  looks_left_ = most_looks_;
  const int result = sqlite3_step(statement);
  if (result != SQLITE_ROW && result != SQLITE_DONE) {
    sqlite3_reset(statement);
    fail(sqlite3_stmt_readonly(statement) != 0 ? "read" : "write");
  }
  return result == SQLITE_ROW;
}

void Store::run(sqlite3_stmt *statement) const {
  step(statement);
  sqlite3_reset(statement);
}

// The file may come from anybody: functions in its schema do not run, and no query runs forever.
void Store::distrust() {
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, kLongestStoredText);
  std::error_code missing;
  const auto size = std::filesystem::file_size(path_, missing);
  const u64 bytes = missing ? 0 : std::min<u64>(size, u64{1} << 50U);
  most_looks_ = (kStepsForAny + kStepsPerByte * bytes) / kStepsBetweenLooks;
  looks_left_ = most_looks_;
  sqlite3_progress_handler(
      database_, kStepsBetweenLooks,
      [](void *store) {
        u64 &left = static_cast<Store *>(store)->looks_left_;
        return left == 0 ? 1 : (--left, 0);
      },
      this);
}

void Store::create_tables() {
  execute("PRAGMA synchronous = OFF; BEGIN"); // not synced: without posts there is nothing to lose
  for (const char *const table : kTables) {
    execute(table);
  }
  execute("PRAGMA user_version = 1; COMMIT; PRAGMA synchronous = FULL");
}

void Store::check_schema() {
  const i64 version = number("PRAGMA user_version");
  if (version == 0) {
    throw std::runtime_error(fmt::format("{} is an SQLite file, but not one that `deepperf study` wrote", path_));
  }
  if (version != kVersion) {
    throw std::runtime_error(fmt::format("{} was written by another version of deepperf (format {}, this one has {})",
                                         path_, version, kVersion));
  }
  // A view in the place of a table could give rows without end, a trigger or a computed column could do anything.
  const Statement schema = prepare("SELECT sql FROM sqlite_master WHERE sql NOTNULL");
  std::size_t own = 0;
  std::size_t all = 0;
  for (; step(schema.get()); ++all) {
    own += std::ranges::find(kTables, text_at(schema.get(), 0)) != kTables.end() ? 1 : 0;
  }
  if (own != kTables.size() || all != own) {
    throw std::runtime_error(fmt::format("{} has other tables than those of `deepperf study`; it is not read", path_));
  }
}

void Store::begin() { execute("BEGIN IMMEDIATE"); }

void Store::commit() { execute("COMMIT"); }

void Store::add(const Post &post) {
  sqlite3_stmt *statement = add_post_.get();
  const std::string tags = join_tags(post.tags);
  sqlite3_bind_int64(statement, 1, post.id);
  bind(statement, 2, std::string_view(post.title));
  bind(statement, 3, std::string_view(post.body));
  bind(statement, 4, std::string_view(tags));
  bind(statement, 5, std::string_view(post.created));
  sqlite3_bind_int64(statement, 6, post.score);
  bind(statement, 7, post.views);
  bind(statement, 8, post.answers);
  bind(statement, 9, post.favourites);
  bind(statement, 10, post.accepted_id);
  bind_or_null(statement, 11, post.accepted);
  bind_or_null(statement, 12, post.closed);
  run(statement);
  for (const Label &label : post.labels) {
    sqlite3_bind_int64(add_label_.get(), 1, post.id);
    bind(add_label_.get(), 2, std::string_view(label.name));
    bind(add_label_.get(), 3, std::string_view(label.value));
    run(add_label_.get());
  }
}

bool Store::set_accepted(i64 question, i64 answer, std::string_view time) {
  bind(accept_.get(), 1, time);
  sqlite3_bind_int64(accept_.get(), 2, question);
  sqlite3_bind_int64(accept_.get(), 3, answer);
  run(accept_.get());
  return sqlite3_changes(database_) != 0;
}

void Store::set_labels(i64 post, std::string_view name, const std::vector<std::string> &values) {
  sqlite3_bind_int64(drop_labels_.get(), 1, post);
  bind(drop_labels_.get(), 2, name);
  run(drop_labels_.get());
  for (const std::string &value : values) {
    sqlite3_bind_int64(add_label_.get(), 1, post);
    bind(add_label_.get(), 2, name);
    bind(add_label_.get(), 3, std::string_view(value));
    run(add_label_.get());
  }
}

void Store::for_each(const std::function<void(const Post &)> &visit) const {
  const Statement posts = prepare("SELECT * FROM posts ORDER BY id");
  const Statement labels = prepare("SELECT post, name, value FROM labels ORDER BY post, name, value");
  // Both come in the order of the posts' numbers, so one walk over each is enough.
  bool has_label = step(labels.get());
  Post post;
  std::optional<i64> before;
  while (step(posts.get())) {
    post.id = sqlite3_column_int64(posts.get(), 0);
    // A file that was tampered with may name the same page again and again, which would never end.
    if (before && post.id <= *before) {
      throw_damaged();
    }
    before = post.id;
    post.title = text_at(posts.get(), 1);
    post.body = text_at(posts.get(), 2);
    post.tags = parse_tags(text_at(posts.get(), 3));
    post.created = text_at(posts.get(), 4);
    post.score = sqlite3_column_int64(posts.get(), 5);
    post.views = number_at(posts.get(), 6);
    post.answers = number_at(posts.get(), 7);
    post.favourites = number_at(posts.get(), 8);
    post.accepted_id = number_at(posts.get(), 9);
    post.accepted = text_at(posts.get(), 10);
    post.closed = text_at(posts.get(), 11);
    post.labels.clear();
    while (has_label && sqlite3_column_int64(labels.get(), 0) <= post.id) {
      if (sqlite3_column_int64(labels.get(), 0) == post.id) {
        Label label{std::string(text_at(labels.get(), 1)), std::string(text_at(labels.get(), 2))};
        if (!post.labels.empty() &&
            std::tie(post.labels.back().name, post.labels.back().value) >= std::tie(label.name, label.value)) {
          throw_damaged();
        }
        post.labels.push_back(std::move(label));
      }
      has_label = step(labels.get());
    }
    visit(post);
  }
}

void Store::for_each_waiting(const std::function<void(i64 question, i64 answer)> &visit) const {
  const Statement statement =
      prepare("SELECT id, accepted_id FROM posts WHERE accepted_id NOTNULL AND accepted ISNULL");
  std::optional<i64> before;
  while (step(statement.get())) {
    const i64 question = sqlite3_column_int64(statement.get(), 0);
    if (before && question <= *before) {
      throw_damaged();
    }
    before = question;
    visit(question, sqlite3_column_int64(statement.get(), 1));
  }
}

// Not count(*), which SQLite does in one step that nothing stops.
u64 Store::count() const { return static_cast<u64>(number("SELECT sum(1) FROM posts")); }

std::vector<std::string> Store::label_names() const {
  std::vector<std::string> names;
  const Statement statement = prepare("SELECT DISTINCT name FROM labels ORDER BY name");
  while (step(statement.get())) {
    names.emplace_back(text_at(statement.get(), 0));
  }
  return names;
}

std::optional<std::string> Store::fact(std::string_view name) const {
  const Statement statement = prepare("SELECT value FROM facts WHERE name=?");
  bind(statement.get(), 1, name);
  if (!step(statement.get())) {
    return std::nullopt;
  }
  return std::string(text_at(statement.get(), 0));
}

void Store::set_fact(std::string_view name, std::string_view value) {
  const Statement statement = prepare("INSERT OR REPLACE INTO facts VALUES(?,?)");
  bind(statement.get(), 1, name);
  bind(statement.get(), 2, value);
  run(statement.get());
}

i64 Store::number(std::string_view query) const {
  const Statement statement = prepare(query);
  return step(statement.get()) ? sqlite3_column_int64(statement.get(), 0) : 0;
}

} // namespace deepperf::study
