// Known and unknown addresses are indistinguishable by the answer, by its time, and by rate limiting. Only the hash of
// a link's token is stored; the token itself is in the sealed mail.
#include "forgotten.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/mail.hpp"
#include "gateway/domain/person.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/decode.hpp"
#include "http/errors.hpp"
#include "http/portal/account_audit.hpp"
#include "http/portal/chosen_password.hpp"
#include "http/portal/notice_mail.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/pending_sign_in.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view forgotten_form = "forgotten";
constexpr std::size_t longest_forgotten_address = 320;
constexpr std::size_t link_token_digits = 64;
constexpr std::string_view slowed_words = "Too many attempts. Wait a while, then try again.";
/// The user of the row that is written for an address without an account, so that this request takes as long as any
/// other.
constexpr std::string_view no_account = "user_unknown";

std::string token_form(std::string_view hash) { return "forgotten\n" + std::string{hash}; }

/// The hash of the link's token; empty if the page's address has no well-formed token.
std::string link_hash_of(const call& c) {
  const auto token = parameter(query_of(c.in), "token");
  const auto is_hex = [](char digit) { return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'); };
  if (token.size() != link_token_digits || !std::ranges::all_of(token, is_hex)) return {};
  return crypto::hex(crypto::sha256(token));
}

bool has_link(const call& c) {
  return std::ranges::count(query_of(c.in), std::string_view{"token"}, &query_parameter::name) > 0;
}

response slowed_page(response page, std::chrono::seconds wait) {
  auto out = with_status(page_error::slowed_down, std::move(page));
  out.headers.emplace_back("Retry-After", std::to_string(wait.count()));
  return out;
}

// ---- requesting a link ----------------------------------------------------------------------------

response address_page(const call& c, std::string email, std::string_view fault) {
  const auto cookie = form_cookie_of(c.in);
  const auto& shared = c.here.shared;
  return cookie.with(
      forgotten_page({cookie.csrf(shared, forgotten_form), std::move(email), fault, sign_in_url(shared, {})}));
}

/// The same page for every address.
response link_sent_page(const call& c) {
  return notice_page("Check your mailbox",
                     "If the address belongs to an account, a mail with a link is on its way to it. The link works "
                     "once, for an hour. A newer link replaces an older one.",
                     {}, {sign_in_url(c.here.shared, {}), "Back to sign-in"});
}

unit_of_work link_unit(const call& c, const std::optional<stored_person>& who) {
  const auto& shared = c.here.shared;
  const auto now = shared.clock.now();
  const auto expires = now + password_link_lifetime;
  const auto token = crypto::random_hex(link_token_digits / 2);
  mail_content content{mail_kind::forgotten_password, who ? who->email : std::string{}, {}};
  content.values = {{"token", token},
                    {"expires", std::to_string(to_unix_ms(expires))},
                    {"address", std::string{c.in.remote_address}}};
  auto mail = shared.mails->seal(content, now, expires);
  unit_of_work unit;
  unit.inserts.push_back(save_password_link{who ? who->id : user_id{std::string{no_account}},
                                            crypto::hex(crypto::sha256(token)), now, expires});
  if (who) {
    unit.inserts.push_back(std::move(mail));
    unit.inserts.push_back(note_of(c, who->id, "forgotten-password"));
  }
  return unit;
}

boost::asio::awaitable<response> send_link(call& c, form sent) {
  if (!is_genuine(c, sent, forgotten_form)) co_return error_page(page_error::forged_form);
  const auto email = sent.text("email");
  if (!looks_like_email(email) || email.size() > longest_forgotten_address)
    co_return with_status(page_error::refused_form,
                          address_page(c, email.substr(0, longest_forgotten_address), "Enter your e-mail address."));
  const auto account = email_key_of(email);
  const auto limited = std::string{forgotten_form} + '\n' + account;
  auto& throttle = c.here.shared.throttle;
  if (const auto wait = throttle.begin(limited, c.in.remote_address, std::chrono::steady_clock::now()))
    co_return slowed_page(address_page(c, email, slowed_words), *wait);
  auto asking = ask(c.here, find_user{account});
  auto reply = co_await std::move(asking);
  if (!reply) {
    throttle.take_back(limited, c.in.remote_address);
    co_return error_page(page_error::busy);
  }
  auto& found = reply->found;
  // A database may ignore trailing spaces when it compares addresses.
  if (found && (email_key_of(found->email) != account || !is_mail_address(found->email))) found.reset();
  auto committing = commit(c.here, link_unit(c, found));
  const auto outcome = co_await std::move(committing);
  if (!outcome || *outcome != commit_outcome::committed) {
    throttle.take_back(limited, c.in.remote_address);
    co_return error_page(page_error::busy);
  }
  co_return link_sent_page(c);
}

// ---- using a link ---------------------------------------------------------------------------------

response password_page(const call& c, const std::string& hash, const std::string& email, std::string_view fault) {
  const auto cookie = form_cookie_of(c.in);
  return cookie.with(invitation_page({cookie.csrf(c.here.shared, token_form(hash)), "Merchant portal", email, fault}));
}

using password_link_standing = std::variant<found_password_link, response>;

boost::asio::awaitable<password_link_standing> password_link_of(call& c, std::string hash) {
  if (hash.empty()) co_return error_page(page_error::unusable_link);
  auto asking = ask(c.here, find_password_link{std::move(hash)});
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_page(page_error::busy);
  if (!reply->found || reply->found->expires <= c.here.shared.clock.now())
    co_return error_page(page_error::unusable_link);
  co_return *std::move(reply->found);
}

std::string_view fault_words(password_fault fault) noexcept {
  switch (fault) {
    case password_fault::too_short: return "Use at least 12 characters.";
    case password_fault::too_long: return "Use fewer characters.";
    case password_fault::holds_nul: return "Use other characters.";
  }
  return {};
}

/// The person has access to the mailbox. So a password that an owner may know ends, together with its second factor.
/// Any other second factor stays.
unit_of_work new_password_unit(const call& c, const found_password_link& link, const std::string& hash,
                               std::string password_hash) {
  const auto now = c.here.shared.clock.now();
  unit_of_work unit;
  unit.inserts.push_back(note_of(c, link.user, "set-password", "by mail"));
  add_notice(c, unit, mail_kind::new_password, link.email);
  unit.claims.push_back(spend_password_link{link.user, hash, now});
  unit.claims.push_back(end_shown_password{link.user});
  unit.claims.push_back(set_user_password{link.user, std::move(password_hash), now, {}});
  return unit;
}

/// nullopt if the password was set.
boost::asio::awaitable<std::optional<response>> set_password(call& c, found_password_link link, std::string hash,
                                                             std::string password) {
  hash_password wanted{std::move(password), email_key_of(link.email)};
  auto hashing = ask(c.here, std::move(wanted));
  auto hashed = co_await std::move(hashing);
  if (!hashed) co_return error_page(page_error::busy);
  auto committing = commit(c.here, new_password_unit(c, link, hash, *std::move(hashed)));
  const auto outcome = co_await std::move(committing);
  if (outcome && *outcome == commit_outcome::lost_claim) co_return error_page(page_error::unusable_link);
  if (!outcome || *outcome != commit_outcome::committed) co_return error_page(page_error::busy);
  co_return std::nullopt;
}

boost::asio::awaitable<response> use_link(call& c, std::string hash, form sent) {
  if (!is_genuine(c, sent, token_form(hash))) co_return error_page(page_error::forged_form);
  if (sent.text("action") != "set-password") co_return error_page(page_error::malformed_form);
  auto finding = password_link_of(c, hash);
  auto found = co_await std::move(finding);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& link = std::get<found_password_link>(found);
  auto password = sent.text("password");
  if (const auto fault = fault_of_password(password))
    co_return with_status(page_error::refused_form, password_page(c, hash, link.email, fault_words(*fault)));
  // Each post hashes a password, so the posts per link are limited to protect the hasher.
  auto& throttle = c.here.shared.throttle;
  const auto limited = token_form(hash);
  if (const auto wait = throttle.begin(limited, c.in.remote_address, std::chrono::steady_clock::now()))
    co_return slowed_page(password_page(c, hash, link.email, slowed_words), *wait);
  const auto email = link.email;
  auto setting = set_password(c, std::move(link), std::move(hash), std::move(password));
  auto failed = co_await std::move(setting);
  if (failed) {
    if (failed->status == row_of(page_error::busy).status) throttle.take_back(limited, c.in.remote_address);
    co_return *std::move(failed);
  }
  throttle.passed(limited, c.in.remote_address);
  auto out = redirect_to(sign_in_url(c.here.shared, {}));
  out.headers.emplace_back("Set-Cookie", chosen_password_cookie(email));
  if (find_pending(c)) out.headers.emplace_back("Set-Cookie", no_pending_cookie());
  co_return out;
}

}  // namespace

boost::asio::awaitable<response> show_forgotten(call& c) {
  if (!c.here.shared.mails) co_return error_page(page_error::nothing_here);
  if (!has_link(c)) co_return address_page(c, {}, {});
  const auto hash = link_hash_of(c);
  auto finding = password_link_of(c, hash);
  auto found = co_await std::move(finding);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  co_return password_page(c, hash, std::get<found_password_link>(found).email, {});
}

boost::asio::awaitable<response> act_on_forgotten(call& c) {
  if (!c.here.shared.mails) co_return error_page(page_error::nothing_here);
  auto sent = read_form(c.in);
  if (!has_link(c)) {
    auto sending = send_link(c, std::move(sent));
    co_return co_await std::move(sending);
  }
  auto hash = link_hash_of(c);
  if (hash.empty()) co_return error_page(page_error::unusable_link);
  auto using_it = use_link(c, std::move(hash), std::move(sent));
  co_return co_await std::move(using_it);
}

}  // namespace gateway::http
