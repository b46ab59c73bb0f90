#include "query.hpp"

#include <string>
#include <utility>

namespace gateway::http {
namespace {

constexpr unsigned digit_value(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c >= 'a' ? c - 'a' : c - 'A') + 10);
}

std::string decoded_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && text.size() - i >= 3 && gateway::detail::is_hex_digit(text[i + 1]) &&
                        gateway::detail::is_hex_digit(text[i + 2]);
    if (escape) {
      out += static_cast<char>(digit_value(text[i + 1]) * 16 + digit_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::optional<std::vector<query_parameter>> read_query(std::string_view text) {
  if (text.size() > most_query_bytes) return std::nullopt;
  std::vector<query_parameter> pairs;
  while (!text.empty()) {
    const auto end = text.find('&');
    const auto pair = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (pair.empty()) continue;
    if (pairs.size() == most_query_parameters) return std::nullopt;
    const auto equals = pair.find('=');
    const auto value = equals == pair.npos ? std::string_view{} : pair.substr(equals + 1);
    pairs.push_back({decoded_text(pair.substr(0, equals)), decoded_text(value)});
  }
  return pairs;
}

}  // namespace gateway::http
