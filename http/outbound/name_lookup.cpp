#include "name_lookup.hpp"

#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include <boost/asio/ip/tcp.hpp>

#include "gateway/base/shared_amount.hpp"

namespace gateway::http {

namespace ip = boost::asio::ip;
using clock = std::chrono::steady_clock;

namespace {

constexpr auto answer_kept = std::chrono::seconds{30};
constexpr auto answer_usable = std::chrono::minutes{10};  ///< while it is looked up again: a name server may be down
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

  struct tenant_queue {
    amount_share threads{};
    amount_share places{};
    std::deque<std::string> names{};
  };
  struct asked_name {
    std::vector<callback> waiters{};
    std::vector<std::string> queued_for{};  ///< tenants that have it in their queues
    bool begun = false;
  };
  struct job {
    tenant_queue* of = nullptr;
    std::string name{};
  };

  const resolve_function resolve;
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;
  unsigned threads = 0;
  unsigned idle = 0;
  shared_amount threads_shared{most_threads};
  shared_amount places{most_waiting};
  std::map<std::string, tenant_queue> tenants;  ///< those with names queued or being resolved
  std::string last_served;
  std::unordered_map<std::string, asked_name> waiting;  ///< names that are queued or being resolved
  std::unordered_map<std::string, kept> known;

  /// False if too many names of this tenant, or in all, are waiting.
  bool enqueue(const std::string& name, const std::string& tenant, asked_name& asked) {
    auto& of = tenants[tenant];
    if (!places.permits(of.places)) return false;
    places.take(of.places);
    of.names.push_back(name);
    asked.queued_for.push_back(tenant);
    return true;
  }
  /// The next name of the next tenant, in turn, that may use a thread; nothing if there is none.
  std::optional<job> next() {
    auto at = tenants.upper_bound(last_served);
    for (std::size_t left = tenants.size(); left > 0; --left, ++at) {
      if (at == tenants.end()) at = tenants.begin();
      auto& of = at->second;
      drop_begun(of);
      if (of.names.empty() || !threads_shared.permits(of.threads)) continue;
      last_served = at->first;
      threads_shared.take(of.threads);
      job found{&of, take_name(of)};
      waiting.at(found.name).begun = true;
      return found;
    }
    return std::nullopt;
  }
  void end(const job& done) {
    threads_shared.give_back(done.of->threads);
    std::erase_if(tenants, [](const auto& each) { return each.second.names.empty() && each.second.threads.held == 0; });
    changed.notify_one();
  }

  /// Drops names whose look-up has begun in another tenant's turn.
  void drop_begun(tenant_queue& of) {
    while (!of.names.empty()) {
      const auto asked = waiting.find(of.names.front());
      if (asked != waiting.end() && !asked->second.begun) return;
      take_name(of);
    }
  }
  std::string take_name(tenant_queue& of) {
    auto name = std::move(of.names.front());
    of.names.pop_front();
    places.give_back(of.places);
    return name;
  }

  /// A failure is kept for as long as the look-up took, so that a dead name server does not occupy all threads.
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
  state_->waiting.clear();
  state_->changed.notify_all();
}

std::optional<found_addresses> name_lookup::find(const std::string& name, const std::string& tenant, callback later) {
  auto& state = *state_;
  const std::lock_guard lock{state.mutex};
  // A stale answer is used while the name is looked up again. Its addresses are checked at each use.
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
  const auto [asked, is_new] = state.waiting.try_emplace(name);
  // A name that is queued for another tenant is queued for this one too, so that it does not wait behind the other's
  // names.
  const bool turn_needed =
      !asked->second.begun && std::ranges::find(asked->second.queued_for, tenant) == asked->second.queued_for.end();
  if (turn_needed && !state.enqueue(name, tenant, asked->second) && is_new) {
    state.waiting.erase(asked);
    return stale ? stale : found_addresses{{}, "too many names are being looked up"};
  }
  if (!stale) asked->second.waiters.push_back(std::move(later));
  if (!turn_needed) return stale;
  if (most_waiting - state.places.free() > state.idle && state.threads < most_threads) {
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
    std::optional<shared::job> next;
    ++state->idle;
    state->changed.wait(lock, [&] { return state->stopped || (next = state->next()); });
    --state->idle;
    if (state->stopped) return;
    const auto name = next->name;
    lock.unlock();
    const auto began = clock::now();
    auto found = state->resolve(name);
    lock.lock();
    if (state->stopped) return;
    state->keep(name, found, clock::now() - began);
    // With the lock held, so that no callback runs after the destructor has returned.
    const auto asked = state->waiting.extract(name);
    for (const auto& call_back : asked.mapped().waiters) call_back(found);
    state->end(*next);
  }
}

}  // namespace gateway::http
