// The page of one destination. Its actions show it again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "gateway/directory/commands.hpp"
#include "http/fwd.hpp"
#include "http/html/blocks.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The contents and faults of a refused form. Absent contents are shown as stored.
struct destination_slips {
  std::optional<std::vector<std::string>> events{};
  std::string events_fault{};
  field reason{};
  std::optional<field> url{};
  std::optional<field> name{};
  std::string fault{};  ///< a fault of a button without fields
};

boost::asio::awaitable<response> destination_screen(call& c, destination_slips slips);
boost::asio::awaitable<response> destination_refused(call& c, destination_slips slips);
/// Executes the command, then shows the page again.
boost::asio::awaitable<response> change_destination(call& c, operator_command wanted, std::string_view verb);

}  // namespace gateway::http
