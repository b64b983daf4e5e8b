#include "server/server.h"

#include "base/json.h"
#include "server/file_watch.h"
#include "server/frames.h"
#include "server/message.h"
#include "server/queue.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

namespace deepperf::server {

namespace {

constexpr int kLogWarning = 2;
constexpr const char *kIsShutDown = "the server has been shut down";

class Server {
public:
  explicit Server(const ServerOptions &options)
      : input_(options.input), output_(options.output), session_(options.session, output_) {}

  int run() {
    std::thread handler([this] { handle_events(); });
    read_messages();
    queue_.push(End{});
    handler.join();
    return exit_code();
  }

private:
  [[nodiscard]] int exit_code() const { return is_shut_down_ ? 0 : 1; }

  // The reading thread.

  void read_messages() {
    FrameParser frames;
    std::array<char, 1 << 16> bytes{};
    while (true) {
      while (const std::optional<Frame> frame = frames.next()) {
        if (!receive(*frame)) {
          return;
        }
      }
      const ssize_t count = ::read(input_, bytes.data(), bytes.size());
      if (count > 0) {
        frames.add({bytes.data(), static_cast<std::size_t>(count)});
      } else if (count == 0 || errno != EINTR) {
        return;
      }
    }
  }

  // False: it was the last one.
  bool receive(const Frame &frame) {
    std::optional<Json> message = frame.is_message ? parse_message(frame.text) : std::nullopt;
    if (!message) {
      output_.send(
          error_answer(nullptr, ErrorCode::ParseError, frame.is_message ? "the message is not JSON" : frame.text));
      return true;
    }
    const Json &method = member(*message, "method");
    const Json &id = member(*message, "id");
    const bool has_id = message->is_object() && message->contains("id");
    if (has_id && method.is_null()) { // an answer
      if (id == Session::kProgressToken && !message->contains("error")) {
        session_.may_show_progress() = true;
      }
      queue_.push(std::move(*message));
      return true;
    }
    if (!method.is_string() || (has_id && !id.is_string() && !id.is_number_integer())) {
      output_.send(error_answer(nullptr, ErrorCode::InvalidRequest, "the message is not a request or notification"));
      return true;
    }
    if (has_id) {
      return receive_request(std::move(*message));
    }
    if (method == "$/cancelRequest") {
      queue_.cancel(json_text(member(*message, {"params", "id"})));
      return true;
    }
    if (method == "exit") {
      if (session_.is_checking() && !queue_.has_requests()) {
        output_.exit_now(exit_code()); // nobody waits for the check
      }
      return false;
    }
    queue_.push(std::move(*message));
    return true;
  }

  bool receive_request(Json message) {
    // A check can take long, and an editor that wants to end does not wait for it.
    if (message["method"] == "shutdown" && session_.is_checking() && !queue_.has_requests()) {
      const bool is_first = !is_shut_down_.exchange(true);
      output_.send(is_first ? answer(message["id"], nullptr)
                            : error_answer(message["id"], ErrorCode::InvalidRequest, kIsShutDown));
      return true;
    }
    queue_.add_request(json_text(message["id"]));
    queue_.push(std::move(message));
    return true;
  }

  // The other thread.

  void handle_events() {
    FileWatch watch(queue_);
    while (true) {
      const bool has_work = !is_shut_down_ && session_.has_work();
      const std::optional<Event> event = queue_.pop(!has_work);
      if (!event) {
        guarded([this] { session_.work(); });
      } else if (std::holds_alternative<End>(*event)) {
        return;
      } else if (const FilesChanged *const files = std::get_if<FilesChanged>(&*event)) {
        guarded([&] { session_.files_changed(files->paths); });
      } else {
        handle(std::get<Json>(*event));
      }
      if (session_.must_watch()) {
        watch.watch(session_.roots().is_current ? std::vector<std::string>{"."} : session_.roots().folders);
      }
    }
  }

  template <class Work> void guarded(const Work &work) {
    try {
      work();
    } catch (const std::exception &error) {
      output_.log(kLogWarning, fmt::format("DeepPerf: {}", error.what()));
    }
  }

  void handle(const Json &message) {
    const Json &id = member(message, "id");
    const Json &method = member(message, "method");
    if (method.is_null()) {
      if (id.is_string()) {
        guarded([&] { session_.handle_answer(id.get<std::string>(), member(message, "result")); });
      }
    } else if (id.is_null()) {
      if (!is_shut_down_) {
        guarded([&] { session_.handle_notification(method.get<std::string>(), member(message, "params")); });
      }
    } else {
      handle_request(id, method.get<std::string>(), member(message, "params"));
    }
  }

  void handle_request(const Json &id, const std::string &method, const Json &params) {
    const std::string key = json_text(id);
    Json reply;
    try {
      reply = answer(id, result_of(key, method, params));
    } catch (const RequestError &error) {
      reply = error_answer(id, error.code(), error.what());
    } catch (const Json::exception &error) {
      reply = error_answer(id, ErrorCode::InvalidParams, error.what());
    } catch (const std::exception &error) {
      reply = error_answer(id, ErrorCode::InternalError, error.what());
    }
    queue_.finish_request(key);
    output_.send(reply);
  }

  Json result_of(const std::string &key, const std::string &method, const Json &params) {
    const auto stop_if_cancelled = [&] {
      if (queue_.is_cancelled(key) && method != "initialize" && method != "shutdown") {
        throw RequestError(ErrorCode::RequestCancelled, "the request was cancelled");
      }
    };
    stop_if_cancelled();
    if (is_shut_down_) {
      throw RequestError(ErrorCode::InvalidRequest, kIsShutDown);
    }
    if (method == "shutdown" && session_.is_initialized()) {
      is_shut_down_ = true;
      return nullptr;
    }
    Json result = session_.handle_request(method, params);
    stop_if_cancelled();
    return result;
  }

  int input_;
  Output output_;
  Session session_;
  Queue queue_;
  std::atomic<bool> is_shut_down_{false};
};

} // namespace

int run(const ServerOptions &options) {
  std::signal(SIGPIPE, SIG_IGN); // an editor that is gone is noticed when we read
  return Server(options).run();
}

} // namespace deepperf::server
