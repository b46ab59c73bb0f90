// The page that asks before an action that cannot be undone. Its form repeats the action, with a hidden field
// `confirm` whose token is valid for one session, page, verb and object. The gateway stores nothing.
//
//   if (!is_confirmed(c, "revoke", id)) return confirmation_page(c, {.verb = "revoke", .object = id, …});
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/fwd.hpp"
#include "http/message.hpp"
#include "member_frame.hpp"

namespace gateway::http {

struct confirmation {
  member_place at = member_place::overview;
  std::string verb{};         ///< the `action` of the button that led here, and of this page's button
  std::string object{};       ///< the id of what the action changes
  std::string title{};        ///< the question, such as "Revoke this key?"
  std::string consequence{};  ///< what the action causes, in a sentence or two
  std::string label{};        ///< of the button that acts
  blocks::link back{};        ///< the link to leave without acting
  std::vector<hidden_field> hidden{};  ///< the other fields of the post, which the handler reads again
  blocks::facts shown{};               ///< what the action is about: names, ids, a typed reason
};

/// Whether the visit's form has this confirmation's token.
bool is_confirmed(const call& c, std::string_view verb, std::string_view object);
/// The page that asks, with status 200. Also the answer to a form whose token is missing or wrong.
response confirmation_page(const call& c, const confirmation& what);

}  // namespace gateway::http
