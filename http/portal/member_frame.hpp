// The frame of every portal page: the current page, the mode, and the navigation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/person.hpp"
#include "http/html/blocks.hpp"
#include "http/html/page.hpp"
#include "http/message.hpp"
#include "views.hpp"

namespace gateway::http {

/// The pages in the navigation.
enum class member_place : unsigned char {
  overview,
  payments,
  disputes,
  subscriptions,
  customers,
  keys,
  destinations,
  connections,
  platforms,
  team,
  branding,
  audit,  ///< shown to owners
  account
};

/// The longest text in a short field: a reason, a search.
inline constexpr std::size_t most_typed = 200;  ///< characters

struct frame_merchant {
  std::string id;
  std::string name;
};

struct member_frame {
  std::string portal;       ///< {portal_url}, without a trailing slash
  std::string documents{};  ///< the URL of the documentation; empty: no link
  std::string merchant_id;  ///< empty on pages that belong to no merchant, such as the account
  std::string merchant;     ///< the merchant's name
  environment env = environment::test;
  member_role role = member_role::viewer;
  member_place at = member_place::overview;
  page_user user;
  std::vector<frame_merchant> merchants;  ///< all of the person's merchants, to switch between them
  std::string csrf;                       ///< for this page's forms
  std::string zone;                       ///< the time zone of the times shown
  std::string notice;                     ///< the result of an action; may be empty
  std::string fault;                      ///< an error that belongs to no field
};

/// `{portal}/{merchant}/{test|live}/` followed by `path`.
std::string member_url(const member_frame& frame, std::string_view path);
/// A link to that URL.
blocks::link member_link(const member_frame& frame, std::string text, std::string_view path);
/// The overview of one of the person's merchants.
std::string merchant_url(const member_frame& frame, std::string_view merchant, environment env);
/// The address of a list's page: `path?name=value&…`, without pairs whose value is empty.
std::string with_query(std::string path, const std::vector<hidden_field>& query);
/// Whether to show forms that change something.
bool may_act(const member_frame& frame) noexcept;

/// The links Newest and Older, where they apply. An empty cursor means that there are no older rows.
blocks::pager list_pager(std::string path, std::vector<hidden_field> query, const std::string& older, bool at_newest);
/// The links First and Further of a list that is not ordered by time.
blocks::pager further_pager(std::string path, const std::string& further, bool at_first);
/// An action such as `capture` or `revoke key` with a capital letter. An event's type stays unchanged.
std::string in_sentence_case(std::string text);
/// Adds a fact unless its value is empty.
void add_fact(blocks::facts& to, std::string name, std::string text);
void add_fact(blocks::facts& to, std::string name, const shown_time& at);
/// A button that acts on the page, if the person may act.
blocks::act_form act_button(const member_frame& frame, std::string action, std::string label, std::string about,
                            std::vector<hidden_field> hidden = {});
/// A form that posts to the page; the caller adds its buttons.
blocks::act_form act_form_of(const member_frame& frame, std::string id);

struct member_page {
  std::string title;
  blocks::link up;       ///< the list that the page belongs to; no text: the page itself is in the navigation
  blocks::badge state;   ///< beside the title; no text: none
  std::vector<blocks::section> sections;
};
response member_response(const member_frame& frame, const member_page& page,
                         const page_policy& policy = {"'self'", {}});

}  // namespace gateway::http
