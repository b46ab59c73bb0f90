// Each request validates the query again, because a page shown earlier proves nothing. The browser is redirected to
// the platform only after judge_authorize_query() has found the redirect_uri among the registered ones.
#include "consent.hpp"

#include <memory>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "http/access/auth_codes.hpp"
#include "http/call/reply.hpp"
#include "http/codec/web_address.hpp"
#include "http/html/page.hpp"
#include "http/portal/account_audit.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

authorize_verdict judge(const services& shared, std::span<const query_parameter> query) {
  return judge_authorize_query(
      query, [&](std::string_view slug) { return shared.merchants.find_platform_by_slug(std::string{slug}); });
}

/// A validated request for the consent screen, or a form from it.
struct visit {
  authorize_request asked;
  std::shared_ptr<const platform> asking;
  std::string local;  ///< the page's path and query, which satisfy is_local_target()
  signed_in person;
};
using arrived = std::variant<visit, response>;

/// The checks before any page is shown, in the contract's order. `sent` is the form of a post.
boost::asio::awaitable<arrived> arrive(call& c, const form* sent = nullptr) {
  const auto& shared = c.here.shared;
  const auto query = read_query(c.in.query);
  if (!query) co_return authorize_fault_page(authorize_fault::client_id_missing);
  auto verdict = judge(shared, *query);
  if (const auto* fault = std::get_if<authorize_fault>(&verdict)) co_return authorize_fault_page(*fault);
  if (const auto* why = std::get_if<authorize_rejection>(&verdict)) co_return redirect_to(location_with_error(*why));
  auto& asked = std::get<authorize_request>(verdict);
  auto asking = shared.merchants.find_platform(asked.platform);
  if (!asking) co_return authorize_fault_page(authorize_fault::unknown_client);
  if (sent && !carries_token(*sent)) co_return error_page(page_error::forged_form);
  auto local = std::string{authorize_path} + '?' + canonical_query(*query);
  auto requiring = require_session(c, local);
  auto found = co_await std::move(requiring);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  visit there{std::move(asked), std::move(asking), std::move(local), std::get<signed_in>(std::move(found))};
  // The screen shows what each merchant has already granted to the platform.
  for (const auto& each : there.person.who.of) {
    auto making = make_known(c.here, each.merchant);
    if (co_await std::move(making)) co_return error_page(page_error::busy);
  }
  co_return there;
}

/// Bound to the query: a form of another query is invalid.
std::string form_name(const visit& v) { return "consent\n" + v.local; }

/// Browsers check every redirect after a post against form-action, including a platform's own redirects after its
/// redirect_uri, which the gateway does not know. So all https targets are allowed, and the redirect_uri itself if it
/// is http.
std::string form_targets_of(std::string_view redirect_uri) {
  const auto origin = origin_of(redirect_uri);
  return origin.starts_with("http:") ? " https: " + origin : " https:";
}

page_policy policy_for(const visit& v) { return {"'self'" + form_targets_of(v.asked.redirect_uri), {}}; }

const session_membership* only_merchant(const signed_in& person) {
  return person.who.of.size() == 1 ? &person.who.of.front() : nullptr;
}

bool owns_any(const signed_in& person) {
  return std::ranges::any_of(person.who.of, [](const auto& each) { return each.role == member_role::owner; });
}

/// The requested scopes that the platform already has.
scope_set given_of(const services& shared, const visit& v, const merchant_id& merchant) {
  const auto grants = shared.merchants.find_grants({v.asked.platform, merchant});
  const auto& there = grants.in(v.asked.env);
  if (there.state != grant_state::active) return {};
  return {there.scopes.bits & v.asked.scopes.bits};
}

response consent_screen(const services& shared, const visit& v, std::string chosen, std::string_view fault) {
  consent_view view;
  view.csrf = csrf_of(shared, v.person, form_name(v));
  view.platform = v.asking->name;
  view.env = v.asked.env;
  view.asked = v.asked.scopes;
  view.destination = shown_origin(v.asked.redirect_uri);
  for (const auto& each : v.person.who.of) {
    const bool owner = each.role == member_role::owner;
    view.choices.push_back(
        {each.merchant.value, each.merchant_name, owner ? given_of(shared, v, each.merchant) : scope_set{}, owner});
  }
  view.chosen = std::move(chosen);
  view.choice_fault = fault;
  view.user = shown_user(shared, v.person);
  return consent_page(view, policy_for(v));
}

/// Does not redirect, because the person may sign in with another account.
response not_an_owner_page(const services& shared, const visit& v) {
  buttons_view view;
  view.eyebrow = "Connect " + v.asking->name;
  view.title = "Only an owner can connect a platform";
  view.message =
      v.person.who.of.empty()
          ? "You belong to no merchant. Sign in with another account, or go back to " + v.asking->name + "."
          : "You may look at this merchant, and change nothing. Ask an owner to open this link, sign in with "
            "another account, or go back to " +
                v.asking->name + ".";
  view.csrf = csrf_of(shared, v.person, form_name(v));
  view.buttons = {{"cancel", "Cancel", false}};
  view.user = shown_user(shared, v.person);
  return with_status(page_error::not_an_owner, buttons_page(view, policy_for(v)));
}

/// The result of asking for an authorization code.
enum class consent_outcome : unsigned char { given, not_covered, suspended, unknown };
struct consented {
  consent_outcome what = consent_outcome::unknown;
  std::string code;
};

/// The audit entry of a consent, which the person's account page lists.
std::shared_ptr<const save_audit> note_of_consent(const call& c, const visit& v, const merchant_id& merchant) {
  auto note = note_of(c, v.person.who.user, "connect platform", v.asking->slug);
  note.merchant = merchant;
  note.env = v.asked.env;
  return std::make_shared<const save_audit>(std::move(note));
}

/// `shown`: the person has agreed to all scopes on the screen. Otherwise, a code is given only if all scopes were
/// granted before.
boost::asio::awaitable<consented> ask_for_code(call& c, visit& v, merchant_id merchant, bool shown) {
  const auto key = binding_key(merchant, v.asked.env, v.asked.platform);
  auto code = make_code(key, c.here.shared.code_key);
  give_consent wanted;
  wanted.fresh = grant_id{"grant_" + crypto::random_hex(10)};
  wanted.scopes = v.asked.scopes;
  wanted.user = v.person.who.user;
  wanted.shown = shown;
  wanted.code_hash = code.hash;
  wanted.redirect_uri = v.asked.redirect_uri;
  entity_request request{key, std::nullopt, grant_command{std::move(wanted)}, {}};
  if (shown) request.note = note_of_consent(c, v, merchant);
  auto asking = ask(c, std::move(request));
  const auto reply = co_await std::move(asking);
  if (!reply) co_return consented{};
  if (std::holds_alternative<entity_row>(reply->what))
    co_return consented{consent_outcome::given, std::move(code.text)};
  const auto* why = std::get_if<problem>(&reply->what);
  if (why && *why == problem::grant_not_covering) co_return consented{consent_outcome::not_covered, {}};
  if (why && *why == problem::platform_suspended) co_return consented{consent_outcome::suspended, {}};
  co_return consented{};
}

response after_consent(const visit& v, const consented& what) {
  if (what.what == consent_outcome::given) return redirect_to(location_with_code(v.asked, what.code));
  if (what.what == consent_outcome::suspended) return authorize_fault_page(authorize_fault::client_suspended);
  return error_page(page_error::busy);
}

}  // namespace

boost::asio::awaitable<response> show_consent(call& c) {
  const auto& shared = c.here.shared;
  auto arriving = arrive(c);
  auto there = co_await std::move(arriving);
  if (auto* page = std::get_if<response>(&there)) co_return std::move(*page);
  auto& v = std::get<visit>(there);
  if (!owns_any(v.person)) co_return not_an_owner_page(shared, v);
  const auto* only = only_merchant(v.person);
  if (only && given_of(shared, v, only->merchant) == v.asked.scopes) {
    // The grant's actor decides, because the published snapshot may be slightly stale.
    auto asking = ask_for_code(c, v, only->merchant, false);
    const auto what = co_await std::move(asking);
    if (what.what != consent_outcome::not_covered) co_return after_consent(v, what);
  }
  co_return consent_screen(shared, v, {}, {});
}

boost::asio::awaitable<response> answer_consent(call& c) {
  const auto& shared = c.here.shared;
  const auto sent = read_form(c.in);
  auto arriving = arrive(c, &sent);
  auto there = co_await std::move(arriving);
  if (auto* page = std::get_if<response>(&there)) co_return std::move(*page);
  auto& v = std::get<visit>(there);
  if (!is_genuine(shared, v.person, sent, form_name(v))) co_return error_page(page_error::forged_form);
  const auto action = sent.text("action");
  if (action == "cancel") co_return redirect_to(location_with_error(refused_by_user(v.asked)));
  if (action != "connect") co_return error_page(page_error::malformed_form);
  if (!owns_any(v.person)) co_return not_an_owner_page(shared, v);

  const auto* only = only_merchant(v.person);
  auto chosen = sent.text("merchant_id");
  if (chosen.empty() && only && !sent.has("merchant_id")) chosen = only->merchant.value;
  if (chosen.empty())
    co_return with_status(page_error::refused_form, consent_screen(shared, v, {}, "Choose a merchant."));
  const merchant_id merchant{chosen};
  if (!v.person.member_of(merchant))
    co_return with_status(page_error::refused_form, consent_screen(shared, v, {}, "Choose one of these merchants."));
  if (!v.person.owns(merchant)) co_return not_an_owner_page(shared, v);
  auto asking = ask_for_code(c, v, merchant, true);
  const auto what = co_await std::move(asking);
  co_return after_consent(v, what);
}

std::string consent_form_targets(const services& shared, std::string_view local) {
  const auto at = local.find('?');
  const auto query = read_query(at == local.npos ? std::string_view{} : local.substr(at + 1));
  if (!query) return {};
  const auto verdict = judge(shared, *query);
  if (const auto* why = std::get_if<authorize_rejection>(&verdict)) return form_targets_of(why->redirect_uri);
  if (const auto* asked = std::get_if<authorize_request>(&verdict)) return form_targets_of(asked->redirect_uri);
  return {};
}

}  // namespace gateway::http
