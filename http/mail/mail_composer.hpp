// Composes the gateway's mails.
#pragma once

#include <memory>
#include <string>

#include "gateway/ports/mail.hpp"
#include "mail_texts.hpp"

namespace gateway::http {

/// `from`: a mailbox, `Name <address>` or an address.
std::unique_ptr<mail_composer> make_mail_composer(std::string from, mail_addresses known);

}  // namespace gateway::http
