#include "ignored_fields.hpp"

#include <algorithm>
#include <vector>

#include "json_body.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_names = 20;

void append_percent_encoded(std::string& out, std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7F && c != ',' && c != '%') {
      out += c;
      continue;
    }
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 0xF];
  }
}

}  // namespace

std::string ignored_fields(const simdjson::dom::object& body, std::span<const std::string_view> known) {
  std::vector<std::string_view> names;
  std::string out;
  for (const auto member : body) {
    const auto name = shown(member.key);
    if (name.empty() || std::ranges::find(known, member.key) != known.end()) continue;
    if (std::ranges::find(names, name) != names.end()) continue;
    if (!names.empty()) out += ',';
    append_percent_encoded(out, name);
    names.push_back(name);
    if (names.size() == most_names) break;
  }
  return out;
}

std::string ignored_fields(std::string_view body, std::size_t depth, std::span<const std::string_view> known) {
  const auto object = parse_leniently(body, depth);
  return object ? ignored_fields(*object, known) : std::string{};
}

}  // namespace gateway::http
