#include "merchants.hpp"

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "operator_client.hpp"
#include "output.hpp"

namespace gateway::load {

namespace {

/// Half of what the gateway admits, so that other operators still reach it.
constexpr std::uint32_t most_connections = 32;

/// Posts to the operator socket and returns the answer, which has these text members. Throws if it does not.
boost::json::object ask(ctl::operator_connection& gateway, const char* path, const boost::json::object& body,
                        std::initializer_list<const char*> members) {
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

std::string text(const boost::json::object& of, const char* member) { return std::string{of.at(member).get_string()}; }

fresh_merchant make_merchant(ctl::operator_connection& gateway) {
  fresh_merchant made;
  const auto merchant =
      ask(gateway, "/operator/merchants", {{"name", "Load test"}, {"entity", "standard"}}, {"merchant_id"});
  made.merchant_id = text(merchant, "merchant_id");
  const auto key =
      ask(gateway, "/operator/keys", {{"merchant_id", made.merchant_id}, {"mode", "test"}}, {"key_id", "secret"});
  made.key = {text(key, "key_id"), text(key, "secret")};
  return made;
}

/// Makes merchants over several connections, each with a thread that waits for its answers. The first fault ends all.
class merchant_maker {
 public:
  merchant_maker(const std::filesystem::path& data_dir, std::uint32_t count,
                 const std::function<void(const fresh_merchant&)>& take)
      : data_dir_(data_dir), left_(count), take_(take) {}

  void run() {
    {
      std::vector<std::jthread> threads;
      for (auto n = std::min(left_, most_connections); n > 0; --n) threads.emplace_back([this] { work(); });
    }
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  void work() try {
    ctl::operator_connection gateway{data_dir_};
    while (take_one()) {
      const auto made = make_merchant(gateway);
      const std::scoped_lock lock{mutex_};
      take_(made);
    }
  } catch (...) {
    const std::scoped_lock lock{mutex_};
    if (!fault_) fault_ = std::current_exception();
  }

  bool take_one() {
    const std::scoped_lock lock{mutex_};
    if (fault_ || left_ == 0) return false;
    left_ -= 1;
    return true;
  }

  const std::filesystem::path& data_dir_;
  std::mutex mutex_;
  std::uint32_t left_;
  std::exception_ptr fault_;
  const std::function<void(const fresh_merchant&)>& take_;
};

}  // namespace

std::string find_address(const std::filesystem::path& data_dir) {
  ctl::operator_connection gateway{data_dir};
  auto url = text(ask(gateway, "/operator/address", {}, {"address"}), "address");
  // A gateway that listens on every address of the machine is reached on its loopback address.
  constexpr std::pair<std::string_view, std::string_view> loopback_of[] = {{"https://0.0.0.0:", "https://127.0.0.1:"},
                                                                           {"https://[::]:", "https://[::1]:"}};
  for (const auto& [any, loopback] : loopback_of)
    if (url.starts_with(any)) url.replace(0, any.size(), loopback);
  return url;
}

void make_merchants(const std::filesystem::path& data_dir, std::uint32_t count,
                    const std::function<void(const fresh_merchant&)>& take) {
  merchant_maker{data_dir, count, take}.run();
}

std::string make_destination(const std::filesystem::path& data_dir, const std::string& merchant_id,
                             const std::string& url) {
  const boost::json::object wanted{{"merchant_id", merchant_id}, {"mode", "test"}, {"url", url}};
  ctl::operator_connection gateway{data_dir};
  return text(ask(gateway, "/operator/destinations", wanted, {"secret"}), "secret");
}

}  // namespace gateway::load
