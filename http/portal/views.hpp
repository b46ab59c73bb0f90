// Renders the portal's pages from plain values.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/authorize_request.hpp"
#include "gateway/domain/scopes.hpp"
#include "http/html/page.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The signed-in person, named at the end of a page, with a button that signs out. Empty: not signed in.
struct page_user {
  std::string email;
  std::string sign_out_url;
  std::string sign_out_csrf;
};

struct sign_in_view {
  std::string csrf;
  std::string email;  ///< as typed before
  std::string_view email_fault;
  std::string_view password_fault;
  bool asks_code = false;  ///< the password of `email` was right: the page asks for the second factor
  std::string_view code_fault{};
  std::string_view notice{};  ///< the result of the action that led here
  std::string forgotten_url{};  ///< the page for a forgotten password; empty: there is none
};
response sign_in_page(const sign_in_view& view, const page_policy& policy);

struct forgotten_view {
  std::string csrf;
  std::string email;  ///< as typed before
  std::string_view email_fault{};
  std::string sign_in_url;
};
response forgotten_page(const forgotten_view& view);

/// The page where a person sets a password by a link.
struct invitation_view {
  std::string csrf;
  std::string merchant;
  std::string email;
  std::string_view password_fault;
};
response invitation_page(const invitation_view& view);

/// A merchant that can be chosen on the consent screen.
struct consent_choice {
  std::string merchant_id;
  std::string name;
  scope_set given;  ///< the requested scopes that the platform has already
  bool may_consent = false;
};
struct consent_view {
  std::string csrf;
  std::string platform;
  environment env = environment::live;
  scope_set asked;
  std::string destination;  ///< the origin that the browser is redirected to afterwards
  std::vector<consent_choice> choices;  ///< if there is only one, no choice is shown
  std::string chosen;
  std::string_view choice_fault;
  page_user user;
};
response consent_page(const consent_view& view, const page_policy& policy);

struct page_button {
  std::string_view action;
  std::string_view label;
  bool primary = false;
};
struct page_fact {
  std::string_view name;
  std::string value;
};
struct provider_choice {
  std::string_view value;
  std::string_view name;
  std::string_view status;
};
/// A page with a message, and with buttons if it has a CSRF token.
struct buttons_view {
  std::string_view badge;
  std::string eyebrow;
  std::string title;
  std::string message;
  std::vector<page_fact> facts;
  std::string csrf;
  std::vector<provider_choice> providers;
  std::string_view choice_fault;
  std::vector<page_button> buttons;
  page_user user;
  bool is_status = false;  ///< the message is an action's result
};
response buttons_page(const buttons_view& view, const page_policy& policy = {});

// ---- errors ---------------------------------------------------------------------------------------

/// The page for a faulty consent request. It does not redirect the browser.
response authorize_fault_page(authorize_fault what);
/// `page` with the error's status.
response with_status(page_error what, response page);

/// The redirect_uri as shown to people: its origin, or the whole text if it has no origin.
std::string shown_origin(std::string_view redirect_uri);

}  // namespace gateway::http
