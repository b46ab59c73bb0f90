// JSON log lines on standard error, one object a line. A line never holds a secret, a signature, a body or a customer's
// data: callers pass only ids and codes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "gateway/base/trace_context.hpp"
#include "gateway/domain/enum_names.hpp"

namespace gateway::log {

enum class level : unsigned char { debug, info, warn, error };

/// A text whose member is omitted if it is empty.
struct if_any {
  std::string_view text;
};

struct field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool, trace_id, if_any> value;

  field(std::string_view n, std::string_view v) : name(n), value(v) {}
  field(std::string_view n, const char* v) : name(n), value(std::string_view{v}) {}
  field(std::string_view n, const std::string& v) : name(n), value(std::string_view{v}) {}
  template <class Int>
    requires std::is_integral_v<Int>
  field(std::string_view n, Int v) : name(n), value(static_cast<std::int64_t>(v)) {}
  field(std::string_view n, double v) : name(n), value(v) {}
  field(std::string_view n, bool v) : name(n), value(v) {}
  field(std::string_view n, if_any v) : name(n), value(v) {}
  /// 32 hex digits; the member is omitted if there is no trace.
  field(std::string_view n, const trace_id& v) : name(n), value(v) {}
};

/// Starts the asynchronous writer. Lines logged before start, or after stop, are written by the calling thread.
void start(level least);
/// Writes the queued lines and ends the writer. Returns false if the writer has not ended after two seconds because
/// standard error is blocked; exit() would then wait for it, so the caller has to use _Exit.
bool stop();

/// Adds the node's name to each later line. To be called once, before other threads log.
void name_node(std::string name);

/// {"at":"…","level":"info","node":"…","event":"…",…fields}; a gateway that serves alone has no "node". A full queue
/// drops the oldest line.
void write(level at, std::string_view event, std::initializer_list<field> fields = {});
bool enabled(level at) noexcept;
/// Lines lost to a full queue since the process started.
std::uint64_t dropped() noexcept;

inline void debug(std::string_view event, std::initializer_list<field> fields = {}) {
  if (enabled(level::debug)) write(level::debug, event, fields);
}
inline void info(std::string_view event, std::initializer_list<field> fields = {}) {
  if (enabled(level::info)) write(level::info, event, fields);
}
inline void warn(std::string_view event, std::initializer_list<field> fields = {}) {
  write(level::warn, event, fields);
}
inline void error(std::string_view event, std::initializer_list<field> fields = {}) {
  write(level::error, event, fields);
}

}  // namespace gateway::log

template <>
inline constexpr auto gateway::enum_table<gateway::log::level> =
    gateway::enum_names<gateway::log::level>({{gateway::log::level::debug, "debug"},
                                              {gateway::log::level::info, "info"},
                                              {gateway::log::level::warn, "warn"},
                                              {gateway::log::level::error, "error"}});
