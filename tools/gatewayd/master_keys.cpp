#include "master_keys.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <openssl/crypto.h>

#include "gateway/base/log.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/ports/sealed_texts.hpp"

using namespace gateway;

namespace {

/// The fingerprint of the database's first key. Older versions, which have one key only, compare it, too.
constexpr std::string_view first_key_meta = "master_key_fingerprint";
/// Present if the texts that the first key seals contain its id. In an older database they do not, so that an older
/// version, which may still run beside this one, can open them.
constexpr std::string_view names_first_key_meta = "master_key_named";

master_key_source start_source(const settings& config) {
  return config.master_key_command.empty() ? master_key_source::file(master_key_file(config))
                                           : master_key_source::program(config.master_key_command);
}

const named_master_key* find_key(const std::vector<named_master_key>& keys, std::string_view fingerprint) {
  const auto at = std::ranges::find(keys, fingerprint, &named_master_key::fingerprint);
  return at == keys.end() ? nullptr : &*at;
}

[[noreturn]] void fail_for_another_key(const master_key_source& source) {
  throw std::runtime_error{source.name() + ": is not the one that this database's secrets are sealed with"};
}

/// Records the first key of a database that knows none: the newest of `keys`, or the one that an older gateway has
/// recorded. Several nodes may do this at the same time: the fingerprint that is stored first decides.
void record_first_key(const master_key_source& source, const std::vector<named_master_key>& keys,
                      persistence::prepared_store& store) {
  if (is_without_master_key(store)) {
    store.put_meta_if_absent(names_first_key_meta, "1");
    store.put_meta_if_absent(first_key_meta, keys.back().fingerprint);
  }
  const auto* key = find_key(keys, store.read_meta(first_key_meta).value_or(""));
  if (!key) fail_for_another_key(source);
  store.put_master_key_if_absent({.id = key->id,
                                  .fingerprint = key->fingerprint,
                                  .status = master_key_status::current,
                                  .created_at = system_wall_clock{}.now()});
}

/// Opens, with an older key, a key that another node has made while this one was not running.
std::shared_ptr<const crypto::master_key> unwrap(const save_master_key& row, const crypto::keyring::list& held,
                                                 const master_key_source& source) {
  if (row.wrapped.empty() || held.empty()) return nullptr;
  auto bytes = crypto::keyring{held}.open(row.wrapped, bound_to_master_key(row.id));
  if (!bytes) return nullptr;
  auto key = std::make_shared<const crypto::master_key>(*bytes);
  const bool genuine = fingerprint(*key) == row.fingerprint;
  if (genuine && source.is_file()) {
    source.add(row.id, *bytes);
    log::info("master_key.received", {{"id", row.id}});
  }
  OPENSSL_cleanse(bytes->data(), bytes->size());
  return genuine ? key : nullptr;
}

}  // namespace

std::filesystem::path master_key_file(const settings& config) {
  return config.master_key.empty() ? config.data_dir / "master.key" : config.master_key;
}

master_key_source serving_key_source(const settings& config) {
  constexpr std::chrono::milliseconds patience{2'000};
  return config.master_key_command.empty() ? master_key_source::file(master_key_file(config))
                                           : master_key_source::program(config.master_key_command, patience);
}

bool is_without_master_key(persistence::prepared_store& store) { return !store.read_meta(first_key_meta); }

crypto::keyring::list open_master_keys(const settings& config, persistence::prepared_store& store) {
  const auto source = start_source(config);
  auto rows = store.read_master_keys();
  const auto keys = source.load(rows.empty() && is_without_master_key(store));
  if (rows.empty()) {
    record_first_key(source, keys, store);
    rows = store.read_master_keys();
  }
  const bool names_first = store.read_meta(names_first_key_meta).has_value();
  crypto::keyring::list ring;
  std::optional<std::string> current;
  for (const auto& row : rows) {
    if (row.status == master_key_status::retired) continue;
    const auto* there = find_key(keys, row.fingerprint);
    auto key = there ? there->key : unwrap(row, ring, source);
    if (!key && row.status == master_key_status::offered) continue;  // the rotation has not ended
    if (!key && rows.size() == 1) fail_for_another_key(source);
    if (!key)
      throw std::runtime_error{source.name() + ": lacks the key " + row.id +
                               ", which this database's secrets are sealed with: copy the line from another node or "
                               "from the file's backup"};
    if (row.status == master_key_status::current) current = row.id;
    ring.push_back({row.id, std::move(key), names_first || row.position > 0});
  }
  if (!current) throw std::runtime_error{source.name() + ": the database names no current key"};
  const auto at = std::ranges::find(ring, *current, &crypto::keyring::entry::id);
  std::rotate(ring.begin(), at, at + 1);
  return ring;
}
