// The checks before every page of a merchant: the person is signed in and is a member of the merchant; a form comes
// from the page and is sent by an owner. Another person's merchant gets the same answer as one that does not exist.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/call/endpoint.hpp"
#include "http/fwd.hpp"
#include "http/message.hpp"
#include "visit.hpp"

namespace gateway::http {

/// Whether a handler shows a page, or handles a form posted from it.
enum class member_request : unsigned char { page, form };

/// Runs `run` with a visit. Otherwise answers with a redirect to the sign-in page, which leads back here; 404 for a
/// merchant that is not the person's; or 403 for a form that is not from this page or that a viewer posts.
boost::asio::awaitable<response> run_for_member(call& c, handler run, member_request what);

/// Handlers for the route table: a page for the merchant's members, and a form for its owners.
template <handler Page>
boost::asio::awaitable<response> as_member(call& c) {
  return run_for_member(c, Page, member_request::page);
}
template <handler Form>
boost::asio::awaitable<response> as_owner(call& c) {
  return run_for_member(c, Form, member_request::form);
}

/// The CSRF token of the visited page's forms.
std::string csrf_for(const services& shared, const member_visit& visit);
/// The URL of a page of the visited merchant. `page` is the part after the mode, empty for the overview.
std::string page_address(const services& shared, const member_visit& visit, std::string_view page);

}  // namespace gateway::http
