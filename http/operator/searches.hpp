// One search over everything that operators look for, for gatewayctl and the console.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

inline constexpr std::size_t most_search_results = 50;
inline constexpr std::size_t longest_search = 255;

/// One match, without secrets.
struct search_result {
  std::string kind;      ///< merchant, platform, key, user, destination, payment, …
  std::string id;
  std::string merchant;  ///< empty: none
  std::string mode;      ///< empty: none
  std::string text;      ///< a description

  bool operator==(const search_result&) const = default;
};

struct search_results {
  std::vector<search_result> found;  ///< matches of the id first, then matches of the text in a name or address
  bool incomplete = false;           ///< the store did not answer every question
};

/// Finds by names, e-mail addresses, ids (of payments in every merchant), providers' references, request ids and event
/// ids. Names and addresses match in part and without case; ids and references must be equal.
boost::asio::awaitable<search_results> search_everything(worker& here, std::string text);

/// `{"results":[{"kind","id","merchant_id","mode","text"}]}`.
boost::asio::awaitable<response> search_by_operator(call& c);

}  // namespace gateway::http
