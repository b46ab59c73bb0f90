#include "operator_calls.hpp"

#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "output.hpp"

namespace gateway::load {

boost::json::object post_to_operator(ctl::operator_connection& gateway, const char* path,
                                     const boost::json::object& body, std::initializer_list<const char*> members) {
  const auto answer = gateway.post(path, boost::json::serialize(body));
  if (answer.status != 200) throw std::runtime_error(ctl::message_of(answer.status, answer.body));
  boost::system::error_code failure;
  const auto parsed = boost::json::parse(answer.body, failure);
  if (failure || !parsed.is_object()) throw std::runtime_error("the gateway's answer is not a JSON object");
  for (const auto* member : members)
    if (const auto* value = parsed.get_object().if_contains(member); value == nullptr || !value->is_string())
      throw std::runtime_error(std::string{"the gateway's answer has no "} + member);
  return parsed.get_object();
}

std::string text_member(const boost::json::object& of, const char* member) {
  return std::string{of.at(member).get_string()};
}

}  // namespace gateway::load
