// The statuses of the gateway's successful answers, and the statuses of others' answers that it acts on. Those of
// errors are in the tables in errors.cpp and html/page_errors.cpp. No other file in http/ writes a status as a number.
#pragma once

#include <string_view>

namespace gateway::http::status {

inline constexpr int ok = 200;
inline constexpr int no_content = 204;
inline constexpr int see_other = 303;
inline constexpr int not_modified = 304;
/// The browser repeats the request, with its body, at another address.
inline constexpr int temporary_redirect = 307;

/// Such an answer has no body.
constexpr bool is_bodyless(int status) noexcept { return status == no_content || status == not_modified; }

/// The fault lies with the gateway or something it depends on.
constexpr bool is_server_error(int status) noexcept { return status >= 500; }

/// Sent before the answer, to a client that waits for it before it sends the body.
inline constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

// ---- statuses of others' answers ----

inline constexpr int switching_protocols = 101;
inline constexpr int gone = 410;

/// Another answer follows.
constexpr bool is_interim(int status) noexcept { return status < ok && status != switching_protocols; }
constexpr bool is_success(int status) noexcept { return status >= ok && status < 300; }

}  // namespace gateway::http::status
