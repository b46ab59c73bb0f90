#include "account.hpp"

#include <algorithm>
#include <utility>

#include "account_commands.hpp"
#include "account_view.hpp"
#include "gateway/domain/person.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/html/qr_code.hpp"
#include "http/html/shown_time.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/second_factor.hpp"
#include "http/portal/sessions.hpp"
#include "http/portal/wrong_codes.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view account_form = "page\n/portal/account";
constexpr std::string_view offer_field = "offer";  ///< hidden: the sealed secret for the app

/// The faults of a posted form, by field.
struct account_slips {
  password_form password{};
  std::string enable_fault{};
  std::string disable_fault{};
  std::string recovery_codes_fault{};
  field zone{};
  std::string fault{};  ///< an error that belongs to no field
};

member_frame frame_of_account(const call& c, const signed_in& person) {
  return frame_of(c.here.shared, person, member_place::account, account_form);
}

std::vector<session_row> rows_of_sessions(const call& c, const signed_in& person,
                                          const std::vector<listed_session>& all) {
  const auto now = c.here.shared.clock.now();
  const auto present = session_hash(person.cookie);
  std::vector<session_row> rows;
  for (const auto& each : all)
    if (is_session_valid(each, now, c.here.shared.config.portal_session_idle))
      rows.push_back({each.hash, shown(person, each.created_at), shown(person, each.used_at), each.hash == present,
                      each.address, each.browser});
  return rows;
}

std::vector<invitation_row> rows_of_invitations(const call& c, const signed_in& person,
                                                const invitations_lookup& found) {
  std::vector<invitation_row> rows;
  for (const auto& [each, merchant] : found.invitations)
    if (each.by == invited_by::owner && each.expires > c.here.shared.clock.now())
      rows.push_back({each.merchant.value, merchant, each.role == member_role::owner ? "Owner" : "Viewer",
                      shown(person, each.expires), !may_accept(found, each)});
  return rows;
}

std::string place_of_change(const signed_in& person, const save_audit& note) {
  if (note.merchant.empty()) return {};
  const auto* membership = person.member_of(note.merchant);
  auto place = membership ? membership->merchant_name : note.merchant.value;
  return note.env ? place + ", " + std::string{to_string(*note.env)} : place;
}

/// Adds the person's audit entries from the query's cursor on. False if the store does not answer.
boost::asio::awaitable<bool> add_audit(call& c, signed_in& person, account_view& view) {
  find_audit query;
  query.user = person.who.user;
  query.limit = rows_of_a_page + 1;
  if (const auto at = read_cursor(parameter(query_of(c.in), "cursor"))) {
    query.before = from_unix_ms(at->first);
    query.before_id = at->second;
    view.at_newest = false;
  }
  auto asking = ask(c.here, std::move(query));
  auto found = co_await std::move(asking);
  if (!found) co_return false;
  if (found->entries.size() > rows_of_a_page) {
    found->entries.pop_back();
    view.older = make_cursor(to_unix_ms(found->entries.back().at), found->entries.back().id);
  }
  for (const auto& each : found->entries)
    view.audit.push_back(
        {shown(person, each.at), each.action, each.subject, place_of_change(person, each), each.address});
  co_return true;
}

std::string words_of_wrong_codes(const signed_in& person, const save_audit& newest) {
  return "Somebody entered your password and then a wrong code, five times in a day or more; last at " +
         shown(person, newest.at).text + " from " + newest.address + ". If that was not you, set a new password here.";
}

boost::asio::awaitable<response> account_screen(call& c, signed_in& person, account_slips slips) {
  account_view view;
  view.frame = frame_of_account(c, person);
  view.frame.notice = c.in.method == "GET" ? message_after(parameter(query_of(c.in), "done")) : std::string{};
  view.frame.fault = std::move(slips.fault);
  view.password = std::move(slips.password);
  view.enable_fault = std::move(slips.enable_fault);
  view.disable_fault = std::move(slips.disable_fault);
  view.recovery_codes_fault = std::move(slips.recovery_codes_fault);
  view.second_factor = person.who.has_second_factor;
  view.zones = zone_names();
  view.zone = slips.zone.fault.empty() ? field{view.frame.zone, {}} : std::move(slips.zone);

  find_user look{email_key_of(person.who.email)};
  auto looking = ask(c.here, std::move(look));
  const auto user = co_await std::move(looking);
  if (!user) co_return error_page(page_error::busy);
  if (user->found) view.recovery_codes_left = static_cast<std::size_t>(user->found->recovery_codes_left);
  auto listing = ask(c.here, find_sessions{person.who.user});
  const auto sessions = co_await std::move(listing);
  if (!sessions) co_return error_page(page_error::busy);
  view.sessions = rows_of_sessions(c, person, sessions->sessions);
  auto asking = ask(c.here, find_invitations{person.who.user});
  const auto invited = co_await std::move(asking);
  if (!invited) co_return error_page(page_error::busy);
  view.invitations = rows_of_invitations(c, person, *invited);
  if (view.frame.fault.empty() && view.second_factor) {
    auto telling = find_wrong_codes(c, person.who.user);
    const auto newest = co_await std::move(telling);
    if (!newest) co_return error_page(page_error::busy);
    if (*newest) view.frame.fault = words_of_wrong_codes(person, **newest);
  }
  auto adding = add_audit(c, person, view);
  const bool added = co_await std::move(adding);
  if (!added) co_return error_page(page_error::busy);
  co_return account_page(view);
}

response offer_screen(const call& c, const signed_in& person, const second_factor_offer& offer, std::string fault) {
  second_factor_view view;
  view.frame = frame_of_account(c, person);
  view.qr_svg = qr_code(offer.uri, "QR code for an authenticator app. The secret is written below it.");
  view.secret = in_groups(offer.secret);
  view.hidden = {{std::string{offer_field}, offer.sealed}};
  view.code.fault = std::move(fault);
  return second_factor_page(view);
}

response done_here(const call& c, std::string_view verb, const account_changed& what) {
  auto local = std::string{account_page_path};
  auto out = redirect_to(public_url(c.here.shared, local.append("?done=").append(verb)));
  if (!what.known.empty()) out.headers.emplace_back("Set-Cookie", what.known);
  if (!what.cookie.empty()) out.headers.emplace_back("Set-Cookie", host_cookie(session_cookie_name, what.cookie));
  return out;
}

/// Sets the refusal's status on the refused form's page.
response under(const account_problem& why, response page) {
  if (why.why != account_refusal::slowed_down) return refused_form(std::move(page));
  auto slowed = with_status(page_error::slowed_down, std::move(page));
  slowed.headers.emplace_back("Retry-After", std::to_string(why.wait.count()));
  return slowed;
}

/// Puts the message beside the faulty field, or at the top if there is none.
account_slips slips_of(std::string_view action, const account_problem& why) {
  account_slips slips;
  const std::string words{description_of(why.why)};
  const bool about_new = why.why == account_refusal::short_password || why.why == account_refusal::unusable_password;
  if (about_new)
    slips.password.new_password_fault = words;
  else if (why.why != account_refusal::wrong_password)
    slips.fault = words;
  else if (action == "set-password")
    slips.password.password_fault = words;
  else if (action == "new-recovery-codes")
    slips.recovery_codes_fault = words;
  else if (action == "second-factor-on")
    slips.enable_fault = words;
  else
    slips.disable_fault = words;
  return slips;
}

boost::asio::awaitable<response> refuse_account(call& c, signed_in& person, std::string_view action,
                                                account_problem why) {
  if (why.why == account_refusal::busy) co_return error_page(page_error::busy);
  auto showing = account_screen(c, person, slips_of(action, why));
  auto page = co_await std::move(showing);
  co_return under(why, std::move(page));
}

response codes_screen(const call& c, const signed_in& person, const new_recovery_codes& codes) {
  auto page = recovery_codes_page({frame_of_account(c, person), codes.texts});
  if (!codes.known.empty()) page.headers.emplace_back("Set-Cookie", codes.known);
  return page;
}

boost::asio::awaitable<response> offer_factor(call& c, signed_in& person, form& sent) {
  auto beginning = begin_second_factor(c, person, sent.text("password"));
  const auto made = co_await std::move(beginning);
  if (const auto* offer = std::get_if<second_factor_offer>(&made)) co_return offer_screen(c, person, *offer, {});
  auto refusing = refuse_account(c, person, "second-factor-on", std::get<account_problem>(made));
  co_return co_await std::move(refusing);
}

boost::asio::awaitable<response> confirm_factor(call& c, signed_in& person, form& sent) {
  const auto sealed = sent.text(offer_field);
  auto turning = turn_on_second_factor(c, person, sealed, sent.text("code"));
  const auto made = co_await std::move(turning);
  if (const auto* codes = std::get_if<new_recovery_codes>(&made)) co_return codes_screen(c, person, *codes);
  const auto& why = std::get<account_problem>(made);
  // Shows the same secret again, because the app has it already.
  const bool may_try_again = why.why != account_refusal::busy && why.why != account_refusal::replaced_credentials;
  if (const auto offer = read_offer(c.here.shared, person, sealed); offer && may_try_again)
    co_return under(why, offer_screen(c, person, *offer, std::string{description_of(why.why)}));
  auto refusing = refuse_account(c, person, "confirm-second-factor", why);
  co_return co_await std::move(refusing);
}

boost::asio::awaitable<response> renew_codes(call& c, signed_in& person, form& sent) {
  auto renewing = renew_recovery_codes(c, person, sent.text("password"));
  const auto made = co_await std::move(renewing);
  if (const auto* codes = std::get_if<new_recovery_codes>(&made)) co_return codes_screen(c, person, *codes);
  auto refusing = refuse_account(c, person, "new-recovery-codes", std::get<account_problem>(made));
  co_return co_await std::move(refusing);
}

/// The command of an action that changes something and has no page of its own for the result; nullopt if the action is
/// unknown.
std::optional<boost::asio::awaitable<account_result>> command_of(call& c, signed_in& person, form& sent,
                                                                 std::string_view action) {
  if (action == "set-password") return change_password(c, person, sent.text("password"), sent.text("new_password"));
  if (action == "accept") return accept_own_invitation(c, person, merchant_id{sent.text("merchant_id")});
  if (action == "second-factor-off") return turn_off_second_factor(c, person, sent.text("password"));
  if (action == "set-zone") return choose_time_zone(c, person, sent.text("zone"));
  if (action == "end-session") return end_own_session(c, person, sent.text("session_id"));
  if (action == "end-other-sessions") return end_other_sessions(c, person);
  return std::nullopt;
}

}  // namespace

boost::asio::awaitable<response> show_account(call& c) {
  auto asking = require_session(c, std::string{account_page_path});
  auto found = co_await std::move(asking);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& person = std::get<signed_in>(found);
  auto showing = account_screen(c, person, {});
  co_return co_await std::move(showing);
}

boost::asio::awaitable<response> act_on_account(call& c) {
  auto sent = read_form(c.in);
  if (!carries_token(sent)) co_return error_page(page_error::forged_form);
  auto asking = require_session(c, std::string{account_page_path});
  auto found = co_await std::move(asking);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& person = std::get<signed_in>(found);
  if (!is_genuine(c.here.shared, person, sent, account_form)) co_return error_page(page_error::forged_form);

  const auto action = sent.text("action");
  if (action == "second-factor-on") {
    auto offering = offer_factor(c, person, sent);
    co_return co_await std::move(offering);
  }
  if (action == "confirm-second-factor") {
    auto confirming = confirm_factor(c, person, sent);
    co_return co_await std::move(confirming);
  }
  if (action == "new-recovery-codes") {
    auto renewing = renew_codes(c, person, sent);
    co_return co_await std::move(renewing);
  }
  auto command = command_of(c, person, sent, action);
  if (!command) co_return error_page(page_error::malformed_form);
  auto running = *std::move(command);
  const auto result = co_await std::move(running);
  if (const auto* done = std::get_if<account_changed>(&result)) co_return done_here(c, action, *done);
  auto refusing = refuse_account(c, person, action, std::get<account_problem>(result));
  co_return co_await std::move(refusing);
}

}  // namespace gateway::http
