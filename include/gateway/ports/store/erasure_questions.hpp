// What holds personal data beside an entity's row, its timeline and its deliveries.
#pragma once

#include <string>
#include <vector>

#include "gateway/ports/store/command_rows.hpp"
#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// The commands for an entity, and the providers' notifications about it: those that say so, and those whose body
/// contains the provider's reference of it. Reads all commands of the merchant's environment, and all notifications of
/// the environment: no request path needs an index for it.
struct find_personal_texts {
  using answer = struct personal_texts;
  static constexpr auto reader = store_reader_kind::archive;

  entity_key of;
  std::string reference{};  ///< the provider's; empty: none
};

struct personal_texts {
  std::vector<command_record> commands;
  std::vector<notification_ptr> notifications;
};

}  // namespace gateway
