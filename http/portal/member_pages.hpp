// What comes before every page of a merchant, in one place: who is signed in, whether the merchant is that person's,
// and for a form whether it comes from the page and from an owner. The merchant of somebody else and one that does not
// exist are not told apart.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/message.hpp"
#include "http/routes/table.hpp"
#include "visit.hpp"

namespace gateway::http {

/// Runs the route's handler with a visit, or answers instead: the way to the sign-in page and back here, 404 of a
/// merchant that is not the person's, 403 of a form that is not from this page, or is a viewer's.
boost::asio::awaitable<response> run_for_member(call& c, endpoint way);

/// What the forms of the page that is visited carry.
std::string csrf_for(const services& shared, const member_visit& visit);
/// The address by which browsers reach a page of the merchant that is visited: `page` is what stands behind the mode,
/// and empty for the overview.
std::string page_address(const services& shared, const member_visit& visit, std::string_view page);

}  // namespace gateway::http
