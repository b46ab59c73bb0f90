// Describes a browser in words, so that people recognise their sessions.
#pragma once

#include <string>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

/// `Firefox on Linux`, from a User-Agent header. Only one half if the other is unknown; empty if both are.
std::string browser_in_words(std::string_view user_agent);
/// The browser that sent the request.
std::string browser_of(const request& in);

}  // namespace gateway::http
