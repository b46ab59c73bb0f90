// The audit entries of operators' commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "gateway/messages/actors.hpp"
#include "gateway/ports/store/witness_rows.hpp"
#include "http/fwd.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The actor in an operator's entries.
user_id operator_as_actor(std::string_view name);

/// The audit entry of an operator's action. Commit it with the change, or before it if the change has no commit of its
/// own. `subject` is cut to the length that an entry holds. The operator is operator_name().
save_audit note_of_operator(const call& c, std::string_view action, std::string_view subject, merchant_id merchant = {},
                            std::optional<environment> env = {});

/// The entry of a command to the directory, which adds the states before and after.
save_audit note_of_command(const call& c, const operator_command& wanted);

/// Commits the entry, and a fact if one is given, before a change that has no commit of its own. Returns the refusal if
/// this fails; then do not make the change.
boost::asio::awaitable<std::optional<response>> commit_note(call& c, save_audit note,
                                                            std::optional<save_fact> fact = std::nullopt);

}  // namespace gateway::http
