// The operator socket's routes for backups.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// Answers which file gatewayctl must copy, and records the start in the audit log. If the store is a database server,
/// the answer is an error that names the command to run on the server.
boost::asio::awaitable<response> prepare_backup(call& c);
/// Records a finished backup in the audit log, with its time.
boost::asio::awaitable<response> note_backup(call& c);

}  // namespace gateway::http
