// The configurations of the providers.
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Provider>
void provider_columns(Columns& v, Provider& p) {
  v.key("provider", p.provider);
  v.key("environment", p.env);
  v("sealed_settings", p.sealed_settings);
  v("changed_at", p.changed_at);
}

const table_columns providers_table{"providers", [](column_names& v) {
                                      const save_provider any{};
                                      provider_columns(v, any);
                                    }};

}  // namespace

namespace statements {

const write_shape put_provider = providers_table.put();

const statement read_providers = sql("SELECT {columns} FROM providers ORDER BY provider, environment", providers_table);
const statement read_provider =
    sql("SELECT {columns} FROM providers WHERE provider = ? ORDER BY environment", providers_table);

}  // namespace statements

void insert_row(gathered_rows& rows, const save_provider& p) {
  column_writer v{rows.add_to(row_kind::provider)};
  provider_columns(v, p);
}

std::size_t row_hash(const save_provider& p) { return hash_of_texts({to_string(p.provider), to_string(p.env)}); }
std::size_t row_bytes(const save_provider& p) { return 256 + p.sealed_settings.size(); }

save_provider provider_from(const result_row& row) {
  column_reader v{row};
  save_provider p;
  provider_columns(v, p);
  return p;
}

}  // namespace gateway::persistence
