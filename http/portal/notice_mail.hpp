// Mails that notify a person of a change to the account.
#pragma once

#include <string>

#include "gateway/ports/mail.hpp"
#include "gateway/ports/store/unit_of_work.hpp"
#include "http/call/call.hpp"

namespace gateway::http {

/// Queues the notice in the commit of the change. Does nothing if no mail is configured.
void add_notice(const call& c, unit_of_work& unit, mail_kind kind, const std::string& to);

}  // namespace gateway::http
