#include "merchants.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "operator_calls.hpp"
#include "operator_client.hpp"

namespace gateway::load {

namespace {

/// Half of the operators' connections that the gateway allows, so that other operators still reach it.
constexpr std::uint32_t most_connections = 32;

fresh_merchant make_merchant(ctl::operator_connection& gateway) {
  fresh_merchant made;
  const auto merchant = post_to_operator(gateway, "/operator/merchants",
                                         {{"name", "Load test"}, {"entity", "standard"}}, {"merchant_id"});
  made.merchant_id = text_member(merchant, "merchant_id");
  const auto key = post_to_operator(gateway, "/operator/keys", {{"merchant_id", made.merchant_id}, {"mode", "test"}},
                                    {"key_id", "secret"});
  made.key = {text_member(key, "key_id"), text_member(key, "secret")};
  return made;
}

/// Creates merchants over several connections, each with a thread that waits for its answers. The first fault ends all.
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
  auto url = text_member(post_to_operator(gateway, "/operator/address", {}, {"address"}), "address");
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
  return text_member(post_to_operator(gateway, "/operator/destinations", wanted, {"secret"}), "secret");
}

}  // namespace gateway::load
