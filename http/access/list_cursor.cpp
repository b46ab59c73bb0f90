#include "list_cursor.hpp"

#include <limits>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

/// Each scope has a key of its own, so that a cursor need not name its scope. The parts contain no line end.
std::string key_for(std::string_view key, const cursor_scope& of) {
  std::string scope{of.list};
  scope.append(1, '\n').append(of.merchant.value).append(1, '\n').append(to_string(of.env));
  scope.append(1, '\n').append(of.platform);
  return crypto::to_text(crypto::hmac_sha256(key, scope));
}

}  // namespace

std::string make_cursor(const crypto::derived_keys& key, const cursor_scope& of, std::string_view position) {
  return crypto::sign_token(key_for(key.all()->front().bytes, of), position);
}

std::optional<std::string> read_cursor(const crypto::derived_keys& key, const cursor_scope& of,
                                       std::string_view cursor) {
  return key.first_of([&](std::string_view each) { return crypto::verify_token(key_for(each, of), cursor); });
}

std::string make_cursor(const crypto::derived_keys& key, const cursor_scope& of, const timed_position& position) {
  auto text = std::to_string(to_unix_ms(position.at));
  return make_cursor(key, of, std::string_view{text.append(1, ' ').append(position.id)});
}

std::optional<timed_position> read_timed_cursor(const crypto::derived_keys& key, const cursor_scope& of,
                                                std::string_view cursor) {
  const auto position = read_cursor(key, of, cursor);
  if (!position) return std::nullopt;
  std::string_view rest = *position;
  const auto at = parse_whole(cut_before(rest, ' '), 0, std::numeric_limits<std::int64_t>::max());
  if (!at || rest.empty()) return std::nullopt;
  return timed_position{from_unix_ms(*at), std::string{rest}};
}

}  // namespace gateway::http
