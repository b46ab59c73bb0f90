#include "account_commands.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/base/json_text.hpp"
#include "gateway/domain/person.hpp"
#include "http/access/expiring_note.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/shown_time.hpp"
#include "http/portal/account_audit.hpp"
#include "http/portal/browser_words.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/known_browser.hpp"
#include "http/portal/notice_mail.hpp"
#include "http/portal/pending_sign_in.hpp"
#include "http/portal/second_factor.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view issuer = "Payments Gateway";

account_problem problem_of(account_refusal why) { return {why, {}}; }

std::string offered_to(const signed_in& person) { return "second factor offered to " + person.who.user.value; }

second_factor_offer offer_of(const signed_in& person, std::string_view secret, std::string sealed) {
  return {base32(secret), otpauth_uri(issuer, person.who.email, secret), std::move(sealed)};
}

struct opened_offer {
  std::string made_for;  ///< of_credentials()
  std::string secret;
};

/// A sealed offer contains its expiry, a digest of the credentials when it was made, and the secret.
std::optional<opened_offer> open_offer(const services& shared, const signed_in& person, std::string_view sealed) {
  const auto offer = open_note(shared.second_factor_key, offered_to(person), sealed, shared.clock.now());
  const auto end = offer ? offer->find('\n') : std::string::npos;
  if (end == std::string::npos) return std::nullopt;
  return opened_offer{offer->substr(0, end), offer->substr(end + 1)};
}

/// Fails the commit if the credentials were replaced after they were checked.
check_credentials still_these(const stored_person& who) { return {who.id, who.password_hash, who.sealed_totp}; }

/// The person, if the password is right. The attempt stays counted until the caller calls passed_by().
using password_checked = std::variant<stored_person, account_problem>;

boost::asio::awaitable<password_checked> check_password(call& c, std::string email, std::string password) {
  const auto account = email_key_of(email);
  find_user query{account};
  auto asking = ask(c.here, std::move(query));
  auto reply = co_await std::move(asking);
  if (!reply || !reply->found) co_return problem_of(account_refusal::busy);
  const auto browser = known_browser(c, *reply->found);
  auto& throttle = c.here.shared.throttle;
  if (const auto wait = throttle.begin(account, c.in.remote_address, std::chrono::steady_clock::now(), browser))
    co_return account_problem{account_refusal::slowed_down, *wait};
  if (password.empty() || password.size() > most_password_bytes) co_return problem_of(account_refusal::wrong_password);
  verify_password question{std::move(password), reply->found->password_hash, account, {}};
  auto verifying = ask(c.here, std::move(question));
  const auto right = co_await std::move(verifying);
  if (!right) {
    throttle.take_back(account, c.in.remote_address, browser);
    co_return problem_of(account_refusal::busy);
  }
  if (!*right) co_return problem_of(account_refusal::wrong_password);
  co_return *std::move(reply->found);
}

/// Clears the counted failures. Call this once the password and, where required, the code were right.
void passed_by(call& c, const stored_person& who) {
  c.here.shared.throttle.passed(email_key_of(who.email), c.in.remote_address, known_browser(c, who));
}

/// A new cookie for the browser in which the person has changed the credentials, because the change invalidates the
/// old one.
std::string known_from_now(const services& shared, stored_person who, std::string password_hash,
                           std::string sealed_totp) {
  who.password_hash = std::move(password_hash);
  who.sealed_totp = std::move(sealed_totp);
  return known_browser_cookie(shared, who);
}

/// The states before and after a change: a JSON object each, or empty.
struct account_states {
  std::string before;
  std::string after;
};

account_states factor_states(bool was_on, bool is_on) {
  const auto text = [](bool on) {
    return std::string{on ? R"({"second_factor":true})" : R"({"second_factor":false})"};
  };
  return {text(was_on), text(is_on)};
}

account_states zone_states(std::string_view before, std::string_view after) {
  const auto text = [](std::string_view zone) {
    std::string out = R"({"time_zone":)";
    append_json_string(out, zone.empty() ? "UTC" : zone);
    return out + '}';
  };
  return {text(before), text(after)};
}

unit_of_work noted_unit(const call& c, const signed_in& person, std::string_view action, account_states states = {}) {
  auto note = note_of(c, person.who.user, action);
  note.before = std::move(states.before);
  note.after = std::move(states.after);
  unit_of_work unit;
  unit.inserts.emplace_back(std::move(note));
  return unit;
}

/// nullopt if it was committed. `lost` is the refusal for a lost claim.
boost::asio::awaitable<std::optional<account_problem>> commit_account(
    call& c, unit_of_work unit, account_refusal lost = account_refusal::replaced_credentials) {
  auto committing = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(committing);
  if (outcome && *outcome == commit_outcome::committed) co_return std::nullopt;
  const bool is_lost = outcome && *outcome == commit_outcome::lost_claim;
  co_return problem_of(is_lost ? lost : account_refusal::busy);
}

boost::asio::awaitable<account_result> commit_change(call& c, unit_of_work unit, std::string known = {}) {
  auto committing = commit_account(c, std::move(unit));
  const auto failed = co_await std::move(committing);
  if (failed) co_return *failed;
  co_return account_changed{{}, std::move(known)};
}

boost::asio::awaitable<recovery_result> commit_codes(call& c, unit_of_work unit, std::vector<std::string> texts,
                                                     std::string known = {}) {
  auto committing = commit_account(c, std::move(unit));
  const auto failed = co_await std::move(committing);
  if (failed) co_return *failed;
  co_return new_recovery_codes{std::move(texts), std::move(known)};
}

}  // namespace

std::string_view description_of(account_refusal why) noexcept {
  switch (why) {
    case account_refusal::wrong_password: return "The password is not right.";
    case account_refusal::short_password: return "Use at least 12 characters.";
    case account_refusal::unusable_password: return "Use fewer or other characters.";
    case account_refusal::wrong_code: return "The code is not right, or it was used before.";
    case account_refusal::offer_over:
      return "This took too long. Begin again: the code that was shown is no longer valid.";
    case account_refusal::second_factor_is_on: return "The second factor is turned on already.";
    case account_refusal::second_factor_is_off: return "The second factor is not turned on.";
    case account_refusal::unknown_zone: return "Choose one of the time zones.";
    case account_refusal::unknown_session: return "That session has ended already.";
    case account_refusal::unknown_invitation: return "That invitation has ended already.";
    case account_refusal::replaced_credentials:
      return "Your password or second factor was changed meanwhile. Begin again.";
    case account_refusal::distrusted_password:
      return "The operator must invite you: another merchant's owner was shown the link that set your password.";
    case account_refusal::slowed_down: return "Too many attempts have failed. Wait a while, then try again.";
    case account_refusal::busy: return "The gateway is busy. Try again in a moment.";
  }
  return {};
}

boost::asio::awaitable<account_result> change_password(call& c, signed_in person, std::string password,
                                                       std::string new_password) {
  if (const auto fault = fault_of_password(new_password))
    co_return problem_of(*fault == password_fault::too_short ? account_refusal::short_password
                                                             : account_refusal::unusable_password);
  auto checking = check_password(c, person.who.email, std::move(password));
  const auto checked = co_await std::move(checking);
  if (const auto* problem = std::get_if<account_problem>(&checked)) co_return *problem;
  passed_by(c, std::get<stored_person>(checked));
  hash_password wanted{std::move(new_password), email_key_of(person.who.email)};
  auto hashing = ask(c.here, std::move(wanted));
  auto hash = co_await std::move(hashing);
  if (!hash) co_return problem_of(account_refusal::busy);
  // The new session ends when the current one would have: a new password does not extend it.
  auto session = make_session_cookie();
  auto unit = noted_unit(c, person, "set-password");
  add_notice(c, unit, mail_kind::new_password, person.who.email);
  unit.inserts.push_back(save_session{session.hash, person.who.user, c.here.shared.clock.now(), person.who.ends_at,
                                      std::string{c.in.remote_address}, browser_of(c.in)});
  const auto& stored = std::get<stored_person>(checked);
  auto known = known_from_now(c.here.shared, stored, *hash, stored.sealed_totp);
  unit.claims.push_back(still_these(stored));
  unit.claims.push_back(set_user_password{person.who.user, *std::move(hash), c.here.shared.clock.now(), session.hash});
  auto committing = commit_account(c, std::move(unit));
  const auto failed = co_await std::move(committing);
  if (failed) co_return *failed;
  co_return account_changed{std::move(session.text), std::move(known)};
}

// ---- the second factor ----------------------------------------------------------------------------

boost::asio::awaitable<offer_result> begin_second_factor(call& c, signed_in person, std::string password) {
  const auto& shared = c.here.shared;
  if (person.who.has_second_factor) co_return problem_of(account_refusal::second_factor_is_on);
  auto checking = check_password(c, person.who.email, std::move(password));
  const auto checked = co_await std::move(checking);
  if (const auto* problem = std::get_if<account_problem>(&checked)) co_return *problem;
  passed_by(c, std::get<stored_person>(checked));
  const auto secret = make_totp_secret();
  const auto text = of_credentials(shared, std::get<stored_person>(checked)) + '\n' + secret;
  auto sealed = seal_note(shared.second_factor_key, offered_to(person), text, shared.clock.now() + offer_lifetime);
  co_return offer_of(person, secret, std::move(sealed));
}

std::optional<second_factor_offer> read_offer(const services& shared, const signed_in& person,
                                              std::string_view sealed) {
  const auto offer = open_offer(shared, person, sealed);
  if (!offer) return std::nullopt;
  return offer_of(person, offer->secret, std::string{sealed});
}

boost::asio::awaitable<recovery_result> turn_on_second_factor(call& c, signed_in person, std::string sealed_offer,
                                                              std::string code) {
  const auto& shared = c.here.shared;
  // To replace a second factor, turn it off first, which requires the password.
  if (person.who.has_second_factor) co_return problem_of(account_refusal::second_factor_is_on);
  const auto offer = open_offer(shared, person, sealed_offer);
  if (!offer) co_return problem_of(account_refusal::offer_over);
  const auto typed = typed_totp_code(code);
  const auto step = typed ? matching_totp_step(offer->secret, *typed, shared.clock.now(), 0) : std::nullopt;
  if (!step) co_return problem_of(account_refusal::wrong_code);
  // The password was checked when the offer was made, so only check that the credentials are unchanged.
  auto asking = ask(c.here, find_user{email_key_of(person.who.email)});
  const auto reply = co_await std::move(asking);
  if (!reply || !reply->found) co_return problem_of(account_refusal::busy);
  if (of_credentials(c.here.shared, *reply->found) != offer->made_for)
    co_return problem_of(account_refusal::replaced_credentials);
  auto made = make_recovery_codes();
  const auto& key = shared.second_factor_key;
  auto unit = noted_unit(c, person, "confirm-second-factor", factor_states(false, true));
  add_notice(c, unit, mail_kind::second_factor_on, person.who.email);
  unit.claims.push_back(still_these(*reply->found));
  auto totp = seal_totp_secret(key, person.who.user, offer->secret);
  auto known = known_from_now(shared, *reply->found, reply->found->password_hash, totp);
  unit.claims.push_back(set_second_factor{person.who.user, std::move(totp), std::move(made.hashes)});
  // Claimed after the factor is set, so that this code cannot be used to sign in.
  unit.claims.push_back(spend_totp_step{person.who.user, *step});
  auto committing = commit_codes(c, std::move(unit), std::move(made.texts), std::move(known));
  co_return co_await std::move(committing);
}

boost::asio::awaitable<recovery_result> renew_recovery_codes(call& c, signed_in person, std::string password) {
  auto checking = check_password(c, person.who.email, std::move(password));
  const auto checked = co_await std::move(checking);
  if (const auto* problem = std::get_if<account_problem>(&checked)) co_return *problem;
  const auto& stored = std::get<stored_person>(checked);
  passed_by(c, stored);
  if (stored.sealed_totp.empty()) co_return problem_of(account_refusal::second_factor_is_off);
  auto made = make_recovery_codes();
  auto unit = noted_unit(c, person, "new-recovery-codes");
  unit.claims.push_back(still_these(stored));
  unit.claims.push_back(set_second_factor{person.who.user, stored.sealed_totp, std::move(made.hashes)});
  // Setting the factor resets the step, so claim the last used step again.
  if (stored.totp_step > 0) unit.claims.push_back(spend_totp_step{person.who.user, stored.totp_step});
  auto committing = commit_codes(c, std::move(unit), std::move(made.texts));
  co_return co_await std::move(committing);
}

boost::asio::awaitable<account_result> turn_off_second_factor(call& c, signed_in person, std::string password) {
  auto checking = check_password(c, person.who.email, std::move(password));
  const auto checked = co_await std::move(checking);
  if (const auto* problem = std::get_if<account_problem>(&checked)) co_return *problem;
  const auto& stored = std::get<stored_person>(checked);
  passed_by(c, stored);
  if (stored.sealed_totp.empty()) co_return problem_of(account_refusal::second_factor_is_off);
  auto unit = noted_unit(c, person, "disable-second-factor", factor_states(true, false));
  add_notice(c, unit, mail_kind::second_factor_off, person.who.email);
  unit.claims.push_back(still_these(stored));
  unit.claims.push_back(set_second_factor{person.who.user, {}, {}});
  auto changing = commit_change(c, std::move(unit), known_from_now(c.here.shared, stored, stored.password_hash, {}));
  co_return co_await std::move(changing);
}

// ---- other changes --------------------------------------------------------------------------------

boost::asio::awaitable<account_result> accept_own_invitation(call& c, signed_in person, merchant_id merchant,
                                                             std::string id) {
  auto looking = ask(c.here, find_invitations{person.who.user});
  const auto found = co_await std::move(looking);
  if (!found) co_return problem_of(account_refusal::busy);
  const auto* standing = find_standing(*found, merchant, c.here.shared.clock.now());
  if (!standing || standing->what.by != invited_by::owner || (!id.empty() && standing->what.id != id))
    co_return problem_of(account_refusal::unknown_invitation);
  if (!may_accept(*found, standing->what)) co_return problem_of(account_refusal::distrusted_password);
  auto note = note_of(c, person.who.user, "accept", std::string{to_string(standing->what.role)});
  note.merchant = merchant;
  noted_command wanted{operator_command{accept_invitation{merchant, person.who.user, standing->what.id}},
                       std::move(note)};
  auto asking = ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  if (!reply) co_return problem_of(account_refusal::busy);
  if (!std::holds_alternative<added_user>(*reply)) co_return problem_of(account_refusal::unknown_invitation);
  co_return account_changed{};
}

boost::asio::awaitable<account_result> choose_time_zone(call& c, signed_in person, std::string zone) {
  if (!is_zone_name(zone)) co_return problem_of(account_refusal::unknown_zone);
  auto unit = noted_unit(c, person, "set-zone", zone_states(person.who.time_zone, zone));
  unit.claims.push_back(set_time_zone{person.who.user, std::move(zone)});
  auto changing = commit_change(c, std::move(unit));
  co_return co_await std::move(changing);
}

boost::asio::awaitable<account_result> end_own_session(call& c, signed_in person, std::string hash) {
  find_sessions query{person.who.user};
  auto asking = ask(c.here, std::move(query));
  const auto reply = co_await std::move(asking);
  if (!reply) co_return problem_of(account_refusal::busy);
  const bool is_own = std::ranges::find(reply->sessions, hash, &listed_session::hash) != reply->sessions.end();
  if (!is_own) co_return problem_of(account_refusal::unknown_session);
  auto unit = noted_unit(c, person, "end-session");
  unit.claims.push_back(end_session{std::move(hash)});
  auto changing = commit_change(c, std::move(unit));
  co_return co_await std::move(changing);
}

boost::asio::awaitable<account_result> end_other_sessions(call& c, signed_in person) {
  const auto present = session_hash(person.cookie);
  find_sessions query{person.who.user};
  auto asking = ask(c.here, std::move(query));
  const auto reply = co_await std::move(asking);
  if (!reply) co_return problem_of(account_refusal::busy);
  auto unit = noted_unit(c, person, "end-other-sessions");
  for (const auto& session : reply->sessions)
    if (session.hash != present) unit.claims.push_back(end_session{session.hash});
  auto changing = commit_change(c, std::move(unit));
  co_return co_await std::move(changing);
}

}  // namespace gateway::http
