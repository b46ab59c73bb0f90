// The operator socket's route for backups.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Answers which file gatewayctl copies, and writes the backup on the audit log. Where the store is a server, says what
/// to run there instead.
boost::asio::awaitable<response> prepare_backup(call& c);
/// gatewayctl has made it: from now on the audit log has a backup.
boost::asio::awaitable<response> note_backup(call& c);

}  // namespace gateway::http
