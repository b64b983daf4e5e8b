// Posts and their labels, in one SQLite file. Every failure is a std::runtime_error that names the file.
#pragma once

#include "base/types.h"
#include "study/post.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace deepperf::study {

class Store {
public:
  enum class Mode : u8 {
    Read,
    Write,  // must be there
    Create, // must not hold posts yet
  };

  Store(const std::string &path, Mode mode);
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;
  ~Store();

  // What stands between them is written together or, if the program dies, not at all.
  void begin();
  void commit();

  // With its labels; a post of the same number is replaced.
  void add(const Post &post);

  // False: there is no such question, or that is not its accepted answer.
  bool set_accepted(i64 question, i64 answer, std::string_view time);

  // Instead of all labels that the post has under that name.
  void set_labels(i64 post, std::string_view name, const std::vector<std::string> &values);

  // In the order of their numbers, one at a time: the post is only there during the call. `visit` must not write.
  void for_each(const std::function<void(const Post &)> &visit) const;

  // Posts that name an accepted answer whose time is not known.
  void for_each_waiting(const std::function<void(i64 question, i64 answer)> &visit) const;

  u64 count() const;
  std::vector<std::string> label_names() const;

  // Facts about the whole: what it was made from, and with which recipe.
  std::optional<std::string> fact(std::string_view name) const;
  void set_fact(std::string_view name, std::string_view value);

  // For what is asked of the store only once, such as a count: the first number that the query gives.
  i64 number(std::string_view query) const;

private:
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Statement prepare(std::string_view sql) const;
  void execute(const char *sql);
  [[noreturn]] void fail(std::string_view doing) const;
  bool step(sqlite3_stmt *statement) const; // true: there is a row
  void run(sqlite3_stmt *statement) const;  // one that gives no rows
  [[noreturn]] void throw_damaged() const;
  void distrust();
  void create_tables();
  void check_schema();

  std::string path_;
  sqlite3 *database_ = nullptr;
  u64 most_looks_ = 0;         // at a query that runs, before it is given up
  mutable u64 looks_left_ = 0; // at this one
  Statement add_post_;
  Statement add_label_;
  Statement drop_labels_;
  Statement accept_;
};

} // namespace deepperf::study
