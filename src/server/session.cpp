#include "server/session.h"

#include "base/write_file.h"
#include "check/selection.h"
#include "fix/files.h"
#include "project/requirement_files.h"
#include "report/rule.h"
#include "server/code_actions.h"
#include "server/hover.h"
#include "server/message.h"
#include "server/progress.h"
#include "server/uri.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace deepperf::server {

namespace {

constexpr int kShowError = 1;
constexpr int kShowWarning = 2;
constexpr int kIncrementalSync = 2;

bool is_configuration(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "deepperf.toml" || name == "pyproject.toml";
}

Client read_client(const Json &capabilities) {
  const auto has = [&](std::initializer_list<std::string_view> names) { return is_true(member(capabilities, names)); };
  Client client;
  client.pulls = member(capabilities, {"textDocument", "diagnostic"}).is_object();
  client.refreshes_diagnostics = has({"workspace", "diagnostics", "refreshSupport"});
  client.refreshes_hints = has({"workspace", "inlayHint", "refreshSupport"});
  client.shows_related = has({"textDocument", "publishDiagnostics", "relatedInformation"}) ||
                         has({"textDocument", "diagnostic", "relatedInformation"});
  const Json &formats = member(capabilities, {"textDocument", "hover", "contentFormat"});
  client.shows_markdown = !formats.is_array() || std::ranges::count(formats, Json("markdown")) != 0;
  client.shows_documents = has({"window", "showDocument", "support"});
  client.shows_progress = has({"window", "workDoneProgress"});
  client.has_versions = has({"workspace", "workspaceEdit", "documentChanges"});
  client.watches_files = has({"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  client.gives_configuration = has({"workspace", "configuration"});
  client.announces_configuration = has({"workspace", "didChangeConfiguration", "dynamicRegistration"});
  return client;
}

// The first that both sides know; UTF-16 is what every editor knows.
Encoding choose_encoding(const Json &offered) {
  if (offered.is_array()) {
    for (const Json &name : offered) {
      const auto encoding = name.is_string() ? find_encoding(name.get_ref<const std::string &>()) : std::nullopt;
      if (encoding) {
        return *encoding;
      }
    }
  }
  return Encoding::Utf16;
}

std::vector<std::string> read_folders(const Json &params) {
  std::vector<std::string> folders;
  const auto add = [&](const Json &uri) {
    const auto path = uri.is_string() ? path_of_uri(uri.get_ref<const std::string &>()) : std::nullopt;
    if (path) {
      folders.push_back(*path);
    }
  };
  for (const Json &folder : member(params, "workspaceFolders")) {
    add(member(folder, "uri"));
  }
  if (folders.empty()) {
    add(member(params, "rootUri"));
  }
  if (const Json &path = member(params, "rootPath"); folders.empty() && path.is_string()) {
    add(uri_of_path(path.get<std::string>()));
  }
  return folders;
}

Json capabilities(Encoding encoding) {
  Json selector = {{"notebook", "*"}, {"cells", Json::array({{{"language", "python"}}})}};
  return {{"positionEncoding", encoding_name(encoding)},
          {"textDocumentSync", {{"openClose", true}, {"change", kIncrementalSync}}},
          {"notebookDocumentSync", {{"notebookSelector", Json::array({std::move(selector)})}}},
          {"hoverProvider", true},
          {"inlayHintProvider", true},
          {"codeActionProvider", {{"codeActionKinds", Json::array({kQuickFix, kFixAll})}}},
          {"diagnosticProvider",
           {{"identifier", "deepperf"}, {"interFileDependencies", true}, {"workspaceDiagnostics", true}}},
          {"executeCommandProvider", {{"commands", Json::array({kOpenDocumentation})}}},
          {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

std::string uri_in(const Json &params) {
  const Json &uri = member(params, {"textDocument", "uri"});
  if (!uri.is_string()) {
    throw RequestError(ErrorCode::InvalidParams, "textDocument.uri must be a string");
  }
  return uri.get<std::string>();
}

Json report_of(const DiagnosticList &list, const Json &previous_id) {
  if (previous_id.is_string() && previous_id == list.id) {
    return {{"kind", "unchanged"}, {"resultId", previous_id}};
  }
  return {{"kind", "full"}, {"resultId", list.id}, {"items", list.items}};
}

const std::shared_ptr<const DiagnosticList> &nothing_to_say() {
  static const auto kNothing = std::make_shared<const DiagnosticList>(list_of(Json::array()));
  return kNothing;
}

} // namespace

Session::Session(SessionOptions options, Output &output) : options_(std::move(options)), output_(output) {
  diagnostic_options_.rule_pages = options_.rule_pages;
}

Json Session::initialize(const Json &params) {
  if (is_initialized_) {
    throw RequestError(ErrorCode::InvalidRequest, "the server is already initialized");
  }
  const Json &client = member(params, "capabilities");
  client_ = read_client(client);
  encoding_ = choose_encoding(member(client, {"general", "positionEncodings"}));
  diagnostic_options_.has_related = client_.shows_related;
  set_roots(read_folders(params));
  set_settings(member(params, "initializationOptions"));
  must_refresh_hints_ = false; // nobody has asked for any yet
  is_initialized_ = true;
  return {{"capabilities", capabilities(encoding_)},
          {"serverInfo", {{"name", "deepperf"}, {"version", DEEPPERF_VERSION}}}};
}

void Session::start() {
  if (is_started_) {
    return;
  }
  is_started_ = true;
  register_at_client();
  if (client_.gives_configuration) {
    ask_for_configuration();
  }
}

void Session::register_at_client() {
  Json registrations = Json::array();
  if (client_.watches_files) {
    Json watchers = Json::array({{{"globPattern", "**/*.{py,pyw,ipynb}"}},
                                 {{"globPattern", "**/.gitignore"}},
                                 {{"globPattern", "**/{deepperf,pyproject}.toml"}}});
    for (const std::string_view pattern : project::requirement_globs()) {
      watchers.push_back({{"globPattern", pattern}});
    }
    registrations.push_back({{"id", "deepperf-files"},
                             {"method", "workspace/didChangeWatchedFiles"},
                             {"registerOptions", {{"watchers", std::move(watchers)}}}});
  }
  if (client_.announces_configuration) {
    registrations.push_back({{"id", "deepperf-configuration"},
                             {"method", "workspace/didChangeConfiguration"},
                             {"registerOptions", {{"section", "deepperf"}}}});
  }
  if (!registrations.empty()) {
    output_.request("client/registerCapability", {{"registrations", std::move(registrations)}});
  }
}

void Session::set_roots(std::vector<std::string> folders) {
  roots_.folders = std::move(folders);
  roots_.is_current = roots_.folders.size() == 1 && ::chdir(roots_.folders[0].c_str()) == 0;
}

void Session::set_settings(const Json &json) {
  std::vector<std::string> problems;
  const bool showed_hints = settings_.inlay_hints;
  settings_ = read_settings(json, problems);
  must_refresh_hints_ = must_refresh_hints_ || settings_.inlay_hints != showed_hints;
  for (const std::string &problem : problems) {
    output_.show(kShowWarning, "DeepPerf: " + problem);
  }
  start_again();
}

void Session::start_again() {
  const std::vector<std::string> paths = roots_.is_current ? std::vector<std::string>{"."} : roots_.folders;
  CheckSetup setup;
  try {
    setup = options_.set_up(settings_, paths);
  } catch (const std::exception &error) {
    output_.show(kShowError, fmt::format("DeepPerf: {}; settings and configuration are not used", error.what()));
    setup.options.paths = paths;
    setup.options.with_tests = false; // all that is said about test code are hints
  }
  if (checker_) {
    checker_->start_again(std::move(setup), documents_);
  } else {
    checker_.emplace(std::move(setup));
  }
}

void Session::change_folders(const Json &params) {
  std::vector<std::string> folders = roots_.folders;
  const Json &event = member(params, "event");
  for (const Json &removed : member(event, "removed")) {
    if (const Json &uri = member(removed, "uri"); uri.is_string()) {
      std::erase(folders, path_of_uri(uri.get<std::string>()).value_or(""));
    }
  }
  for (const Json &added : member(event, "added")) {
    const Json &uri = member(added, "uri");
    const auto path = uri.is_string() ? path_of_uri(uri.get<std::string>()) : std::nullopt;
    if (path && std::ranges::count(folders, *path) == 0) {
      folders.push_back(*path);
    }
  }
  set_roots(std::move(folders));
  documents_.set_paths(roots_);
  start_again();
  must_refresh_ = true;
}

void Session::files_changed(const std::vector<std::string> &paths) {
  if (paths.empty()) {
    checker_->refresh();
  } else if (std::ranges::any_of(paths, is_configuration)) {
    start_again();
  } else {
    checker_->touched(paths);
  }
  must_refresh_ = true;
}

void Session::change_files(const Json &params) {
  std::vector<std::string> paths;
  for (const Json &change : member(params, "changes")) {
    if (const Json &uri = member(change, "uri"); uri.is_string()) {
      paths.push_back(checked_path(roots_, uri.get_ref<const std::string &>()));
    }
  }
  if (!paths.empty()) {
    files_changed(paths);
  }
}

void Session::ask_for_configuration() {
  configuration_requests_.insert(
      output_.request("workspace/configuration", {{"items", Json::array({{{"section", "deepperf"}}})}}));
}

void Session::handle_answer(const std::string &id, const Json &result) {
  if (configuration_requests_.erase(id) == 0 || !result.is_array() || result.empty() || !result[0].is_object()) {
    return;
  }
  std::vector<std::string> ignored;
  if (read_settings(result[0], ignored) != settings_) {
    set_settings(result[0]);
    must_refresh_ = true;
  }
}

bool Session::has_work() const {
  if (!is_started_ || client_.pulls) {
    return is_started_ && (checker_->is_first() || (must_refresh_ && client_.refreshes_diagnostics) ||
                           (must_refresh_hints_ && client_.refreshes_hints));
  }
  return checker_->is_stale() || documents_.has_changed();
}

void Session::work() {
  check_if_stale();
  if (must_refresh_ && client_.pulls && client_.refreshes_diagnostics) {
    output_.request("workspace/diagnostic/refresh", nullptr);
  }
  must_refresh_ = false;
  if (std::exchange(must_refresh_hints_, false) && client_.refreshes_hints) {
    output_.request("workspace/inlayHint/refresh", nullptr);
  }
}

Places Session::places() { return {checker_->result(), documents_, roots_, encoding_, notebook_ranges_}; }

void Session::check_if_stale() {
  checker_->update(documents_);
  if (!checker_->is_stale()) {
    return;
  }
  is_checking_ = true;
  struct Done {
    std::atomic<bool> &flag;
    ~Done() { flag = false; }
  } const done{is_checking_};
  check::Progress progress;
  if (checker_->is_first() && client_.shows_progress) {
    may_show_progress_ = false;
    output_.send({{"jsonrpc", "2.0"},
                  {"id", kProgressToken},
                  {"method", "window/workDoneProgress/create"},
                  {"params", {{"token", kProgressToken}}}});
    const ProgressReport report(output_, kProgressToken, progress, may_show_progress_);
    checker_->check(progress);
  } else {
    checker_->check(progress);
  }
  diagnostics_ = diagnostic_lists_.make(checker_->result(), documents_, places(), diagnostic_options_);
  if (!client_.pulls) {
    publish();
  }
}

void Session::publish() {
  const auto send = [&](const std::string &uri, const std::shared_ptr<const DiagnosticList> &list) {
    const Document *const document = documents_.find(uri);
    const i64 version = document == nullptr ? -1 : document->version;
    const auto [known, is_new] = published_.try_emplace(uri);
    const bool is_same = !is_new && (known->second.list == list || known->second.list->items == list->items);
    if (is_same && known->second.version == version) {
      return;
    }
    known->second = {list, version};
    Json params = {{"uri", uri}, {"diagnostics", list->items}};
    if (document != nullptr) {
      params["version"] = version;
    }
    output_.send(notification("textDocument/publishDiagnostics", std::move(params)));
  };
  for (const auto &[uri, list] : diagnostics_) {
    send(uri, list);
  }
  // Who edits a text waits for an answer also if there is nothing to say.
  for (const auto &[uri, document] : documents_.all()) {
    if (!diagnostics_.contains(uri)) {
      send(uri, nothing_to_say());
    }
  }
  for (auto it = published_.begin(); it != published_.end();) {
    if (diagnostics_.contains(it->first) || documents_.find(it->first) != nullptr) {
      ++it;
      continue;
    }
    if (!it->second.list->items.empty()) {
      output_.send(
          notification("textDocument/publishDiagnostics", {{"uri", it->first}, {"diagnostics", Json::array()}}));
    }
    it = published_.erase(it);
  }
}

Json Session::hover(const Json &params) {
  const std::string uri = uri_in(params);
  const Position position = read_position(member(params, "position"));
  check_if_stale();
  const auto file = find_file(checker_->result(), documents_, roots_, uri);
  if (!file) {
    return nullptr;
  }
  const std::optional<InspectedText> text = inspect(uri);
  const auto known = text ? known_at(*text, position, client_.shows_markdown) : std::nullopt;
  return hover_at(checker_->result(), places(), *file, uri, position, known, client_.shows_markdown);
}

std::optional<InspectedText> Session::inspect(const std::string &uri) {
  const Document *const document = documents_.find(uri);
  const std::string path = document != nullptr ? document->path : checked_path(roots_, uri);
  const check::Inspection *const inspection = checker_->inspect(path);
  if (inspection == nullptr) {
    return std::nullopt;
  }
  u32 cell = 0;
  if (const Notebook *const notebook = documents_.find_notebook(path)) {
    const auto found = std::ranges::find(notebook->cells, uri, &Cell::uri);
    cell = found != notebook->cells.end() ? static_cast<u32>(found - notebook->cells.begin()) + 1 : 0;
  }
  return InspectedText{*inspection, cell, encoding_};
}

Json Session::inlay_hint(const Json &params) {
  const std::string uri = uri_in(params);
  const Range range = read_range(member(params, "range"));
  if (!settings_.inlay_hints) {
    return nullptr;
  }
  check_if_stale();
  const std::optional<InspectedText> text = inspect(uri);
  return text ? inlay_hints(*text, range) : Json::array();
}

Json Session::code_action(const Json &params) {
  const std::string uri = uri_in(params);
  const Range range = read_range(member(params, "range"));
  check_if_stale();
  const auto file = find_file(checker_->result(), documents_, roots_, uri);
  if (!file) {
    return Json::array();
  }
  const Places all = places();
  const CodeActionContext context{
      .result = checker_->result(),
      .places = all,
      .documents = documents_,
      .diagnostics = diagnostic_options_,
      .has_versions = client_.has_versions,
      .can_show_documents = client_.shows_documents && !(options_.rule_pages.empty() && options_.pages_folder.empty())};
  return code_actions(context, *file, uri, range, member(params, {"context", "only"}));
}

Json Session::document_diagnostic(const Json &params) {
  const std::string uri = uri_in(params);
  check_if_stale();
  // The editor's way to write a URI of a file that is not open need not be ours.
  auto found = diagnostics_.find(uri);
  if (const auto path = path_of_uri(uri); found == diagnostics_.end() && path && documents_.find(uri) == nullptr) {
    found = diagnostics_.find(uri_of_path(*path));
  }
  return report_of(found == diagnostics_.end() ? *nothing_to_say() : *found->second,
                   member(params, "previousResultId"));
}

Json Session::workspace_diagnostic(const Json &params) {
  check_if_stale();
  std::map<std::string, Json> previous; // by URI
  for (const Json &known : member(params, "previousResultIds")) {
    if (const Json &uri = member(known, "uri"); uri.is_string()) {
      previous[uri.get<std::string>()] = member(known, "value");
    }
  }
  Json items = Json::array();
  const auto add = [&](const std::string &uri, const DiagnosticList &list) {
    const auto known = previous.find(uri);
    Json report = report_of(list, known == previous.end() ? Json() : known->second);
    const Document *const document = documents_.find(uri);
    report["uri"] = uri;
    report["version"] = document == nullptr ? Json(nullptr) : Json(document->version);
    items.push_back(std::move(report));
  };
  for (const auto &[uri, list] : diagnostics_) {
    add(uri, *list);
  }
  for (const auto &[uri, id] : previous) {
    if (!diagnostics_.contains(uri)) {
      add(uri, *nothing_to_say());
    }
  }
  return {{"items", std::move(items)}};
}

Json Session::execute_command(const Json &params) {
  const Json &arguments = member(params, "arguments");
  if (member(params, "command") != kOpenDocumentation || !arguments.is_array() || arguments.empty() ||
      !arguments[0].is_string()) {
    throw RequestError(ErrorCode::InvalidParams, "unknown command");
  }
  const rules::RuleInfo *const rule = check::find_rule(arguments[0].get<std::string>());
  if (rule == nullptr) {
    throw RequestError(ErrorCode::InvalidParams, "there is no such rule");
  }
  std::string page = rule_page(*rule, options_.rule_pages);
  if (page.empty() && !options_.pages_folder.empty()) {
    std::string text;
    report::write_rule_markdown(*rule, text);
    std::error_code error;
    std::filesystem::create_directories(options_.pages_folder, error);
    page = fmt::format("{}/{}-{}.md", options_.pages_folder, rule->code, rule->name);
    if (write_file(page, text)) {
      throw RequestError(ErrorCode::InternalError, fmt::format("cannot write {}", page));
    }
  }
  if (page.empty()) {
    throw RequestError(ErrorCode::InternalError, "there are no pages of rules");
  }
  output_.request("window/showDocument", {{"uri", uri_of_path(page)}, {"takeFocus", true}});
  return nullptr;
}

Json Session::handle_request(const std::string &method, const Json &params) {
  using Handler = Json (Session::*)(const Json &);
  static const std::map<std::string_view, Handler> kHandlers = {
      {"initialize", &Session::initialize},
      {"textDocument/hover", &Session::hover},
      {"textDocument/inlayHint", &Session::inlay_hint},
      {"textDocument/codeAction", &Session::code_action},
      {"textDocument/diagnostic", &Session::document_diagnostic},
      {"workspace/diagnostic", &Session::workspace_diagnostic},
      {"workspace/executeCommand", &Session::execute_command},
  };
  if (!is_initialized_ && method != "initialize") {
    throw RequestError(ErrorCode::ServerNotInitialized, "the first request must be `initialize`");
  }
  const auto handler = kHandlers.find(method);
  if (handler == kHandlers.end()) {
    throw RequestError(ErrorCode::MethodNotFound, fmt::format("there is no method `{}`", method));
  }
  return (this->*handler->second)(params);
}

void Session::handle_notification(const std::string &method, const Json &params) {
  if (!is_initialized_) {
    return;
  }
  if (method == "initialized") {
    start();
  } else if (method == "textDocument/didOpen") {
    start(); // some editors forget to say that they are ready
    documents_.open(params, roots_);
  } else if (method == "textDocument/didChange") {
    documents_.change(params, encoding_);
  } else if (method == "textDocument/didClose") {
    documents_.close(params);
  } else if (method == "notebookDocument/didOpen") {
    documents_.open_notebook(params, roots_);
  } else if (method == "notebookDocument/didChange") {
    documents_.change_notebook(params, encoding_);
  } else if (method == "notebookDocument/didClose") {
    documents_.close_notebook(params);
  } else if (method == "workspace/didChangeWatchedFiles") {
    change_files(params);
  } else if (method == "workspace/didChangeWorkspaceFolders") {
    change_folders(params);
  } else if (method == "workspace/didChangeConfiguration") {
    const Json &settings = member(params, "settings");
    if (settings.is_object() && !settings.empty()) {
      set_settings(settings);
      must_refresh_ = true;
    } else if (client_.gives_configuration) {
      ask_for_configuration();
    }
  }
}

} // namespace deepperf::server
