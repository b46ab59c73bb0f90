#include "gateway/base/log.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "gateway/base/json_text.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::log {

namespace {

constexpr std::size_t queue_lines = 8192;
/// How long stop() waits for the writer: a reader of standard error that has stopped must not prevent the process from
/// ending.
constexpr std::chrono::seconds stop_timeout{2};

/// Both loggers share one sink. write() holds `mutex` shared and stop() holds it exclusively, so that stop() ends the
/// writer only while no thread is queueing a line.
struct state {
  state()
      : sink(std::make_shared<spdlog::sinks::stderr_sink_mt>()),
        direct(std::make_shared<spdlog::logger>("direct", sink)) {
    pass_lines_through(*direct);
  }

  /// The lines are complete, so the logger must neither add to them nor filter them.
  static void pass_lines_through(spdlog::logger& logger) {
    logger.set_level(spdlog::level::trace);
    logger.set_pattern("%v");
  }

  std::shared_ptr<spdlog::sinks::sink> sink;
  std::shared_ptr<spdlog::logger> direct;
  std::atomic<level> least{level::info};
  std::string node;  ///< the member of each line that names the node, with its comma
  std::shared_mutex mutex;
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> queued;
  std::uint64_t dropped_before = 0;  ///< lines dropped by writers that have ended
  bool stuck = false;                ///< the last writer did not end: later lines are dropped
};

state& self() {
  static state& instance = *new state;  // never destroyed: other static objects may still log
  return instance;
}

void append_number(std::string& out, auto number) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, end);
}

void append_value(std::string& out, std::string_view text) { append_json_string(out, text); }
void append_value(std::string& out, const if_any& value) { append_json_string(out, value.text); }
void append_value(std::string& out, std::int64_t number) { append_number(out, number); }
void append_value(std::string& out, const trace_id& id) {
  const auto digits = hex_of(id);
  out.append(1, '"').append(digits.data(), digits.size()).append(1, '"');
}
void append_value(std::string& out, bool flag) { out += flag ? "true" : "false"; }
void append_value(std::string& out, double number) {
  if (std::isfinite(number))
    append_number(out, number);
  else
    out += "null";
}

std::string line(level at, std::string_view event, std::initializer_list<field> fields) {
  std::string out;
  out.reserve(256);
  out += R"({"at":")";
  out += format_millis(system_wall_clock{}.now());
  out += R"(","level":")";
  out += to_string(at);
  out += '"';
  out += self().node;
  out += R"(,"event":)";
  append_json_string(out, event);
  for (const auto& f : fields) {
    if (const auto* trace = std::get_if<trace_id>(&f.value); trace != nullptr && !*trace) continue;
    if (const auto* text = std::get_if<if_any>(&f.value); text != nullptr && text->text.empty()) continue;
    out += ',';
    append_json_string(out, f.name);
    out += ':';
    std::visit([&](const auto& value) { append_value(out, value); }, f.value);
  }
  out += '}';
  return out;
}

}  // namespace

void start(level least) {
  auto& s = self();
  const std::unique_lock changing{s.mutex};
  s.least = least;
  if (s.queued) return;
  s.pool = std::make_shared<spdlog::details::thread_pool>(queue_lines, 1);
  s.queued =
      std::make_shared<spdlog::async_logger>("queued", s.sink, s.pool, spdlog::async_overflow_policy::overrun_oldest);
  state::pass_lines_through(*s.queued);
}

void name_node(std::string name) {
  auto& s = self();
  const std::unique_lock changing{s.mutex};
  s.node.clear();
  if (name.empty()) return;
  s.node = R"(,"node":)";
  append_json_string(s.node, name);
}

bool stop() {
  auto& s = self();
  const std::unique_lock changing{s.mutex};
  if (!s.queued) return !s.stuck;
  s.dropped_before += s.pool->overrun_counter();
  s.queued.reset();
  // Destroying the pool waits until its thread has written the whole queue. If the reader has stopped, that wait may
  // never end, so another thread destroys the pool.
  const auto ended = std::make_shared<std::promise<void>>();
  std::thread([pool = std::move(s.pool), ended]() mutable {
    pool.reset();
    ended->set_value();
  }).detach();
  s.stuck = ended->get_future().wait_for(stop_timeout) == std::future_status::timeout;
  return !s.stuck;
}

void write(level at, std::string_view event, std::initializer_list<field> fields) {
  if (!enabled(at)) return;
  const auto text = line(at, event, fields);
  const spdlog::string_view_t view{text.data(), text.size()};
  auto& s = self();
  const std::shared_lock holding{s.mutex};
  if (s.queued)
    s.queued->log(spdlog::level::info, view);
  else if (!s.stuck)
    s.direct->log(spdlog::level::info, view);
}

bool enabled(level at) noexcept { return at >= self().least.load(std::memory_order_relaxed); }

std::uint64_t dropped() noexcept {
  auto& s = self();
  const std::shared_lock holding{s.mutex};
  return s.dropped_before + (s.pool ? s.pool->overrun_counter() : 0);
}

}  // namespace gateway::log
