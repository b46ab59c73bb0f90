#include "name_lookup.hpp"

#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include <boost/asio/ip/tcp.hpp>

namespace gateway::http {

namespace ip = boost::asio::ip;
using clock = std::chrono::steady_clock;

namespace {

constexpr auto answer_kept = std::chrono::seconds{30};
constexpr auto answer_usable = std::chrono::minutes{10};  ///< while it is looked up anew: a name server may be away
constexpr auto failure_kept = std::chrono::seconds{1};
constexpr auto failure_kept_longest = std::chrono::seconds{60};
constexpr std::size_t most_kept = 10'000;    ///< names
constexpr std::size_t most_waiting = 10'000; ///< names that wait for a thread
constexpr std::size_t most_addresses = 16;

}  // namespace

found_addresses resolve_by_system(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (const int fault = ::getaddrinfo(name.c_str(), nullptr, &wanted, &first); fault != 0)
    return {{}, ::gai_strerror(fault)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list{first, ::freeaddrinfo};
  found_addresses found;
  for (const auto* at = first; at != nullptr && found.addresses.size() < most_addresses; at = at->ai_next) {
    ip::tcp::endpoint endpoint;
    if (at->ai_addrlen > endpoint.capacity()) continue;
    std::copy_n(reinterpret_cast<const char*>(at->ai_addr), at->ai_addrlen, reinterpret_cast<char*>(endpoint.data()));
    endpoint.resize(at->ai_addrlen);
    const auto address = endpoint.address();
    if (std::ranges::find(found.addresses, address) == found.addresses.end()) found.addresses.push_back(address);
  }
  if (found.addresses.empty()) found.why = "no address";
  return found;
}

struct name_lookup::shared {
  explicit shared(resolve_function function) : resolve(std::move(function)) {}

  struct kept {
    found_addresses found;
    clock::time_point until;
    clock::time_point usable_until{};
  };

  const resolve_function resolve;
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;
  unsigned threads = 0;
  unsigned idle = 0;
  std::deque<std::string> queue;
  std::unordered_map<std::string, std::vector<callback>> waiting;  ///< of names that are queued or being looked up
  std::unordered_map<std::string, kept> known;

  /// A failure is remembered for as long as it took to get: a dead name server shall not keep all threads busy.
  void keep(const std::string& name, const found_addresses& found, clock::duration took) {
    const auto now = clock::now();
    if (known.size() >= most_kept) std::erase_if(known, [&](const auto& entry) { return entry.second.until <= now; });
    if (known.size() >= most_kept) known.clear();
    if (!found.addresses.empty()) {
      known[name] = {found, now + answer_kept, now + answer_usable};
      return;
    }
    const auto again_at = now + std::clamp<clock::duration>(took, failure_kept, failure_kept_longest);
    if (const auto at = known.find(name); at != known.end() && at->second.usable_until > now) {
      at->second.until = again_at;
    } else {
      known[name] = {found, again_at};
    }
  }
};

name_lookup::name_lookup(resolve_function resolve) : state_(std::make_shared<shared>(std::move(resolve))) {}

name_lookup::~name_lookup() {
  const std::lock_guard lock{state_->mutex};
  state_->stopped = true;
  state_->queue.clear();
  state_->waiting.clear();
  state_->changed.notify_all();
}

std::optional<found_addresses> name_lookup::find(const std::string& name, callback later) {
  auto& state = *state_;
  const std::lock_guard lock{state.mutex};
  // An old answer serves while a new one is looked for. Where it may lead is judged each time that it is used.
  std::optional<found_addresses> stale;
  if (const auto known = state.known.find(name); known != state.known.end()) {
    const auto now = clock::now();
    if (known->second.until > now) return known->second.found;
    if (known->second.usable_until > now) {
      stale = known->second.found;
    } else {
      state.known.erase(known);
    }
  }
  if (stale && state.waiting.contains(name)) return stale;
  if (const auto under_way = state.waiting.find(name); under_way != state.waiting.end()) {
    under_way->second.push_back(std::move(later));
    return std::nullopt;
  }
  if (state.queue.size() >= most_waiting)
    return stale ? stale : found_addresses{{}, "too many names are being looked up"};
  auto& waiters = state.waiting[name];
  if (!stale) waiters.push_back(std::move(later));
  state.queue.push_back(name);
  if (state.queue.size() > state.idle && state.threads < most_threads) {
    std::thread{work, state_}.detach();
    ++state.threads;
  } else {
    state.changed.notify_one();
  }
  return stale;
}

void name_lookup::work(std::shared_ptr<shared> state) {
  pthread_setname_np(pthread_self(), "lookup");
  std::unique_lock lock{state->mutex};
  for (;;) {
    ++state->idle;
    state->changed.wait(lock, [&] { return state->stopped || !state->queue.empty(); });
    --state->idle;
    if (state->stopped) return;
    const auto name = std::move(state->queue.front());
    state->queue.pop_front();
    lock.unlock();
    const auto began = clock::now();
    auto found = state->resolve(name);
    lock.lock();
    if (state->stopped) return;
    state->keep(name, found, clock::now() - began);
    // Under the lock, so that none is running once the destructor has returned.
    for (const auto& tell : state->waiting[name]) tell(found);
    state->waiting.erase(name);
  }
}

}  // namespace gateway::http
