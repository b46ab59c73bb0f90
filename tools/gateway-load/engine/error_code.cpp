#include <algorithm>

#include "engine.hpp"

namespace gateway::load {

namespace {

/// Reads JSON from front to back without storing it. In malformed JSON it finds nothing.
class json_scanner {
 public:
  explicit json_scanner(std::string_view text) : rest_(text) {}

  bool take(char wanted) {
    space();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_string() {
    space();
    return rest_.starts_with('"');
  }

  /// Takes a string and returns it without its quotes. Escapes are not decoded.
  std::string_view string() {
    if (!take('"')) return {};
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    end = std::min(end, rest_.size());
    const auto found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }

  /// Skips one value with all that it contains.
  void skip() {
    int depth = 0;
    do {
      space();
      if (rest_.empty()) return;
      const char c = rest_.front();
      if (c == '"') {
        string();
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      rest_.remove_prefix(1);
      // Skips the rest of a number, or of true, false or null.
      if (depth == 0 && c != '}' && c != ']')
        rest_.remove_prefix(std::min(rest_.find_first_of(",}] \r\n\t"), rest_.size()));
    } while (depth > 0);
  }

  /// Skips to the value of this member of the object that begins here.
  bool enter(std::string_view member) {
    if (!take('{')) return false;
    while (at_string()) {
      const auto name = string();
      if (!take(':')) return false;
      if (name == member) return true;
      skip();
      if (!take(',')) return false;
    }
    return false;
  }

 private:
  void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \r\n\t"), rest_.size())); }

  std::string_view rest_;
};

}  // namespace

std::string_view error_code_of(std::string_view body) {
  constexpr std::size_t most = 80;
  json_scanner text{body};
  if (!text.enter("error")) return {};
  if (!text.at_string() && !text.enter("code")) return {};
  return text.string().substr(0, most);
}

}  // namespace gateway::load
