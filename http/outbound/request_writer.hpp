// Serialises a request. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "destination_url.hpp"
#include "gateway/ports/http_client.hpp"

namespace gateway::http {

/// False if a header contains a line end, or determines the request's host, target or length.
bool can_be_sent(const std::vector<std::pair<std::string, std::string>>& headers) noexcept;

/// Appends headers as lines. They must pass can_be_sent().
void append_headers(std::string& out, const std::vector<std::pair<std::string, std::string>>& headers);

/// `first_headers` are lines already. The request's own headers must pass can_be_sent().
std::string write_request(const destination_url& url, std::string_view first_headers, const http_request& what);

}  // namespace gateway::http
