#include "report/unused_suppressions.h"

#include "base/json.h"
#include "base/printable.h"
#include "base/write.h"
#include "report/json_text.h"
#include "report/place.h"
#include "report/summary.h"

#include <fmt/format.h>

namespace deepperf::report {

namespace {

std::string explanation(const check::UnusedSuppression &unused) {
  const std::string comment = printable(unused.comment);
  if (unused.is_too_late) {
    return fmt::format("`{}` has no effect: it must be within the first ten lines of the file", comment);
  }
  if (unused.selectors.empty()) {
    return fmt::format("`{}` suppresses nothing", comment);
  }
  return fmt::format("{} in `{}` {} nothing", listed(unused.selectors), comment,
                     unused.selectors.size() == 1 ? "suppresses" : "suppress");
}

} // namespace

void write_unused_suppressions(const check::Result &result, const std::vector<check::UnusedSuppression> &unused,
                               bool with_summary, std::string &out) {
  for (const check::UnusedSuppression &comment : unused) {
    write_place(printable(result.files[comment.file.value].path), comment.position.cell, comment.position.line,
                comment.position.column, out);
    write(out, ": {}\n", explanation(comment));
  }
  if (with_summary) {
    write(out, "{} in {}\n",
          unused.empty() ? "No unused suppressions"
                         : counted(unused.size(), "unused suppression", "unused suppressions"),
          counted(result.file_count, "file", "files"));
  }
}

void write_unused_suppressions_json(const check::Result &result, const std::vector<check::UnusedSuppression> &unused,
                                    std::string &out) {
  Json list = Json::array();
  for (const check::UnusedSuppression &comment : unused) {
    Json json;
    json["path"] = result.files[comment.file.value].path;
    json["line"] = comment.position.line;
    json["column"] = comment.position.column;
    json["cell"] = comment.position.cell == 0 ? Json(nullptr) : Json(comment.position.cell);
    json["comment"] = comment.comment;
    json["rules"] = comment.selectors;
    json["reason"] = comment.reason;
    json["message"] = explanation(comment);
    list.push_back(std::move(json));
  }
  Json json;
  json["version"] = 2;
  json["unused_suppressions"] = std::move(list);
  json["files"] = result.file_count;
  out += json_text(json, 2);
  out += '\n';
}

} // namespace deepperf::report
