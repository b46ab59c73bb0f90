// Reads the master keys at start, and checks that they belong to the database.
#pragma once

#include <filesystem>

#include "gateway/base/keyring.hpp"
#include "gateway/base/master_key_file.hpp"
#include "gateway/settings.hpp"
#include "persistence/store.hpp"

std::filesystem::path master_key_file(const gateway::settings& config);

/// The source of further keys while the gateway serves. Its program has less time than at start, because a node that
/// waits for it publishes no change of the directory.
gateway::master_key_source serving_key_source(const gateway::settings& config);

/// Whether no gateway has started on this database.
bool is_without_master_key(gateway::persistence::prepared_store& store);

/// Reads the keys. A key is created only for a new database; the start fails, with one line for the operator, if a key
/// that the database needs is missing.
gateway::crypto::keyring::list open_master_keys(const gateway::settings& config,
                                                gateway::persistence::prepared_store& store);
