// Sends the console's commands through the operator socket's routes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "console_person.hpp"
#include "http/fwd.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {

/// A form that a signed-in operator has posted from the console.
struct console_post {
  console_person who;
  form sent;
};
using console_post_found = std::variant<console_post, response>;
/// The post, or the answer to send instead.
boost::asio::awaitable<console_post_found> admit_console_form(call& c);

/// Executes the command under the operator's name. `path` is a literal.
boost::asio::awaitable<response> send_console_command(call& c, std::string name, std::string_view path,
                                                      std::string body);

/// The message in an error's body.
std::string words_of_error(const response& failed, std::size_t json_depth);

}  // namespace gateway::http
