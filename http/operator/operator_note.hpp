// The entries that operators' commands leave on the audit log.
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

/// How entries name an operator.
user_id operator_as_actor(std::string_view name);

/// What an operator did. Commit it together with the change, or before it where the change has no commit of its own.
/// `subject` is cut to what an entry holds. The operator is the Unix user at the other end of the socket.
save_audit note_of_operator(const call& c, std::string_view action, std::string_view subject, merchant_id merchant = {},
                            std::optional<environment> env = {});

/// The entry of a command to the directory, which adds what was before and what is after.
save_audit note_of_command(const call& c, const operator_command& wanted);

/// Commits the entry of a change that has no commit of its own, with a fact that it states. Returns the refusal if that
/// failed; the change must not follow then.
boost::asio::awaitable<std::optional<response>> commit_note(call& c, save_audit note,
                                                            std::optional<save_fact> fact = std::nullopt);

}  // namespace gateway::http
