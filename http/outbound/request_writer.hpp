// A request to its bytes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "destination_url.hpp"
#include "gateway/http_client.hpp"

namespace gateway::http {

/// False: one of them would end its line, or say where the request goes or ends.
bool can_be_sent(const std::vector<std::pair<std::string, std::string>>& headers) noexcept;

/// As lines of a request. They can be sent.
void append_headers(std::string& out, const std::vector<std::pair<std::string, std::string>>& headers);

/// `first_headers` are lines already. The request's own can be sent.
std::string write_request(const destination_url& url, std::string_view first_headers, const http_request& what);

}  // namespace gateway::http
