// The page that asks before an action that cannot be taken back. Its form repeats the action, with a hidden field
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
  std::string verb{};         ///< the value of `action`, of the button that led here and of the page's own
  std::string object{};       ///< the id of what the action ends
  std::string title{};        ///< the question, such as "Revoke this key?"
  std::string consequence{};  ///< what happens then, in a sentence or two
  std::string label{};        ///< of the button that acts
  blocks::link back{};        ///< where to go instead
  std::vector<hidden_field> hidden{};  ///< the other fields of the post, which the handler reads again
  blocks::facts shown{};               ///< what the action is about: names, ids, a typed reason
};

/// Whether the visit's post has the token of the page that asks.
bool is_confirmed(const call& c, std::string_view verb, std::string_view object);
/// The page that asks; status 200. Also the answer to a post whose token is missing or wrong.
response confirmation_page(const call& c, const confirmation& what);

}  // namespace gateway::http
