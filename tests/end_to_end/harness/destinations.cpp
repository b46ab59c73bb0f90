#include "destinations.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gateway::e2e {

namespace {

webhook_destination set_owned(const gateway_process& gateway, const std::vector<std::string>& owner,
                              const std::string& url, const std::string& mode, const std::string& events) {
  std::vector<std::string> words{"destination", "set", "--mode", mode, "--url", url};
  words.insert(words.end(), owner.begin(), owner.end());
  if (!events.empty()) words.insert(words.end(), {"--events", events});
  const auto made = gateway.ctl(words);
  return {made["destination_id"].text(), made["secret"].text(), target_of_url(url)};
}

/// The event type under the destination's name for it.
std::string type_for(const arrivals& to, const std::string& type) {
  return to.platform && type == "payment.captured" ? "payment.succeeded" : type;
}

}  // namespace

webhook_destination set_destination(const gateway_process& gateway, const merchant_account& merchant,
                                    const std::string& url, const std::string& mode, const std::string& events) {
  return set_owned(gateway, {"--merchant", merchant.id}, url, mode, events);
}

webhook_destination set_destination(const gateway_process& gateway, const platform_account& platform,
                                    const std::string& url, const std::string& mode, const std::string& events) {
  return set_owned(gateway, {"--platform", platform.id}, url, mode, events);
}

json shown_destination(const gateway_process& gateway, const std::string& destination) {
  const auto all = gateway.ctl({"destination", "list"});
  for (const auto& each : all["destinations"].items())
    if (each["id"] == destination) return each;
  return {};
}

std::vector<json> deliveries_to(const gateway_process& gateway, const std::string& destination,
                                const std::string& status) {
  std::vector<std::string> words{"delivery", "list", "--limit", "1000", "--destination", destination};
  if (!status.empty()) words.insert(words.end(), {"--status", status});
  return gateway.ctl(words)["deliveries"].items();
}

bool deliveries_come_to(const gateway_process& gateway, const std::string& destination, const std::string& status,
                        std::size_t count, std::chrono::milliseconds within) {
  return eventually([&] { return deliveries_to(gateway, destination, status).size() == count; }, within);
}

void turn_into_platform(gateway_process& gateway, const std::string& destination) {
  gateway.kill();
  gateway.sql("UPDATE destinations SET kind = 'platform' WHERE destination_id = '" + destination + "';");
  gateway.start();
}

std::vector<std::string> left_undelivered(const gateway_process& gateway, const merchant_account& merchant,
                                          std::chrono::seconds within) {
  const auto query =
      "SELECT delivery_id, destination_id, status, attempts, next_attempt_at, last_result FROM deliveries"
      " WHERE merchant_id = '" +
      merchant.id + "' AND status <> 'delivered' LIMIT 20;";
  std::vector<std::string> left;
  const auto deadline = std::chrono::steady_clock::now() + within;
  do {
    left = lines_of(gateway.sql(query));
    if (left.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  } while (std::chrono::steady_clock::now() < deadline);
  return left;
}

delivery_audit audit_deliveries(const gateway_process& gateway, const merchant_account& merchant,
                                const std::string& mode, const std::vector<arrivals>& all) {
  delivery_audit found;
  const auto fault = [&](const std::string& where, const std::string& what) {
    if (found.broken.size() < 50) found.broken.push_back(where + ": " + what);
  };
  const auto of_merchant = " WHERE merchant_id = '" + merchant.id + "' AND environment = '" + mode + "'";

  struct event {
    std::string id, type, payment;
  };
  std::map<std::string, event> events;  // by payment and seq
  for (const auto& row :
       lines_of(gateway.sql("SELECT subject_id, seq, event_id, type FROM events" + of_merchant + ";"))) {
    const auto columns = columns_of(row);
    events[columns.at(0) + '#' + columns.at(1)] = {columns.at(2), columns.at(3), columns.at(0)};
  }
  found.events = events.size();

  struct delivery {
    std::string number, event, status, attempts;
  };
  std::map<std::string, std::vector<delivery>> deliveries;  // by destination
  for (const auto& row :
       lines_of(gateway.sql("SELECT destination_id, delivery_id, subject_id, event_seq, status, attempts"
                            " FROM deliveries" +
                            of_merchant + ";"))) {
    const auto columns = columns_of(row);
    deliveries[columns.at(0)].push_back(
        {columns.at(1), columns.at(2) + '#' + columns.at(3), columns.at(4), columns.at(5)});
  }

  for (const auto& each : all) {
    std::map<std::string, const delivery*> by_number;
    std::map<std::string, std::size_t> of_event;
    for (const auto& row : deliveries[each.to.id]) {
      const auto where = "delivery " + row.number;
      if (row.status != "delivered") fault(where, "is " + row.status + " after " + row.attempts + " attempts");
      if (!events.contains(row.event)) fault(where, "is of an event that is not there: " + row.event);
      if (!by_number.emplace(row.number, &row).second) fault(where, "is there twice");
      of_event[row.event] += 1;
    }
    for (const auto& [key, wanted] : events)
      if (wanted.type != "payment.voided" && of_event[key] != 1)
        fault(wanted.payment, wanted.type + " has " + std::to_string(of_event[key]) + " deliveries to " + each.to.id);

    std::map<std::string, std::string> bodies;  // by delivery number
    for (const auto& post : each.at.posts(each.to.path)) {
      found.posts += 1;
      const auto number = post.delivery();
      const auto where = "post of delivery " + number;
      const auto [first, fresh] = bodies.emplace(number, post.body);
      if (!fresh) found.repeats += 1;
      if (!fresh && first->second != post.body)
        fault(where, "repeats with another body: " + first->second + " and " + post.body);
      if (const auto wrong = signature_fault(post, each.to.secret); !wrong.empty()) fault(where, wrong);
      if (!fresh) continue;
      const auto row = by_number.find(number);
      if (row == by_number.end()) {
        fault(where, "is no delivery to " + each.to.id + ": " + post.body);
        continue;
      }
      const auto wanted = events.find(row->second->event);
      if (wanted == events.end()) continue;
      const auto envelope = post.envelope();
      if (!(envelope["id"] == wanted->second.id && envelope["type"] == type_for(each, wanted->second.type) &&
            envelope["data.payment_id"] == wanted->second.payment && envelope["merchant.id"] == merchant.id))
        fault(where,
              "tells of another event than " + wanted->second.id + ", " + wanted->second.type + ": " + post.body);
    }
    for (const auto& [number, row] : by_number)
      if (!bodies.contains(number)) fault("delivery " + number, "of " + row->event + " never arrived");
  }
  return found;
}

}  // namespace gateway::e2e
