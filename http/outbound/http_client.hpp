// HTTP clients: the composition root makes one for webhooks, and one for each provider.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "address_policy.hpp"
#include "gateway/ports/http_client.hpp"
#include "name_lookup.hpp"

namespace gateway::http {

struct http_client_options {
  std::string thread_name = "outbound";  ///< also in log lines; at most 15 bytes
  std::size_t most_connections = 64;     ///< open at once, including those kept between requests
  std::size_t most_under_way = 20'000;   ///< requests and checks; further ones fail at once
  std::chrono::milliseconds idle_kept{30'000};  ///< how long a connection is kept between two requests
  destination_rule destinations = destination_rule::public_only;
  std::vector<std::pair<std::string, std::string>> headers;  ///< added to each request before its own
  std::filesystem::path ca_file;  ///< PEM: authorities that are trusted besides the system's; empty: none
  resolve_function resolve = resolve_by_system;
};

/// The client has its own I/O thread, on which every `done` is called. Its destructor ends what is under way as
/// `stopping`, and returns when every `done` has been called, so it must not run on that thread. Throws
/// std::runtime_error with one line if the file of authorities or a header cannot be used. At the limit of connections,
/// the least recently used kept one is closed for a new one; if all are in use, a request waits for one, within its
/// connect timeout.
std::unique_ptr<http_client> make_http_client(http_client_options options);

}  // namespace gateway::http
