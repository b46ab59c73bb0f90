-- Each entry of the audit log names the hash of the entry before it in its chain. The columns are null in entries from before.

-- before_state, after_state: what was changed as it was and as it is, a JSON object each; null where there is none.
ALTER TABLE audit_log ADD COLUMN before_state {text};
ALTER TABLE audit_log ADD COLUMN after_state {text};
-- chain_id: the lane of the writer that wrote the entry. chain_number: from 1. details_hash: of subject, before_state and after_state with
-- details_salt, which is empty once they are erased. entry_hash: of the entry, with previous_hash and details_hash.
ALTER TABLE audit_log ADD COLUMN chain_id {integer};
ALTER TABLE audit_log ADD COLUMN chain_number {integer};
ALTER TABLE audit_log ADD COLUMN previous_hash {string 64};
ALTER TABLE audit_log ADD COLUMN details_salt {string 32};
ALTER TABLE audit_log ADD COLUMN details_hash {string 64};
ALTER TABLE audit_log ADD COLUMN entry_hash {string 64};
-- Not unique: where an entry was removed or moved, the gateway still writes, and audit verify shows the entries that share a number.
CREATE INDEX audit_chain ON audit_log (chain_id, chain_number, audit_id);
CREATE INDEX audit_by_age ON audit_log (occurred_at, audit_id);

-- The last entry of each chain, written in the commit of that entry. purged_to and purged_hash: the last entry that was purged; 0 and empty
-- where none was.
CREATE TABLE IF NOT EXISTS audit_heads (
  chain_id {integer} NOT NULL,
  purged_to {integer} NOT NULL,
  purged_hash {string 64} NOT NULL,
  chain_number {integer} NOT NULL,
  entry_hash {string 64} NOT NULL,
  PRIMARY KEY (chain_id)
) {clustered};
