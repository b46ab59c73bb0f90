// The console's buttons. Each sends an operator's command, as gatewayctl does, and requires a permission.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console_permissions.hpp"
#include "http/html/blocks.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {

struct console_act {
  std::string_view action;
  std::string_view field;  ///< the form field with the subject
  std::string_view path;
  std::string_view member;  ///< the command's member for the subject
  std::string_view done;    ///< the message after success
  console_permission needs = console_permission::manage_operators;
  std::string_view status = {};  ///< the command's `status`; empty: none
  std::array<std::string_view, 4> copied = {};  ///< form fields that are copied to members of the same name
};

/// The act that the form asks for; null if there is none.
const console_act* act_of(const form& sent);
/// The body of the act's command.
std::string command_body(const console_act& what, const form& sent);

/// `ACTION-FIELD`: the act's name in the address of the page that shows its result.
std::string name_of_act(const console_act& what);
/// The message after success; empty if no act has the name.
std::string words_of_done_act(std::string_view name);

/// Removes the forms of acts that the role does not permit.
void leave_permitted(std::vector<blocks::section>& page, operator_role role);

}  // namespace gateway::http
