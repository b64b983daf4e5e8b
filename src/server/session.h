// What the server knows between two messages, and what it does with each of them.
#pragma once

#include "server/checker.h"
#include "server/diagnostics.h"
#include "server/documents.h"
#include "server/known.h"
#include "server/output.h"
#include "server/places.h"
#include "server/settings.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace deepperf::server {

// How `deepperf check` would check these paths with these settings. Throws std::exception with what is wrong with them.
using SetUp = std::function<CheckSetup(const EditorSettings &settings, const std::vector<std::string> &paths)>;

struct SessionOptions {
  SetUp set_up;
  std::string rule_pages;   // folder with the rules' pages; may be empty
  std::string pages_folder; // where to write them for the editor to open if there is none; empty: nowhere
};

// What the editor can do.
struct Client {
  bool pulls = false; // it asks for diagnostics, so that sending them would show them twice
  bool refreshes_diagnostics = false;
  bool refreshes_hints = false;
  bool shows_related = false;
  bool shows_markdown = false;
  bool shows_documents = false;
  bool shows_progress = false;
  bool has_versions = false;
  bool watches_files = false;
  bool gives_configuration = false;
  bool announces_configuration = false; // if asked to
};

class Session {
public:
  Session(SessionOptions options, Output &output);

  // The result of a request. Throws RequestError.
  Json handle_request(const std::string &method, const Json &params);
  // Throws RequestError or Json::exception for params that make no sense.
  void handle_notification(const std::string &method, const Json &params);
  void handle_answer(const std::string &id, const Json &result);

  // These files have changed; none: anything may have.
  void files_changed(const std::vector<std::string> &paths);

  // There is something that the editor waits for without asking.
  [[nodiscard]] bool has_work() const;
  // Checks if anything has changed, and tells the editor.
  void work();

  [[nodiscard]] const Roots &roots() const { return roots_; }
  // The editor will not say which files change.
  [[nodiscard]] bool must_watch() const { return is_started_ && !client_.watches_files && !roots_.folders.empty(); }

  [[nodiscard]] bool is_initialized() const { return is_initialized_; }

  // Set by whoever reads answers: the editor lets us show progress.
  std::atomic<bool> &may_show_progress() { return may_show_progress_; }
  [[nodiscard]] bool is_checking() const { return is_checking_; }
  static constexpr const char *kProgressToken = "deepperf/check";

private:
  Json initialize(const Json &params);
  void start();
  void register_at_client();
  void set_roots(std::vector<std::string> folders);
  void set_settings(const Json &json);
  void start_again();
  void change_folders(const Json &params);
  void change_files(const Json &params);
  void ask_for_configuration();
  void check_if_stale();
  void publish();
  [[nodiscard]] Places places();

  // Null if the text is not part of a file that was analyzed.
  std::optional<InspectedText> inspect(const std::string &uri);

  Json hover(const Json &params);
  Json inlay_hint(const Json &params);
  Json code_action(const Json &params);
  Json document_diagnostic(const Json &params);
  Json workspace_diagnostic(const Json &params);
  Json execute_command(const Json &params);

  SessionOptions options_;
  Output &output_;
  Client client_;
  Encoding encoding_ = Encoding::Utf16;
  DiagnosticOptions diagnostic_options_;
  Roots roots_;
  EditorSettings settings_;
  Documents documents_;
  std::optional<Checker> checker_;
  NotebookRanges notebook_ranges_;
  DiagnosticLists diagnostic_lists_;
  Diagnostics diagnostics_; // of the last check
  struct Published {
    std::shared_ptr<const DiagnosticList> list;
    i64 version = 0;
  };
  std::map<std::string, Published> published_;
  std::set<std::string> configuration_requests_; // ids
  std::atomic<bool> may_show_progress_{false};
  std::atomic<bool> is_checking_{false};
  bool is_initialized_ = false;
  bool is_started_ = false; // the editor has said that it is ready
  bool must_refresh_ = false;
  bool must_refresh_hints_ = false; // others are wanted, for texts that have not changed
};

} // namespace deepperf::server
