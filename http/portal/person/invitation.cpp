#include "invitation.hpp"

#include <chrono>
#include <utility>

#include "account_commands.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/portal/account_audit.hpp"
#include "http/portal/chosen_password.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/password_words.hpp"
#include "http/portal/pending_sign_in.hpp"

namespace gateway::http {
namespace {

std::optional<invitation> invitation_of(const call& c) {
  const auto& shared = c.here.shared;
  return read_invitation(parameter(query_of(c.in), "token"), shared.invitation_key, shared.clock.now());
}

std::string form_name(const invitation& to) { return "invitation\n" + to.id; }

/// The page's path and query, which satisfy is_local_target().
std::string local_page(const call& c) {
  return std::string{portal_path} + "/invitation?token=" + parameter(query_of(c.in), "token");
}

std::string merchant_name(const call& c, const merchant_id& id) {
  const auto who = c.here.shared.merchants.find_merchant(id);
  return who ? who->name : std::string{};
}

/// Shows the merchant's name if it is known.
response page_for(const call& c, const invitation& to, std::string_view fault) {
  const auto& shared = c.here.shared;
  const auto cookie = form_cookie_of(c.in);
  return cookie.with(
      invitation_page({cookie.csrf(shared, form_name(to)), merchant_name(c, to.merchant), to.email, fault}));
}

/// The link's row, and the invited person.
struct link_standing {
  stored_invitation row;
  invitations_lookup person;
};
using link_found = std::variant<link_standing, response>;

/// The row and the person, or the page for an invalid link.
boost::asio::awaitable<link_found> standing_of(call& c, invitation to) {
  auto looking = ask(c.here, find_invitations{to.user});
  auto found = co_await std::move(looking);
  if (!found) co_return error_page(page_error::busy);
  const auto* row = find_standing(*found, to.merchant, c.here.shared.clock.now());
  if (!row || row->what.id != to.id) co_return error_page(page_error::unusable_link);
  auto standing = row->what;
  auto making = make_known(c.here, to.merchant);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  co_return link_standing{std::move(standing), std::move(*found)};
}

buttons_view view_for(const call& c, const invitation& to, const signed_in& person) {
  buttons_view view;
  view.eyebrow = merchant_name(c, to.merchant);
  view.user = shown_user(c.here.shared, person);
  return view;
}

/// The page for a signed-in person who is not the invited one.
response another_person(const call& c, const invitation& to, const signed_in& person) {
  auto view = view_for(c, to, person);
  view.title = "This invitation is for somebody else";
  view.message = "It is for " + to.email + ". Sign out, then open the link again and sign in with that address.";
  return with_status(page_error::not_an_owner, buttons_page(view));
}

response cannot_be_trusted(const call& c, const invitation& to, const signed_in& person) {
  auto view = view_for(c, to, person);
  if (c.here.shared.mails) {
    view.title = "Choose a new password first";
    view.message =
        "Your password was first set by a link that another merchant's owner was shown, and may be known to them. "
        "Sign out, and choose a new one by mail: open " +
        c.here.shared.portal_url + "/forgotten. Then open this link again.";
    return with_status(page_error::not_an_owner, buttons_page(view));
  }
  view.title = "The operator must invite you";
  view.message =
      "Your password was first set by a link that another merchant's owner was shown, and may be known to them. Ask "
      "the operator of the gateway for an invitation: by it you choose a password of your own.";
  return with_status(page_error::not_an_owner, buttons_page(view));
}

response accept_screen(const call& c, const invitation& to, const stored_invitation& row, const signed_in& person) {
  auto view = view_for(c, to, person);
  view.title = "Join " + (view.eyebrow.empty() ? std::string{"the team"} : view.eyebrow);
  view.message = "You are invited to this merchant's team. Accept to see it beside your others.";
  view.facts = {{"Role", row.role == member_role::owner ? "Owner" : "Viewer"}};
  view.csrf = csrf_of(c.here.shared, person, form_name(to));
  view.buttons = {{"accept", "Accept", true}};
  return buttons_page(view, {"'self'", {}});
}

boost::asio::awaitable<response> choose_password(call& c, invitation to, form sent) {
  if (!is_genuine(c, sent, form_name(to))) co_return error_page(page_error::forged_form);
  auto finding = standing_of(c, to);
  const auto found = co_await std::move(finding);
  if (const auto* page = std::get_if<response>(&found)) co_return *page;
  const auto* there = std::get_if<link_standing>(&found);
  // That page requires a sign-in.
  if (!may_choose_password(there->person, there->row)) co_return redirect_to(public_url(c.here.shared, local_page(c)));
  const auto password = sent.text("password");
  if (const auto fault = fault_of_password(password))
    co_return with_status(page_error::refused_form, page_for(c, to, message_of(*fault)));

  // Each post hashes a password, even with a used link, so the posts per link are limited to protect the hasher.
  auto& throttle = c.here.shared.throttle;
  if (const auto wait = throttle.begin(form_name(to), c.in.remote_address, std::chrono::steady_clock::now())) {
    auto page = with_status(page_error::slowed_down,
                            page_for(c, to, "Too many attempts have failed. Wait a while, then try again."));
    page.headers.emplace_back("Retry-After", std::to_string(wait->count()));
    co_return page;
  }
  noted_command wanted{operator_command{accept_invitation{to.merchant, to.user, to.id, password}},
                       note_of(c, to.user, "set-password", "by invitation")};
  auto asking = ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  if (!reply) {
    throttle.take_back(form_name(to), c.in.remote_address);
    co_return error_page(page_error::busy);
  }
  if (!std::holds_alternative<added_user>(*reply)) co_return error_page(page_error::unusable_link);
  throttle.passed(form_name(to), c.in.remote_address);
  auto out = redirect_to(sign_in_url(c.here.shared, {}));
  out.headers.emplace_back("Set-Cookie", chosen_password_cookie(to.email));
  if (find_pending(c)) out.headers.emplace_back("Set-Cookie", no_pending_cookie());
  co_return out;
}

boost::asio::awaitable<response> accept_signed_in(call& c, invitation to, form sent) {
  if (!carries_token(sent)) co_return error_page(page_error::forged_form);
  auto requiring = require_session(c, local_page(c));
  auto session = co_await std::move(requiring);
  if (auto* page = std::get_if<response>(&session)) co_return std::move(*page);
  const auto* person = std::get_if<signed_in>(&session);
  if (!is_genuine(c.here.shared, *person, sent, form_name(to))) co_return error_page(page_error::forged_form);
  auto finding = standing_of(c, to);
  const auto found = co_await std::move(finding);
  if (const auto* page = std::get_if<response>(&found)) co_return *page;
  if (person->who.user != to.user) co_return another_person(c, to, *person);
  const auto* there = std::get_if<link_standing>(&found);
  if (!may_accept(there->person, there->row)) co_return cannot_be_trusted(c, to, *person);
  auto accepting = accept_own_invitation(c, *person, to.merchant, to.id);
  const auto done = co_await std::move(accepting);
  if (const auto* problem = std::get_if<account_problem>(&done))
    co_return error_page(problem->why == account_refusal::busy ? page_error::busy : page_error::unusable_link);
  co_return redirect_to(public_url(
      c.here.shared, std::string{portal_path}.append("/").append(percent_encoded(to.merchant.value)).append("/live/")));
}

}  // namespace

boost::asio::awaitable<response> show_invitation(call& c) {
  const auto to = invitation_of(c);
  if (!to) co_return error_page(page_error::unusable_link);
  auto finding = standing_of(c, *to);
  const auto found = co_await std::move(finding);
  if (const auto* page = std::get_if<response>(&found)) co_return *page;
  const auto* there = std::get_if<link_standing>(&found);
  if (may_choose_password(there->person, there->row)) co_return page_for(c, *to, {});
  auto requiring = require_session(c, local_page(c));
  auto session = co_await std::move(requiring);
  if (auto* page = std::get_if<response>(&session)) co_return std::move(*page);
  const auto* person = std::get_if<signed_in>(&session);
  if (person->who.user != to->user) co_return another_person(c, *to, *person);
  if (!may_accept(there->person, there->row)) co_return cannot_be_trusted(c, *to, *person);
  co_return accept_screen(c, *to, there->row, *person);
}

boost::asio::awaitable<response> act_on_invitation(call& c) {
  auto to = invitation_of(c);
  if (!to) co_return error_page(page_error::unusable_link);
  auto sent = read_form(c.in);
  const auto action = sent.text("action");
  if (action == "accept") {
    auto accepting = accept_signed_in(c, *std::move(to), std::move(sent));
    co_return co_await std::move(accepting);
  }
  if (action != "set-password")
    co_return error_page(is_genuine(c, sent, form_name(*to)) ? page_error::malformed_form : page_error::forged_form);
  auto choosing = choose_password(c, *std::move(to), std::move(sent));
  co_return co_await std::move(choosing);
}

}  // namespace gateway::http
