// What the lists of the interface have in common: the position that `after` names, and the cursor that leads there.
#pragma once

#include <optional>

#include "http/access/list_cursor.hpp"
#include "http/codec/decoded.hpp"
#include "http/codec/list_query.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// The cursors of a list whose answers depend on the merchant and the environment.
cursor_scope cursors_of_merchant(const call& c, std::string_view list) noexcept;
/// The cursors of a list that differs between platforms.
cursor_scope cursors_of_platform(const call& c, std::string_view list) noexcept;

/// Where the query continues: nothing at the beginning of the list. A cursor that is forged or of another scope is
/// rejected.
decoded<std::optional<timed_position>> position_after(const call& c, const cursor_scope& of, const list_query& query);

}  // namespace gateway::http
