#include "audit_state.hpp"

#include <string_view>
#include <variant>

#include "gateway/base/json_text.hpp"

namespace gateway::actors {

namespace {

/// Members in the order of the calls.
class state_text {
 public:
  state_text& text(std::string_view name, std::string_view value) {
    append_json_string(member(name), value);
    return *this;
  }
  state_text& number(std::string_view name, std::int64_t value) {
    member(name) += std::to_string(value);
    return *this;
  }
  std::string take() { return std::move(out_) + '}'; }

 private:
  std::string& member(std::string_view name) {
    if (out_.size() > 1) out_ += ',';
    append_json_string(out_, name);
    return out_ += ':';
  }

  std::string out_ = "{";
};

struct state_of_entity {
  std::string operator()(const payment& p) const {
    state_text state;
    state.text("state", to_string(p.state)).number("captured_amount", p.captured).number("refunded_amount", p.refunded);
    if (p.open) state.text("open_operation", to_string(p.open->what));
    return state.take();
  }
  std::string operator()(const grant_binding& b) const {
    if (!b.newest) return {};
    state_text state;
    state.text("grant_id", b.newest->id.value).text("status", b.newest->revoked_at ? "revoked" : "active");
    return state.text("scopes", to_string(b.newest->scopes)).take();
  }
  std::string operator()(const subscription& s) const {
    state_text state;
    state.text("status", to_string(s.state.status));
    if (s.open) state.text("open_operation", to_string(s.open->what));
    return state.take();
  }
  template <class Entity>
  std::string operator()(const Entity&) const {
    return {};
  }
};

}  // namespace

std::string audit_state_of(const entity_row& row) {
  return std::visit([](const auto& held) { return held ? state_of_entity{}(*held) : std::string{}; }, row);
}

}  // namespace gateway::actors
