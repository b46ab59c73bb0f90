#include "as_member.hpp"

#include <utility>

#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "page_forms.hpp"
#include "sessions.hpp"

namespace gateway::http {
namespace {

std::string member_form_name(std::string_view page) { return "page\n" + std::string{page}; }

/// The page to return to after sign-in.
std::string local_address_of(const request& in) {
  const auto query = query_of(in);
  auto local = std::string{in.path};
  if (in.method == "GET" && !query.empty()) local += '?' + canonical_query(query);
  return local;
}

}  // namespace

boost::asio::awaitable<response> run_for_member(call& c, handler run, member_request what) {
  const auto& shared = c.here.shared;
  const bool is_form = what == member_request::form;
  member_visit visit;
  visit.page = std::string{c.in.path};
  if (is_form) visit.sent = is_upload(c.in.content_type) ? read_upload(c.in) : read_form(c.in);
  if (is_form && !carries_token(visit.sent)) co_return error_page(page_error::forged_form);
  const auto mode = parse_environment(c.path.mode);
  if (!mode) co_return error_page(page_error::nothing_here);
  visit.env = *mode;

  auto asking = require_session(c, local_address_of(c.in));
  auto found = co_await std::move(asking);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  visit.person = std::get<signed_in>(std::move(found));
  const merchant_id named{std::string{c.path.merchant}};
  const auto* membership = visit.person.member_of(named);
  if (!membership) co_return error_page(page_error::nothing_here);
  visit.role = membership->role;
  if (is_form) {
    if (!is_genuine(shared, visit.person, visit.sent, member_form_name(visit.page)))
      co_return error_page(page_error::forged_form);
    if (!visit.may_act()) co_return error_page(page_error::not_an_owner);
  }

  auto making = make_known(c.here, named);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  visit.who = shared.merchants.find_merchant(named);
  if (!visit.who) co_return error_page(page_error::busy);
  c.visit = &visit;
  auto op = run(c);
  co_return co_await std::move(op);
}

std::string csrf_for(const services& shared, const member_visit& visit) {
  return csrf_of(shared, visit.person, member_form_name(visit.page));
}

std::string page_address(const services& shared, const member_visit& visit, std::string_view page) {
  auto local = std::string{portal_path} + '/' + visit.who->id.value + '/' + std::string{to_string(visit.env)} + '/';
  return public_url(shared, local.append(page));
}

}  // namespace gateway::http
