// What all customers' pages share: the shop that they show, the language they are in, and their frame.
#pragma once

#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "gateway/domain/ids.hpp"
#include "http/fwd.hpp"
#include "http/html/page.hpp"
#include "language.hpp"

namespace gateway::http {

/// The merchant as its customers see it.
struct shop_front {
  std::string name;
  std::string colour{};    ///< `#rrggbb`; empty: the gateway's own
  std::string logo_url{};  ///< empty: none
  std::string support{};   ///< as in branding; may be empty
};

struct checkout_view {
  language reads = language::english;
  shop_front shop{};
  /// Whether the page has links to itself in other languages. The answer to a post has none: a link would be a GET.
  bool offers_languages = true;
};

/// The view of a page that names no shop.
checkout_view plain_view(const request& in);
/// The view of a page of this merchant.
boost::asio::awaitable<checkout_view> view_for(call& c, merchant_id shop);

/// Fills the frame, and makes the page.
response customer_response(page_template which, ctemplate::TemplateDictionary& values, std::string_view title,
                           const checkout_view& seen, page_policy policy);

/// A page with one message.
struct customer_notice {
  std::string title;
  std::string message;
  std::string amount{};  ///< shown large; may be empty
  std::string advice{};  ///< a second sentence; may be empty
  std::string url{};     ///< where to continue; may be empty
  bool good = false;     ///< the payment was made
};
response customer_notice_page(const customer_notice& what, const checkout_view& seen, const page_policy& policy = {});

/// An error's page, with the status of its row.
response customer_error(page_error what, const checkout_view& seen);

/// GET /checkout/logo/{merchant}: the shop's logo.
boost::asio::awaitable<response> show_logo(call& c);

}  // namespace gateway::http
