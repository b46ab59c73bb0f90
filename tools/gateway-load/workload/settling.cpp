// Sends again, under its key, whatever may have happened without an answer.
#include "verifier.hpp"

namespace gateway::load {
namespace {

class settling : public scenario {
 public:
  settling(model& of, progress_of_verification& to, patience with)
      : model_{of}, progress_{to}, insisting_{with, [this] { return first_of_next(); }} {}

  void next(std::vector<request>& out) override { insisting_.next(out); }

  void heard(const request& sent, const answer& got) override {
    const auto what = model_.take(sent, got);
    if (what.answered) progress_.settled += 1;
    if (insisting_.heard(sent, what.answered || is_hopeless(what.what, got.status))) return;
    const auto name = model_.name_of(model_.key(sent.subject));
    model_.found().add(name + ": no answer, however often it was repeated under its key", {got.request_id});
  }

 private:
  /// Whoever asks again is told the same again. 503, 429 and 408 pass.
  static bool is_hopeless(meaning what, int status) {
    if (what == meaning::turned_away) return status != 503 && status != 429 && status != 408;
    return what == meaning::missing || what == meaning::reused || what == meaning::unexpected;
  }

  std::optional<request> first_of_next() {
    for (; key_ < model_.keys(); ++key_) {
      const auto& key = model_.key(key_);
      if (key.has(key_record::doubted) && !key.has(key_record::answered)) return model_.under(key_++, model::again);
    }
    return std::nullopt;
  }

  model& model_;
  progress_of_verification& progress_;
  std::uint64_t key_ = 0;
  insisting insisting_;
};

}  // namespace

std::unique_ptr<scenario> settle_doubts(model& of, progress_of_verification& to, patience with) {
  return std::make_unique<settling>(of, to, with);
}

}  // namespace gateway::load
