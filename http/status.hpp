// The statuses of answers that are no errors, and those that mean something when others answer; those of errors stand
// in the table in errors.cpp. No other file of this room writes a status as a number.
#pragma once

#include <string_view>

namespace gateway::http::status {

inline constexpr int ok = 200;
inline constexpr int no_content = 204;
inline constexpr int see_other = 303;
inline constexpr int not_modified = 304;

/// Such an answer ends with its header.
constexpr bool is_bodyless(int status) noexcept { return status == no_content || status == not_modified; }

/// The fault is the gateway's, or of what it needs.
constexpr bool is_server_error(int status) noexcept { return status >= 500; }

/// Sent ahead of the answer, to a client that waits with its body until it is asked for it.
inline constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

// ---- what others answer ----

inline constexpr int switching_protocols = 101;
inline constexpr int gone = 410;

/// It goes ahead of the answer.
constexpr bool is_interim(int status) noexcept { return status < ok && status != switching_protocols; }
constexpr bool is_success(int status) noexcept { return status >= ok && status < 300; }

}  // namespace gateway::http::status
