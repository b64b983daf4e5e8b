#include "study/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>

namespace deepperf::study {

namespace {

// The number in user_version: a store of another version of the program is refused and not misread.
constexpr int kVersion = 1;

constexpr const char *kSchema = R"(
PRAGMA synchronous = OFF;
BEGIN;
CREATE TABLE posts(
  id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL, created TEXT NOT NULL,
  score INTEGER NOT NULL, views INTEGER, answers INTEGER, favourites INTEGER,
  accepted_id INTEGER, accepted TEXT, closed TEXT);
CREATE TABLE labels(
  post INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(post, name, value)) WITHOUT ROWID;
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
COMMIT;
PRAGMA synchronous = FULL;
)";

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
  try {
    if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
      fail("open");
    }
    if (mode == Mode::Create) {
      execute(kSchema); // not synced: without posts there is nothing to lose
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

void Store::execute(const char *sql) {
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

void Store::check_schema() {
  const i64 version = number("PRAGMA user_version");
  if (version == 0) {
    throw std::runtime_error(fmt::format("{} is an SQLite file, but not one that `deepperf study` wrote", path_));
  }
  if (version != kVersion) {
    throw std::runtime_error(fmt::format("{} was written by another version of deepperf (format {}, this one has {})",
                                         path_, version, kVersion));
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
  while (step(posts.get())) {
    post.id = sqlite3_column_int64(posts.get(), 0);
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
        post.labels.push_back({std::string(text_at(labels.get(), 1)), std::string(text_at(labels.get(), 2))});
      }
      has_label = step(labels.get());
    }
    visit(post);
  }
}

void Store::for_each_waiting(const std::function<void(i64 question, i64 answer)> &visit) const {
  const Statement statement =
      prepare("SELECT id, accepted_id FROM posts WHERE accepted_id NOTNULL AND accepted ISNULL");
  while (step(statement.get())) {
    visit(sqlite3_column_int64(statement.get(), 0), sqlite3_column_int64(statement.get(), 1));
  }
}

u64 Store::count() const { return static_cast<u64>(number("SELECT count(*) FROM posts")); }

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
