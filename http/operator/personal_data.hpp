// The operator socket's routes that export and erase the personal data of a payment, or of a platform's customer.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

boost::asio::awaitable<response> export_personal_data(call& c);
/// Refuses, and changes nothing, while a payment or subscription still needs its data. Safe to repeat.
boost::asio::awaitable<response> erase_personal_data(call& c);

}  // namespace gateway::http
