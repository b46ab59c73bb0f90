#include "control.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

namespace gateway::jazzcash_stand_in {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 6> faults{"error_500", "cut", "slow", "garbage", "wrong_hash", "other_amount"};
constexpr std::string_view notification_prefix = "/control/notification/", reverse_prefix = "/control/reverse/";

answer as_json(int status, const std::string& body) { return answer_of(status, "application/json", body); }

}  // namespace

answer control::inquire(const request& asked) {
  ++inquiries_;
  const auto fault = next_ > 0 ? fault_ : std::string{};
  if (next_ > 0) --next_;
  auto reported = pages_.inquire(asked);
  if (fault == "other_amount") reported["pp_Amount"] = std::string{"1"};
  auto out = as_json(200, json_of(hashed(reported, fault == "wrong_hash" ? "another salt" : pages_.who().salt)));
  if (fault == "error_500") out = answer_of(500, "text/plain", "out of order");
  if (fault == "garbage") out = answer_of(200, "text/html", "<html><body>Request Rejected</body></html>");
  if (fault == "cut") out.closes = true;
  if (fault == "slow") out.after = wait_;
  return out;
}

answer control::serve(const request& asked) {
  if (asked.method == "GET" && asked.path == "/control/requests")
    return as_json(200, json::serialize(json::object{{"inquiries", inquiries_}}));
  if (asked.method == "GET" && asked.path.starts_with(notification_prefix)) {
    const auto reported = pages_.notification_of(asked.path.substr(notification_prefix.size()));
    return reported ? as_json(200, json_of(*reported)) : as_json(404, "{}");
  }
  if (asked.method == "POST" && asked.path.starts_with(reverse_prefix))
    return as_json(pages_.reverse(asked.path.substr(reverse_prefix.size())) ? 200 : 409, "{}");
  if (asked.method != "POST" || asked.path != "/control") return as_json(404, "{}");
  json::error_code failed;
  const auto value = json::parse(asked.body, failed);
  if (failed || !value.is_object()) return as_json(400, "{}");
  const auto& wanted = value.get_object();
  const auto number = [&](const char* name) {
    const auto* found = wanted.if_contains(name);
    return found && found->is_int64() ? found->get_int64() : 0;
  };
  const auto* fault = wanted.if_contains("fault");
  if (!fault || !fault->is_string()) return as_json(400, "{}");
  const std::string name{fault->get_string()};
  if (!name.empty() && std::ranges::find(faults, name) == faults.end()) return as_json(400, "{}");
  fault_ = name;
  next_ = name.empty() ? 0 : number("next");
  wait_ = std::chrono::milliseconds{number("ms")};
  return as_json(200, "{}");
}

}  // namespace gateway::jazzcash_stand_in
