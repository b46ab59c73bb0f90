#include "encode_customer.hpp"

#include "encode_list.hpp"
#include "gateway/domain/time.hpp"
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

void append_listed_customer(std::string& out, const customer& subject) {
  json_object object{out};
  object.text("customer_ref", subject.ref);
  object.text("provider_customer_id", subject.provider_id);
  object.text("merchant_id", subject.key.merchant.value);
  auto& methods = object.member("methods");
  methods += '[';
  for (auto each = subject.methods.rbegin(); each != subject.methods.rend(); ++each) {
    if (methods.back() != '[') methods += ',';
    json_object method{methods};
    method.text("payment_method_id", *each);
    if (const auto saved = subject.saved_at.find(*each); saved != subject.saved_at.end())
      method.text("saved_at", format_seconds(saved->second));
  }
  methods += ']';
}

}  // namespace

std::string encode_customer_list(const std::vector<customer_ptr>& customers, std::string_view next) {
  return encode_list("customers", customers, next,
                     [](std::string& out, const customer_ptr& each) { append_listed_customer(out, *each); });
}

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
