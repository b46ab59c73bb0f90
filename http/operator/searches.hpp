// One search over everything that operators look for, for gatewayctl and for the console.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

inline constexpr std::size_t most_search_results = 50;
inline constexpr std::size_t longest_search = 255;

/// Something that was found. No secret is in it.
struct search_result {
  std::string kind;      ///< merchant, platform, key, user, destination, payment, …
  std::string id;
  std::string merchant;  ///< empty: it belongs to none
  std::string mode;      ///< empty: it belongs to none
  std::string text;      ///< what it is, for people

  bool operator==(const search_result&) const = default;
};

struct search_results {
  std::vector<search_result> found;  ///< what has this id first, then what has the text in its name or address
  bool incomplete = false;           ///< the store did not answer every question
};

/// Finds by names, e-mail addresses, ids (of payments in every merchant), providers' references, requests' ids and
/// events' ids. Names and addresses are compared by a part and without case; ids and references as a whole.
boost::asio::awaitable<search_results> search_everything(worker& here, std::string text);

/// `{"results":[{"kind","id","merchant_id","mode","text"}]}`.
boost::asio::awaitable<response> search_by_operator(call& c);

}  // namespace gateway::http
