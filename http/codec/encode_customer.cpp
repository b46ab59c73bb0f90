#include "encode_customer.hpp"

#include "json_writer.hpp"

namespace gateway::http {
namespace {

void append_customer(std::string& out, const customer& subject) {
  json_object object{out};
  object.text("customer_ref", subject.ref);
  object.text("platform_id", subject.platform.value);
  object.text("provider_customer_id", subject.provider_id);
  auto& methods = object.member("methods");
  methods += '[';
  for (std::size_t i = 0; i < subject.methods.size(); ++i) {
    if (i != 0) methods += ',';
    append_json_string(methods, subject.methods[i]);
  }
  methods += ']';
}

}  // namespace

std::string encode_customer(const customer& subject) {
  std::string out;
  {
    json_object body{out};
    body.text("customer_ref", subject.ref);
    body.text("provider_customer_id", subject.provider_id);
    body.text("merchant_id", subject.key.merchant.value);
  }
  return out;
}

std::string encode_customers(const std::vector<customer_ptr>& customers) {
  std::string out;
  {
    json_object body{out};
    auto& list = body.member("customers");
    list += '[';
    for (std::size_t i = 0; i < customers.size(); ++i) {
      if (i != 0) list += ',';
      append_customer(list, *customers[i]);
    }
    list += ']';
  }
  return out;
}

}  // namespace gateway::http
