#include "receivers.hpp"

#include <stdexcept>
#include <utility>

namespace gateway::simulation {

namespace {

delivery_attempt failing(attempt_result how, duration_ms took) {
  delivery_attempt a;
  a.result = how;
  a.took_ms = static_cast<std::uint32_t>(took.count());
  return a;
}

}  // namespace

bool receivers::is_away(const std::string& url) {
  auto& until = away_until_[url];
  if (faults_.receiver_away > 0 && time_.now() >= until && random_.chance(faults_.receiver_away)) {
    until = time_.now() + duration_ms{random_.between(1'000, 120'000)};
    log_.write("receiver", url, " goes away");
  }
  // An endpoint that is away returns when the faults end.
  return faults_.receiver_away > 0 && time_.now() < until;
}

delivery_attempt receivers::answer(std::int64_t number) {
  delivery_attempt a;
  if (random_.chance(faults_.post_gone)) {
    a.status = 410;
    a.result = attempt_result::gone;
  } else if (random_.chance(faults_.post_rejected)) {
    constexpr std::uint16_t said[] = {500, 503, 503, 404, 429};
    a.status = random_.pick(said);
    a.result = attempt_result::rejected;
    if (a.status == 503 || random_.chance(0.1)) a.retry_after = duration_ms{random_.between(0, 120'000)};
  } else {
    a.status = random_.chance(0.5) ? 200 : 204;
    a.result = attempt_result::delivered;
    promises_.accepted(number);
  }
  return a;
}

void receivers::take(const outgoing_post& post, std::function<void(delivery_attempt)> reported) {
  const auto number = delivery_promises::number_of(post);
  const auto after = [&](duration_ms delay, delivery_attempt seen) {
    time_.in(delay, [reported, seen] { reported(seen); });
  };
  if (is_away(post.url) || random_.chance(faults_.post_unreachable)) {
    log_.write("receiver", number, " finds nobody");
    const auto patience = config_.webhook_connect_timeout;
    if (random_.chance(0.3)) return after(patience, failing(attempt_result::connect_timeout, patience));
    constexpr attempt_result ways[] = {attempt_result::unreachable, attempt_result::tls_failed,
                                       attempt_result::forbidden_address};
    return after(duration_ms{random_.between(1, 50)}, failing(random_.pick(ways), duration_ms{1}));
  }
  const auto limit = config_.webhook_answer_timeout;
  const auto there = duration_ms{random_.between(0, faults_.receiver_latency.count())};
  const bool stalls = random_.chance(faults_.post_stalls);
  const auto back =
      duration_ms{stalls ? random_.between(0, 20'000) : random_.between(1, faults_.receiver_latency.count())};
  const bool no_answer = random_.chance(faults_.post_unheard);
  time_.in(there, [this, number, reported, back, no_answer, limit] {
    promises_.received(number);
    auto seen = answer(number);
    seen.took_ms = static_cast<std::uint32_t>(back.count());
    log_.write("receiver", "takes ", number, ": ", seen.status,
               no_answer      ? ", unheard"
               : back > limit ? ", too late"
                              : "");
    const auto heard_as =
        no_answer      ? failing(random_.chance(0.5) ? attempt_result::unreachable : attempt_result::bad_answer, back)
        : back > limit ? failing(attempt_result::answer_timeout, limit)
                       : seen;
    time_.in(std::min<duration_ms>(back, limit), [reported, heard_as] { reported(heard_as); });
  });
}

void webhook_link::post(outgoing_post request, std::function<void(delivery_attempt)> done) {
  // A crashed node sends nothing.
  if (!*alive_) return;
  const auto number = delivery_promises::number_of(request);
  to_.log().write(node_, "posts ", number, " to ", request.url);
  const bool breaks = to_.client_breaks();
  const bool goes_out = !breaks || to_.random().chance(0.5);
  if (!breaks) ++memory_->under_way[request.url];
  to_.held().posted(*memory_, request, clock_.now(), among_.serves());
  const auto id = ++last_;
  open_.emplace(id, std::move(done));
  if (goes_out)
    to_.take(request, [this, up = alive_, id, breaks, url = request.url](delivery_attempt seen) {
      if (!*up) return;
      if (!breaks) --memory_->under_way[url];
      auto waiting = open_.extract(id);
      waiting.mapped()(std::move(seen));
    });
  if (breaks) {
    ++memory_->deaths[number];
    to_.log().write(node_, "its client breaks on ", number);
    throw std::runtime_error{"out of memory"};
  }
}

}  // namespace gateway::simulation
