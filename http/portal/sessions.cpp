#include "sessions.hpp"

#include <algorithm>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"

namespace gateway::http {
namespace {

constexpr bool is_beyond_ascii(char c) noexcept { return (static_cast<unsigned char>(c) & 0x80) != 0; }

/// The byte that percent_encoded() would escape in exactly this way, if it is 0x80 or above.
std::optional<char> escaped_byte(std::string_view text) {
  if (text.size() < 3 || text[0] != '%') return std::nullopt;
  const auto high = upper_hex_digits.find(text[1]), low = upper_hex_digits.find(text[2]);
  if (high == upper_hex_digits.npos || low == upper_hex_digits.npos || high < 8) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

std::string next_of_target(std::string_view local) {
  std::string raw;
  raw.reserve(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    const auto byte = escaped_byte(local.substr(i));
    raw += byte.value_or(local[i]);
    if (byte) i += 2;
  }
  return crypto::base64url(raw);
}

unit_of_work unit_with(claimed_row row) {
  unit_of_work unit;
  unit.claims.push_back(std::move(row));
  return unit;
}

}  // namespace

const session_membership* signed_in::member_of(const merchant_id& merchant) const noexcept {
  const auto at = std::ranges::find(who.of, merchant, &session_membership::merchant);
  return at == who.of.end() ? nullptr : &*at;
}

bool signed_in::owns(const merchant_id& merchant) const noexcept {
  const auto* membership = member_of(merchant);
  return membership && membership->role == member_role::owner;
}

std::string session_hash(std::string_view cookie) { return crypto::hex(crypto::sha256(cookie)); }

session_cookie make_session_cookie() {
  auto text = crypto::random_hex(session_cookie_digits / 2);
  auto hash = session_hash(text);
  return {std::move(text), std::move(hash)};
}

boost::asio::awaitable<session_found> find_signed_in(call& c) {
  auto cookie = find_hex_cookie(c.in.cookie, session_cookie_name, session_cookie_digits);
  if (!cookie) co_return std::monostate{};
  const auto hash = session_hash(*cookie);
  find_session query{hash};
  auto asking = ask(c.here, std::move(query));
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  if (!reply->found) co_return std::monostate{};
  auto& session = *reply->found;
  const auto now = c.here.shared.clock.now();
  // Ignore the outcome of these commits: a session whose use was not recorded ends earlier, and one that was not
  // removed is invalid anyway.
  const auto idle = c.here.shared.config.portal_session_idle;
  if (!is_session_valid(session, now, idle)) {
    auto ending = commit(c.here, unit_with(end_session{hash}));
    co_await std::move(ending);
    co_return std::monostate{};
  }
  if (now - session.used_at >= session_touched_every(idle)) {
    auto touching = commit(c.here, unit_with(touch_session{hash, now}));
    co_await std::move(touching);
  }
  co_return signed_in{std::move(*cookie), std::move(session)};
}

boost::asio::awaitable<std::variant<signed_in, response>> require_session(call& c, std::string local) {
  auto finding = find_signed_in(c);
  auto found = co_await std::move(finding);
  if (auto* person = std::get_if<signed_in>(&found)) co_return std::move(*person);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  co_return redirect_to(sign_in_url(c.here.shared, local));
}

bool is_local_target(std::string_view path_and_query) {
  if (path_and_query.size() > most_form_bytes || !has_only_url_characters(path_and_query)) return false;
  const auto path = path_and_query.substr(0, path_and_query.find_first_of("?#"));
  if (path_and_query.find('#') != path_and_query.npos) return false;
  if (path == authorize_path) return true;
  // No escapes and no dots, so that the path is unambiguous.
  return path.starts_with(portal_path) && path.size() > portal_path.size() + 1 && path[portal_path.size()] == '/' &&
         path.find("//") == path.npos &&
         std::ranges::all_of(path, [](char c) { return is_id_character(c) || c == '/'; });
}

std::string public_url(const services& shared, std::string_view local) {
  if (local.starts_with(authorize_path)) return shared.authorize_url + std::string{local.substr(authorize_path.size())};
  return shared.portal_url + std::string{local.substr(portal_path.size())};
}

std::string sign_in_url(const services& shared, std::string_view local) {
  auto url = shared.portal_url + "/sign-in";
  if (!local.empty()) url += "?next=" + next_of_target(local);
  return url;
}

std::string target_of_next(std::string_view next) {
  const auto raw = crypto::from_base64url(next);
  if (!raw) return {};
  std::string local;
  for (const char& c : *raw)
    if (is_beyond_ascii(c))
      local += percent_encoded({&c, 1});
    else
      local += c;
  return is_local_target(local) ? local : std::string{};
}

}  // namespace gateway::http
