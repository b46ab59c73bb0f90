#include "invitation.hpp"

#include <chrono>
#include <utility>

#include "asking.hpp"
#include "http/codec/decode_operator.hpp"
#include "http/codec/encode_operator.hpp"
#include "http/errors.hpp"
#include "http/portal/account_notes.hpp"
#include "http/portal/invitations.hpp"
#include "http/portal/page_forms.hpp"
#include "http/portal/slowing.hpp"

namespace gateway::http {
namespace {

std::optional<invitation> invitation_of(const call& c) {
  const auto& shared = c.here.shared;
  return read_invitation(parameter(query_of(c.in), "token"), shared.invitation_key, shared.clock.now());
}

std::string form_name(const invitation& to) { return "invitation\n" + to.id; }

/// With the merchant's name, once that is known.
response page_for(const call& c, const invitation& to, std::string_view fault) {
  const auto& shared = c.here.shared;
  const auto who = shared.merchants.find_merchant(to.merchant);
  const auto cookie = form_cookie_of(c.in);
  return cookie.with(
      invitation_page({cookie.csrf(shared, form_name(to)), who ? who->name : std::string{}, to.email, fault}));
}

std::string_view words_of(password_fault fault) noexcept {
  switch (fault) {
    case password_fault::too_short: return "Use at least 12 characters.";
    case password_fault::too_long: return "Use fewer characters.";
    case password_fault::holds_nul: return "Use other characters.";
  }
  return {};
}

}  // namespace

boost::asio::awaitable<response> show_invitation(call& c) {
  const auto to = invitation_of(c);
  if (!to) co_return error_page(page_error::unusable_link);
  auto looking = ask(c.here, find_spent_token{to->merchant, to->id});
  const auto found = co_await std::move(looking);
  if (!found) co_return error_page(page_error::busy);
  if (found->spent) co_return error_page(page_error::unusable_link);
  auto making = make_known(c.here, to->merchant);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  co_return page_for(c, *to, {});
}

boost::asio::awaitable<response> accept_invited(call& c) {
  const auto to = invitation_of(c);
  if (!to) co_return error_page(page_error::unusable_link);
  const auto sent = read_form(c.in);
  if (!is_genuine(c, sent, form_name(*to))) co_return error_page(page_error::forged_form);
  if (sent.text("action") != "set-password") co_return error_page(page_error::malformed_form);
  auto making = make_known(c.here, to->merchant);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  const auto password = sent.text("password");
  if (const auto fault = fault_of_password(password))
    co_return with_status(page_error::refused_form, page_for(c, *to, words_of(*fault)));

  // A password is hashed for each post, also by a link that is spent: whoever has one must not keep the hasher busy.
  auto& slowing = c.here.shared.slowing;
  if (const auto wait = slowing.begin(form_name(*to), c.in.remote_address, std::chrono::steady_clock::now())) {
    auto page = with_status(page_error::slowed_down,
                            page_for(c, *to, "Too many attempts have failed. Wait a while, then try again."));
    page.headers.emplace_back("Retry-After", std::to_string(wait->count()));
    co_return page;
  }
  noted_command wanted{operator_command{accept_invitation{to->merchant, to->user, to->id, password}},
                       note_of(c, to->user, "set-password", "by invitation")};
  auto asking = ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  if (!reply) {
    slowing.take_back(form_name(*to), c.in.remote_address);
    co_return error_page(page_error::busy);
  }
  if (!std::holds_alternative<added_user>(*reply)) co_return error_page(page_error::unusable_link);
  slowing.passed(form_name(*to), c.in.remote_address);
  co_return redirect_to(sign_in_url(c.here.shared, {}));
}

boost::asio::awaitable<response> invite(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_invite_user(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& command = std::get<invite_user>(body);
  const auto merchant = command.merchant;
  const auto email = command.email;
  operator_command wanted{std::move(command)};
  auto asking = ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  if (!reply) co_return command_failed(reply.error());
  if (const auto* why = std::get_if<operator_problem>(&*reply)) co_return error_response(*why);
  const auto& user = std::get<added_user>(*reply).id;
  const auto made = make_invitation(merchant, user, email, shared.clock.now());
  co_return answer_with(encode_invitation(user, invitation_url(made, shared.portal_url, shared.invitation_key)));
}

}  // namespace gateway::http
