// The sandbox's hosted page: its link, its protection against forged posts, and what it shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "card_form.hpp"
#include "customer_page.hpp"
#include "gateway/base/keyring.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/subscription.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The content of a hosted page's link.
struct hosted_link {
  entity_key key;
  std::string provider_ref;
};
/// For a payment. Nothing if the gateway did not make this token for one.
std::optional<hosted_link> read_hosted_link(std::string_view token, const crypto::derived_keys& key);
/// For a subscription, whose provider_ref is its checkout's session.
std::optional<hosted_link> read_subscription_link(std::string_view token, const crypto::derived_keys& key);

// A post is accepted only from a page that this browser was shown: the cookie is random, and the page's hidden field is
// an HMAC over the cookie and the page's link.
inline constexpr std::string_view checkout_cookie_name = "__Host-checkout";
/// The checkout cookie in a Cookie header; nothing if absent or malformed.
std::optional<std::string> find_checkout_cookie(std::optional<std::string_view> header);

enum class hosted_action : unsigned char { pay, decline, cancel };
std::optional<hosted_action> parse_hosted_action(std::string_view text);

/// What a customer is asked to pay, and the URLs to return to. The views are into static texts or into the entity.
struct checkout {
  std::string_view title;
  money amount;
  std::string period;  ///< for a subscription: how often, and from when
  std::string_view description;
  std::string_view customer_email;
  std::string_view success_url;
  std::string_view cancel_url;
  std::string_view pay_label;
  std::string_view decline_label;
  bool embedded = false;  ///< in a frame on the merchant's site
  bool takes_cards = false;  ///< whether the page has a card form
};
checkout checkout_of(const payment& subject, language reads);
checkout checkout_of(const subscription& subject, language reads);
/// For a billing cycle of the subscription that its customer must approve.
checkout cycle_approval_of(const subscription& subject, language reads);

/// What the page's CSRF token is made of.
struct page_visitor {
  const crypto::derived_keys& key;
  std::string_view link_token;
  std::optional<std::string_view> cookie_header;
};

/// The page with its buttons, and with `typed` in its card form. Sets the cookie, to its present value if there is one.
response checkout_page(const checkout& what, const checkout_view& seen, const page_visitor& who,
                       const card_entry& typed = {});
/// The outcome of a payment that no longer waits for its customer.
response outcome_page(const payment& subject, const checkout_view& seen);
/// After the customer acted: a redirect to the merchant, or a page with the outcome.
response after_checkout(const payment& subject, hosted_action action, const checkout_view& seen);
/// The same for a subscription. `made`: it was created; otherwise it still can be.
response after_checkout(const subscription& subject, bool made);

}  // namespace gateway::http
