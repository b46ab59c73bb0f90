// Sends mails to the operator's mail server by SMTP, with libcurl.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "gateway/ports/mail.hpp"

namespace gateway::http {

struct smtp_options {
  std::string url;  ///< smtp:// or smtps://, with user and password if the server requires them
  std::filesystem::path ca_file;  ///< PEM: authorities that are trusted besides the system's; empty: none
};

/// The client's thread sends one mail after the other, each over a new connection and within a minute. An smtp://
/// connection is encrypted if the server offers STARTTLS. A password is sent unencrypted to a loopback address only.
/// The destructor stops the client. Throws std::runtime_error with one line if the URL cannot be used.
std::unique_ptr<mail_client> make_smtp_client(smtp_options options);

}  // namespace gateway::http
