#include "response_writer.hpp"

#include <algorithm>
#include <charconv>

#include <boost/beast/http/status.hpp>

#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::http {

namespace {

void append_number(std::string& out, std::size_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_status_line(std::string& out, int status) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(status));
  out += ' ';
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  out.append(reason.data(), reason.size());
}

/// Whether a header's value has no control characters: a line end could add headers or a body.
bool harmless(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) { return c != '\t' && is_control(c); });
}

}  // namespace

bool is_streamed(const response& what, const framing& how) noexcept {
  return what.next_chunk && !how.without_body && !status::is_bodyless(what.sent_status());
}

void write_response(std::string& out, const response& what, const framing& how) {
  const auto body = what.sent_body();
  const auto status = what.sent_status();
  const bool bodyless = status::is_bodyless(status);
  out.clear();
  out.reserve(512 + (how.without_body ? 0 : body.size()));
  append_status_line(out, status);
  out += "\r\nRequest-Id: ";
  out += how.request_id;
  out += "\r\nCache-Control: no-store";
  if (!bodyless) {
    if (!what.content_type.empty()) {
      out += "\r\nContent-Type: ";
      out += what.content_type;
    }
    if (!what.next_chunk) {
      out += "\r\nContent-Length: ";
      append_number(out, body.size());
    } else if (!how.http_1_0) {
      out += "\r\nTransfer-Encoding: chunked";
    }
  }
  for (const auto& [name, value] : what.headers) {
    if (!harmless(value)) {
      log::error("response_header_dropped",
                 {{"request_id", how.request_id}, {"trace_id", how.trace}, {"header", name}});
      continue;
    }
    out += "\r\n";
    out += name;
    out += ": ";
    out += value;
  }
  if (how.secure) out += "\r\nStrict-Transport-Security: max-age=31536000";
  if (!how.keep_alive)
    out += "\r\nConnection: close";
  else if (how.http_1_0)
    out += "\r\nConnection: keep-alive";
  out += "\r\n\r\n";
  if (!bodyless && !how.without_body && !what.next_chunk) out += body;
}

void write_chunk(std::string& out, std::string_view bytes, bool http_1_0) {
  out.clear();
  if (http_1_0) {
    out += bytes;
    return;
  }
  char digits[2 * sizeof(std::size_t)];
  const auto end = std::to_chars(digits, digits + sizeof digits, bytes.size(), 16).ptr;
  out.append(digits, end);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
}

std::string_view last_chunk(bool http_1_0) noexcept { return http_1_0 ? std::string_view{} : "0\r\n\r\n"; }

}  // namespace gateway::http
