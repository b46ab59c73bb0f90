// Traces: a caller's trace continues through nodes to the provider and appears in the log, and a collector receives
// connected spans. Nothing depends on the collector.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "cluster.hpp"
#include "stripe_fixture.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// A caller's trace, and the header that carries it.
struct caller {
  std::string trace = random_hex(16);
  std::string span = random_hex(8);

  std::string header(const std::string& flags = "01") const { return "00-" + trace + '-' + span + '-' + flags; }
  call asking(const std::string& flags = "01") const {
    call how;
    how.headers = {{"traceparent", header(flags)}};
    return how;
  }
};

struct exported_span {
  json what;
  std::string node;  ///< service.instance.id

  std::string name() const { return what["name"].text(); }
  std::string id() const { return what["spanId"].text(); }
  std::string parent() const { return what["parentSpanId"].text(); }
  /// The value of an attribute of any type; empty if there is none.
  std::string attribute(const std::string& name) const { return attribute_of(what, name); }

  static std::string attribute_of(const json& of, const std::string& name) {
    for (const auto& each : of["attributes"].items()) {
      if (each["key"] != name) continue;
      const auto value = each["value"];
      return value["stringValue"].present() ? value["stringValue"].text() : value["intValue"].text();
    }
    return {};
  }
};

constexpr auto traces_path = "/v1/traces";

/// All spans of a trace that have arrived.
std::vector<exported_span> spans_of(const webhook_receiver& collector, const std::string& trace) {
  std::vector<exported_span> found;
  for (const auto& post : collector.posts(traces_path))
    for (const auto& of : post.envelope()["resourceSpans"].items())
      for (const auto& scope : of["scopeSpans"].items())
        for (const auto& one : scope["spans"].items())
          if (one["traceId"] == trace)
            found.push_back({one, exported_span::attribute_of(of["resource"], "service.instance.id")});
  return found;
}

/// Waits until the trace has spans of these names.
std::vector<exported_span> wait_for_spans(const webhook_receiver& collector, const std::string& trace,
                                          std::vector<std::string> names) {
  std::ranges::sort(names);
  std::vector<exported_span> spans;
  std::vector<std::string> seen;
  eventually([&] {
    spans = spans_of(collector, trace);
    seen.clear();
    for (const auto& one : spans) seen.push_back(one.name());
    std::ranges::sort(seen);
    return seen == names;
  });
  CHECK(seen == names);
  return spans;
}

const exported_span& named(const std::vector<exported_span>& spans, const std::string& name) {
  const auto at = std::ranges::find_if(spans, [&](const exported_span& one) { return one.name() == name; });
  REQUIRE(at != spans.end());
  return *at;
}

std::vector<std::string> tracing_to(const webhook_receiver& collector, const std::string& one_in) {
  return {"--tracing-endpoint=" + collector.url(traces_path), "--tracing-one-in=" + one_in};
}

/// The log line of that event for the request.
json logged(const gateway_process& gateway, const std::string& event, const std::string& request_id) {
  json found;
  eventually([&] {
    for (const auto& line : lines_of(gateway.log())) {
      if (line.find(request_id) == std::string::npos) continue;
      const auto entry = json::parse(line);
      if (entry["event"] == event) found = entry;
    }
    return found.present();
  });
  return found;
}

std::vector<std::string> traceparents_at(const stripe_process& stripe) {
  std::vector<std::string> all;
  for (const auto& one : stripe.reported("requests")["traceparents"].items()) all.push_back(one.text());
  return all;
}

}  // namespace

TEST_CASE(
    "tracing: a payment's spans are one tree in its caller's trace, with the provider's span as the last branch") {
  webhook_receiver collector;
  stripe_stage stage{GENERATE(from_range(stores())), tracing_to(collector, "0")};
  stripe_shop s{stage};
  const caller by;
  const auto id = new_payment_id();
  const auto answer = s.merchant.create(stripe_payment(id), by.asking());
  REQUIRE(summary_of(answer) == "200 authorized");

  const std::string request = "POST /v1/payment_intents";
  const auto spans = wait_for_spans(collector, by.trace, {request, "wait", "begin", "provider", "finish"});
  const auto& root = named(spans, request);
  CHECK(root.parent() == by.span);
  CHECK(root.what["kind"] == 2);
  CHECK(root.attribute("http.route") == "/v1/payment_intents");
  CHECK(root.attribute("http.response.status_code") == "200");
  CHECK(root.attribute("gateway.request_id") == answer.header("Request-Id").value_or("none"));
  const auto begun = std::stoll(root.what["startTimeUnixNano"].text());
  const auto ended = std::stoll(root.what["endTimeUnixNano"].text());
  std::set<std::string> ids;
  for (const auto& one : spans) {
    CAPTURE(one.name());
    ids.insert(one.id());
    CHECK_FALSE(one.what["status"].present());
    if (one.id() == root.id()) continue;
    CHECK(one.parent() == root.id());
    CHECK(one.attribute("gateway.payment_id") == id);
    CHECK(one.attribute("gateway.merchant_id") == s.account.id);
    // Both times are of this machine's clock, read a moment apart.
    CHECK(std::stoll(one.what["startTimeUnixNano"].text()) >= begun - 1'000'000);
    CHECK(std::stoll(one.what["endTimeUnixNano"].text()) <= ended + 1'000'000);
  }
  CHECK(ids.size() == spans.size());
  const auto& provider = named(spans, "provider");
  CHECK(provider.what["kind"] == 3);
  CHECK(provider.attribute("gateway.provider") == "stripe");
  CHECK(provider.attribute("gateway.outcome") == "approved");
  const auto at_stripe = traceparents_at(stage.stripe);
  REQUIRE_FALSE(at_stripe.empty());
  for (const auto& one : at_stripe) CHECK(one == "00-" + by.trace + '-' + provider.id() + "-01");
  CHECK(logged(stage.gateway, "request", answer.header("Request-Id").value_or("none"))["trace_id"] == by.trace);
  // Spans contain no data of the customer, of the money, or of secrets.
  const std::set<std::string> allowed{"http.request.method",    "http.route",       "http.response.status_code",
                                      "gateway.request_id",     "gateway.entity",   "gateway.merchant_id",
                                      "gateway.payment_id",     "gateway.provider", "gateway.operation",
                                      "gateway.error_category", "gateway.outcome"};
  for (const auto& one : spans)
    for (const auto& each : one.what["attributes"].items()) CHECK(allowed.contains(each["key"].text()));
}

TEST_CASE("tracing: a delivery is part of the trace that caused it") {
  webhook_receiver collector;
  gateway_options options;
  options.arguments = tracing_to(collector, "0");
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  set_destination(gateway, account, collector.url("/hooks"));
  api merchant{gateway, account.test};
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(id))) == "200 authorized");
  const caller by;
  REQUIRE(summary_of(merchant.post(api::path(id, "/capture"), {}, by.asking())) == "200 captured");
  REQUIRE(collector.comes_to(1, "/hooks"));
  const std::string request = "POST /v1/payment_intents/{id}/capture";
  const auto spans = wait_for_spans(collector, by.trace, {request, "wait", "begin", "provider", "finish", "delivery"});
  const auto& delivery = named(spans, "delivery");
  CHECK(delivery.parent() == named(spans, request).id());
  CHECK(delivery.attribute("gateway.event_type") == "payment.captured");
  CHECK(delivery.attribute("gateway.outcome") == "delivered");
  // The request before had no trace, and the gateway started none for it.
  CHECK(collector.posts(traces_path).front().body.find("\"POST /v1/payment_intents\"") == std::string::npos);
  // A caller that does not record its trace does not request recording.
  const caller unsampled;
  REQUIRE(summary_of(merchant.post(api::path(id, "/refund"), {}, unsampled.asking("00"))) == "200 refunded");
  const caller last;
  REQUIRE(merchant.get(api::path(id), last.asking()).status == 200);
  REQUIRE(eventually([&] { return !spans_of(collector, last.trace).empty(); }));
  named(spans_of(collector, last.trace), "GET /v1/payment_intents/{id}");
  CHECK(spans_of(collector, unsampled.trace).empty());
}

TEST_CASE("tracing, off: a caller's trace is passed to the provider unchanged, and its id is in the log") {
  stripe_shop s{shared_stripe(store_kind::sqlite)};
  const caller by;
  const auto flags = GENERATE(as<std::string>{}, "01", "00");
  const auto answer = s.merchant.create(stripe_payment(new_payment_id()), by.asking(flags));
  REQUIRE(summary_of(answer) == "200 authorized");
  const auto at_stripe = traceparents_at(s.on.stripe);
  CHECK(std::ranges::count(at_stripe, by.header(flags)) > 0);
  for (const auto& one : at_stripe)
    if (one.find(by.trace) != std::string::npos) CHECK(one == by.header(flags));
  CHECK(logged(s.on.gateway, "request", answer.header("Request-Id").value_or("none"))["trace_id"] == by.trace);

  const auto before = at_stripe.size();
  for (const auto* header : {"", "00-", "00-00000000000000000000000000000000-0000000000000000-01"}) {
    call how;
    how.headers = {{"traceparent", header}};
    const auto plain = s.merchant.create(stripe_payment(new_payment_id()), how);
    CHECK(summary_of(plain) == "200 authorized");
    const auto line = logged(s.on.gateway, "request", plain.header("Request-Id").value_or("none"));
    CHECK(line.present());
    CHECK_FALSE(line["trace_id"].present());
  }
  CHECK(traceparents_at(s.on.stripe).size() == before);
}

TEST_CASE("tracing: a collector that refuses spans or does not answer does not affect payments") {
  webhook_receiver collector;
  const bool hangs = GENERATE(false, true);
  CAPTURE(hangs);
  webhook_answer answer{400};
  if (hangs) answer.how = webhook_answer::ending::hang;
  collector.answers(traces_path, answer);
  gateway_options options;
  options.operator_listener = true;
  options.arguments = tracing_to(collector, "1");
  gateway_process gateway{options};
  api merchant{gateway, new_merchant(gateway).test};
  gateway_process untraced{gateway_options{}};
  api usual{untraced, new_merchant(untraced).test};
  const auto twenty = [](api& of) {
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) REQUIRE(summary_of(of.create(server_payment(new_payment_id()))) == "200 authorized");
    return std::chrono::steady_clock::now() - begun;
  };
  CHECK(twenty(merchant) < 10s + 10 * twenty(usual));
  REQUIRE(collector.comes_to(1, traces_path));
  if (!hangs) CHECK(eventually([&] { return sample_of(gateway, "gateway_trace_spans_dropped_total") >= 100; }));
  CHECK(sample_of(gateway, "gateway_trace_spans_exported_total") == 0);
  // The gateway's end does not wait for the collector either.
  CHECK(gateway.terminate() == exit_result{0, 0});
}

TEST_CASE("tracing: queued spans reach the collector when the gateway ends in order") {
  webhook_receiver collector;
  gateway_options options;
  options.arguments = tracing_to(collector, "0");
  gateway_process gateway{options};
  api merchant{gateway, new_merchant(gateway).test};
  const caller by;
  REQUIRE(summary_of(merchant.create(server_payment(new_payment_id()), by.asking())) == "200 authorized");
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  CHECK(spans_of(collector, by.trace).size() == 5);
}

TEST_CASE("tracing: a request that another node serves is one trace of both nodes") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  webhook_receiver collector;
  cluster_options options;
  options.arguments = tracing_to(collector, "0");
  cluster nodes{2, options};
  const auto shop = new_merchant(nodes[0]);
  api merchant{nodes[0], shop.test};
  std::set<std::string> served_by;
  // Each node owns half of all payments.
  for (int i = 0; i < 40 && served_by.size() < 2; ++i) {
    const caller by;
    const auto answer = merchant.create(server_payment(new_payment_id()), by.asking());
    REQUIRE(summary_of(answer) == "200 authorized");
    const std::string request = "POST /v1/payment_intents";
    const auto spans = wait_for_spans(collector, by.trace, {request, "wait", "begin", "provider", "finish"});
    const auto& root = named(spans, request);
    CHECK(root.node == "n1");
    const auto owner = named(spans, "wait").node;
    served_by.insert(owner);
    for (const auto& one : spans)
      if (one.id() != root.id()) {
        CHECK(one.parent() == root.id());
        CHECK(one.node == owner);
      }
    if (owner != "n2") continue;
    const auto taken = logged(nodes[1], "node.request_taken", answer.header("Request-Id").value_or("none"));
    CHECK(taken["trace_id"] == by.trace);
  }
  CHECK(served_by == std::set<std::string>{"n1", "n2"});
}
