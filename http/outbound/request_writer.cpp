#include "request_writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "gateway/domain/text.hpp"

namespace gateway::http {

namespace {

std::string_view method_of(http_method method) noexcept {
  switch (method) {
    case http_method::get: return "GET ";
    case http_method::post: return "POST ";
    case http_method::delete_: return "DELETE ";
  }
  return {};
}

/// A token of RFC 9110.
bool is_name(std::string_view text) noexcept {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() &&
         std::ranges::all_of(text, [&](char c) { return is_letter_or_digit(c) || marks.find(c) != marks.npos; });
}

bool is_value(std::string_view text) noexcept {
  return std::ranges::none_of(text, [](char c) { return c != '\t' && is_control(c); });
}

/// Only this file writes these headers: callers must not change the request's host or length.
bool is_framing(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 3> framing{"host", "content-length", "transfer-encoding"};
  return std::ranges::any_of(framing, [&](std::string_view own) { return equal_ignoring_case(name, own); });
}

}  // namespace

bool can_be_sent(const std::vector<std::pair<std::string, std::string>>& headers) noexcept {
  return std::ranges::all_of(headers, [](const auto& header) {
    return is_name(header.first) && is_value(header.second) && !is_framing(header.first);
  });
}

void append_headers(std::string& out, const std::vector<std::pair<std::string, std::string>>& headers) {
  for (const auto& [name, value] : headers) out.append(name).append(": ").append(value).append("\r\n");
}

std::string write_request(const destination_url& url, std::string_view first_headers, const http_request& what) {
  constexpr std::size_t usual_headers = 512;
  std::string out;
  out.reserve(usual_headers + first_headers.size() + url.target.size() + what.body.size());
  out.append(method_of(what.method)).append(url.target).append(" HTTP/1.1\r\nHost: ").append(url.authority);
  out.append("\r\n").append(first_headers);
  if (what.method == http_method::post || !what.body.empty())
    out.append("Content-Length: ").append(std::to_string(what.body.size())).append("\r\n");
  append_headers(out, what.headers);
  return out.append("\r\n").append(what.body);
}

}  // namespace gateway::http
