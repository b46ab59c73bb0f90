// Sends each request that got no answer again under its key, until its outcome is known.
#include "verifier.hpp"

namespace gateway::load {
namespace {

class settlement : public scenario {
 public:
  settlement(model& of, progress_of_verification& to, retry_limits limits)
      : model_{of}, progress_{to}, requests_{limits, [this] { return next_first_request(); }} {}

  void next(std::vector<request>& out) override { requests_.next(out); }

  void on_answer(const request& sent, const answer& got) override {
    const auto outcome = model_.take(sent, got);
    if (outcome.answered) progress_.settled += 1;
    if (requests_.on_answer(sent, outcome.answered || is_final(outcome.kind, got.status))) return;
    const auto name = model_.name_of(model_.key(sent.subject));
    model_.found().add(name + ": no answer, however often it was repeated under its key", {got.request_id});
  }

 private:
  /// Whether the same request would get the same answer again: 503, 429 and 408 are temporary, the others are not.
  static bool is_final(meaning kind, int status) {
    if (kind == meaning::rejection) return status != 503 && status != 429 && status != 408;
    return kind == meaning::missing || kind == meaning::reused || kind == meaning::unexpected;
  }

  std::optional<request> next_first_request() {
    for (; key_ < model_.keys(); ++key_) {
      const auto& key = model_.key(key_);
      if (key.has(key_record::in_doubt) && !key.has(key_record::answered)) return model_.under(key_++, model::again);
    }
    return std::nullopt;
  }

  model& model_;
  progress_of_verification& progress_;
  std::uint64_t key_ = 0;
  retry_queue requests_;
};

}  // namespace

std::unique_ptr<scenario> settle_in_doubt(model& of, progress_of_verification& to, retry_limits limits) {
  return std::make_unique<settlement>(of, to, limits);
}

}  // namespace gateway::load
