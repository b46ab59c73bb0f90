// Questions about personal data outside of an entity's row, its timeline and its deliveries.
#pragma once

#include <string>
#include <vector>

#include "gateway/ports/store/command_rows.hpp"
#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// The commands for an entity, and the providers' notifications about it: those that name it as their subject, and
/// those whose body contains the provider's reference of it. Reads all commands of the merchant in the environment, and
/// all notifications of the environment. There is no index for this, because no request needs it.
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
