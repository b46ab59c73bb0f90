// The actions of the audit log in the words of the pages, and the kinds of change that an owner can ask for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gateway::http {

struct audit_kind {
  std::string_view name;   ///< in the page's query
  std::string_view title;
};
std::span<const audit_kind> audit_kinds() noexcept;

/// The name of the action's kind. Each action has one.
std::string_view kind_of_action(std::string_view action) noexcept;
/// The words of the button that did it, such as `Create key`, where they are not the action's own.
std::string words_of_action(std::string_view action);

}  // namespace gateway::http
