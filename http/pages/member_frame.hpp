// What surrounds every page that a person sees of a merchant: where one is, in which environment, and the ways on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/person.hpp"
#include "http/message.hpp"
#include "page.hpp"
#include "portal.hpp"

namespace gateway::http {

/// The pages that the navigation leads to.
enum class member_place : unsigned char {
  overview,
  payments,
  keys,
  destinations,
  connections,
  platforms,
  team,
  account
};

/// What is typed into a field of a few words: a reason, a search.
inline constexpr std::size_t most_typed = 200;  ///< characters

struct frame_merchant {
  std::string id;
  std::string name;
};

struct member_frame {
  std::string portal;       ///< {portal_url}, without a slash at its end
  std::string merchant_id;  ///< empty on pages of no merchant: the account, the way back to a platform
  std::string merchant;     ///< its name
  environment env = environment::test;
  member_role role = member_role::viewer;
  member_place at = member_place::overview;
  page_user user;
  std::vector<frame_merchant> merchants;  ///< all that the person may see, for going from one to another
  std::string csrf;                       ///< of this page's forms
  std::string zone;                       ///< the time zone that times are shown in
  std::string notice;                     ///< what came of an act; empty: nothing to tell
  std::string fault;                      ///< what could not be done, where no field is to blame
};

/// `{portal}/{merchant}/{test|live}/` and what stands behind it.
std::string member_url(const member_frame& frame, std::string_view path);
/// A link there.
blocks::link member_link(const member_frame& frame, std::string text, std::string_view path);
/// The overview of one of the person's merchants.
std::string merchant_url(const member_frame& frame, std::string_view merchant, environment env);
/// What a list's page asks for: `path?name=value&…`, without the pairs that have no value.
std::string with_query(std::string path, const std::vector<hidden_field>& query);
/// Whether forms that act are shown.
bool may_act(const member_frame& frame) noexcept;

/// Newest and Older, where there are such; an empty cursor: there are none.
blocks::pager list_pager(std::string path, std::vector<hidden_field> query, const std::string& older, bool at_newest);
/// What was done, such as `capture` or `revoke key`, as words that stand alone. An event's type stays as it is.
std::string in_sentence_case(std::string text);
/// A fact that is left out if there is nothing to tell.
void add_fact(blocks::facts& to, std::string name, std::string text);
void add_fact(blocks::facts& to, std::string name, const shown_time& at);
/// A button that acts on the page, for those who may.
blocks::act_form act_button(const member_frame& frame, std::string action, std::string label, std::string about,
                            std::vector<hidden_field> hidden = {});
/// A form that posts to the page, with its buttons still to come.
blocks::act_form act_form_of(const member_frame& frame, std::string id);

struct member_page {
  std::string title;
  blocks::link up;       ///< the list that this is one of; no text: it is in the navigation itself
  blocks::badge state;   ///< beside the title; no text: none
  std::vector<blocks::section> sections;
};
response member_response(const member_frame& frame, const member_page& page,
                         const page_policy& policy = {"'self'", {}});

}  // namespace gateway::http
