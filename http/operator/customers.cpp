#include "customers.hpp"

#include "decode_lists.hpp"
#include "http/codec/encode_customer.hpp"
#include "list_of_merchant.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_customers(call& c) {
  return list_of_merchant(c, decode_find_customers(c.in.body, c.here.shared.config.http.json_depth),
                          [](const auto& found) { return encode_customers(found.customers); });
}

}  // namespace gateway::http
