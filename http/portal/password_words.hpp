// Messages for the fault of a new password.
#pragma once

#include <string_view>

#include "gateway/domain/person.hpp"

namespace gateway::http {

constexpr std::string_view message_of(password_fault fault) noexcept {
  switch (fault) {
    case password_fault::too_short: return "Use at least 12 characters.";
    case password_fault::too_long: return "Use fewer characters.";
    case password_fault::holds_nul: return "Use other characters.";
  }
  return {};
}

}  // namespace gateway::http
