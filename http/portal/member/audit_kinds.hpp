// The actions of the audit log in the words of the pages, and the kinds that an owner can filter by.
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
/// The words of the action's button, such as `Create key`, if they differ from the action's name.
std::string words_of_action(std::string_view action);

}  // namespace gateway::http
