#include "operator_note.hpp"

#include <utility>
#include <variant>

#include "gateway/base/crypto.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "operator_name.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_subject = 128;
constexpr std::size_t most_actor = 64;
/// The origin of a command that came through the socket and so has no address.
constexpr std::string_view operators_socket = "operator socket";

/// At most the first `most` bytes, without an incomplete character at the end.
std::string_view cut_to_bytes_of(std::string_view utf8, std::size_t most) {
  if (utf8.size() <= most) return utf8;
  while (most > 0 && (static_cast<unsigned char>(utf8[most]) & 0xc0) == 0x80) --most;
  return utf8.substr(0, most);
}

/// A command's name and subject. If the subject is empty, the directory enters the id of what was made.
struct described_command {
  std::string action;
  std::string subject{};
  merchant_id merchant{};
  std::optional<environment> env{};
};

struct command_describer {
  using described = described_command;

  described operator()(const create_merchant& w) const { return {"create merchant", w.name}; }
  described operator()(const mint_key& w) const { return {"mint key", {}, w.merchant, w.env}; }
  described operator()(const revoke_key& w) const { return {"revoke key", w.id.value}; }
  described operator()(const revoke_own_key& w) const { return {"revoke key", w.id.value}; }
  described operator()(const add_user& w) const { return {"add user", w.email, w.merchant}; }
  described operator()(const invite_user& w) const { return {"invite user", w.email, w.merchant}; }
  described operator()(const withdraw_invitation& w) const { return {"withdraw invitation", w.user.value, w.merchant}; }
  described operator()(const accept_invitation& w) const { return {"accept invitation", w.user.value, w.merchant}; }
  described operator()(const change_role& w) const { return {"change role", w.user.value, w.merchant}; }
  described operator()(const remove_member& w) const { return {"remove member", w.user.value, w.merchant}; }
  described operator()(const set_connection& w) const {
    return {"set connection", std::string{to_string(w.link.provider)}, w.merchant, w.link.env};
  }
  described operator()(const set_route& w) const {
    return {"set route", std::string{to_string(w.way.provider)}, w.merchant, w.way.env};
  }
  described operator()(const make_chargeable& w) const { return {"make chargeable", {}, w.merchant, w.env}; }
  described operator()(const redeem_setup_token& w) const { return {"redeem setup token", w.token_id, w.merchant}; }
  described operator()(const set_destination& w) const {
    const bool is_merchants = w.kind == destination_kind::merchant;
    return {"set destination", {}, is_merchants ? merchant_id{w.owner} : merchant_id{}, w.env};
  }
  described operator()(const set_destination_events& w) const { return {"change destination", w.id.value}; }
  described operator()(const enable_destination& w) const { return {"enable destination", w.id.value}; }
  described operator()(const disable_destination& w) const { return {"disable destination", w.id.value}; }
  described operator()(const change_destination_url& w) const { return {"change destination", w.id.value}; }
  described operator()(const name_destination& w) const { return {"change destination", w.id.value}; }
  described operator()(const delete_destination& w) const { return {"delete destination", w.id.value}; }
  described operator()(const rotate_destination_secret& w) const { return {"rotate destination", w.id.value}; }
  described operator()(const create_platform& w) const { return {"create platform", w.slug}; }
  described operator()(const change_platform& w) const { return {"change platform", w.id.value}; }
  described operator()(const set_platform_status& w) const {
    return {w.status == platform_status::active ? "resume platform" : "suspend platform", w.id.value};
  }
  described operator()(const mint_platform_key& w) const { return {"mint platform key", w.platform.value}; }
  described operator()(const configure_provider& w) const {
    return {
        w.settings.values.empty() ? "remove provider" : "set provider", std::string{to_string(w.provider)}, {}, w.env};
  }
  described operator()(const follow_account& w) const {
    return {"follow account", std::string{to_string(w.provider)}, w.merchant, w.env};
  }
  described operator()(const set_branding& w) const { return {"change branding", w.merchant.value, w.merchant}; }
  described operator()(const set_standard_webhooks& w) const { return {"change destination", w.id.value}; }
  described operator()(const report_failing_destination& w) const { return {"report destination", w.id.value}; }
  described operator()(const offer_master_key&) const { return {"rotate master key"}; }
  described operator()(const promote_master_key& w) const { return {"use master key", w.id}; }
  described operator()(const withdraw_master_key& w) const { return {"withdraw master key", w.id}; }
  described operator()(const retire_master_key& w) const { return {"retire master key", w.id}; }
};

/// Adds the merchant and the mode of a published key or destination.
void add_owner(const directory& merchants, const operator_command& wanted, described_command& to) {
  if (const auto* of = std::get_if<revoke_key>(&wanted)) {
    if (const auto key = merchants.find_key(of->id)) {
      to.merchant = key->merchant;
      to.env = key->env;
    }
    return;
  }
  const auto known = std::visit(
      [&]<class Command>(const Command& command) -> std::shared_ptr<const webhook_endpoint> {
        if constexpr (requires { merchants.find_destination(command.id); })
          return merchants.find_destination(command.id);
        else
          return nullptr;
      },
      wanted);
  if (!known) return;
  if (known->what.kind == destination_kind::merchant) to.merchant = merchant_id{known->what.owner};
  to.env = known->what.env;
}

}  // namespace

user_id operator_as_actor(std::string_view name) {
  auto actor = std::string{operator_on_audit_log}.append(name);
  if (actor.size() > most_actor) actor.resize(most_actor);
  return user_id{std::move(actor)};
}

save_audit note_of_operator(const call& c, std::string_view action, std::string_view subject, merchant_id merchant,
                            std::optional<environment> env) {
  save_audit note;
  note.user = operator_as_actor(operator_name(c.in));
  note.at = c.here.shared.clock.now();
  note.id = "audit_" + crypto::random_hex(16);
  note.address = c.in.remote_address.empty() ? operators_socket : c.in.remote_address;
  note.action = action;
  note.subject = cut_to_bytes_of(subject, most_subject);
  note.merchant = std::move(merchant);
  note.env = env;
  return note;
}

save_audit note_of_command(const call& c, const operator_command& wanted) {
  auto what = std::visit(command_describer{}, wanted);
  if (what.merchant.empty()) add_owner(c.here.shared.merchants, wanted, what);
  return note_of_operator(c, what.action, what.subject, std::move(what.merchant), what.env);
}

boost::asio::awaitable<std::optional<response>> commit_note(call& c, save_audit note, std::optional<save_fact> fact) {
  unit_of_work unit;
  unit.inserts.push_back(std::move(note));
  if (fact) unit.inserts.push_back(*std::move(fact));
  auto noting = commit(c.here, std::move(unit));
  const auto noted = co_await std::move(noting);
  if (noted && *noted == commit_outcome::committed) co_return std::nullopt;
  co_return error_response(error_code::store_unavailable,
                           "The command could not be written on the audit log; nothing was changed. Repeat the "
                           "command.");
}

}  // namespace gateway::http
