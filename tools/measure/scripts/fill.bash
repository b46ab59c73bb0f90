# Fills stores with many payments. Sourced, not run.

# Prints statements that insert the rows of finished payments as the gateway leaves them. They belong to two hundred merchants of
# equal size, one of which is measured. Their idempotency keys are spread over the whole range, so that new keys fall between them.
# The rows are in the order of each primary key, because inserts in any other order would take hours.
fill_statements() {
  local count=$1 kind=$2 from=$3 to=$4 now=$5 measured=$6 rows key merchant pay each=$(($1 / 200))
  if [ "$kind" = mariadb ]; then
    rows="seq_${from}_to_${to}"
    key="INSERT(INSERT(INSERT(INSERT(CONCAT(LPAD(HEX((seq % $each) * FLOOR(4294967295 / $each)), 8, '0'), SUBSTR(MD5(seq), 9)), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-')"
    key="LOWER($key)"
    merchant="CONCAT('merch_', LPAD(seq DIV $each, 20, '0'))"
    pay="CONCAT('pay_old_', LPAD(seq % $each, 9, '0'))"
  else
    rows="(WITH RECURSIVE s(seq) AS (SELECT $from UNION ALL SELECT seq + 1 FROM s WHERE seq < $to) SELECT seq FROM s)"
    key="printf('%08x-%04x-4%03x-8%03x-%012x', (seq % $each) * (4294967295 / $each), seq % 65536, seq % 4096, seq % 4095, seq)"
    merchant="printf('merch_%020d', seq / $each)"
    pay="printf('pay_old_%09d', seq % $each)"
  fi
  # The measured merchant owns the first share.
  merchant="CASE WHEN seq < $each THEN '$measured' ELSE $merchant END"
  cat <<SQL
INSERT INTO payments (merchant_id, environment, payment_id, state, amount, currency, captured, refunded, flow, provider, account, hides_provider,
  provider_ref, status, hosted_url, next_seq, created_at, updated_at, details, version)
  SELECT $merchant, 'test', $pay, 'authorized', 4200, 'HKD', 0, 0, 'server', 'sandbox', 'acct_sandbox', 0, 'ch_0123456789abcdef', 'approved', '', 2,
  $now, $now, '{"payment_method":"pm_card_visa","description":"Two books","metadata":{"order":"1001"}}', 2 FROM $rows;
INSERT INTO commands (merchant_id, environment, principal, idempotency_key, fingerprint, operation, subject_kind, subject_id, amount, reason, created_at, body,
  finished_at, status)
  SELECT $merchant, 'test', '', $key, '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'create', 'payment', $pay, 4200, '', $now,
  '{"payment_id":"pay_old_000000000","state":"authorized","amount":4200,"currency":"HKD","provider":{"provider":"sandbox","provider_ref":"ch_0123456789abcdef","status":"approved"},"next_action":null}',
  $now, 200 FROM $rows;
INSERT INTO attempts (merchant_id, environment, subject_kind, subject_id, seq, operation, status, error_code, message, occurred_at)
  SELECT $merchant, 'test', 'payment', $pay, 1, 'authorize', 'approved', '', '', $now FROM $rows;
SQL
}

# fill NAME KIND COUNT: fills the store of a gateway that is not running. In MariaDB its database is gateway_NAME.
fill() {
  local name=$1 kind=$2 count=$3 from to chunk=500000 now began=$SECONDS
  now=$(date +%s000)
  for ((from = 0; from < count; from += chunk)); do
    to=$((from + chunk - 1))
    [ $to -lt "$count" ] || to=$((count - 1))
    if [ "$kind" = mariadb ]; then
      mariadb_sql "USE gateway_$name; SET unique_checks=0; $(fill_statements "$count" mariadb $from $to "$now" "${merchant_of[$name]}")"
    else
      { echo "PRAGMA synchronous=OFF;"; fill_statements "$count" sqlite $from $to "$now" "${merchant_of[$name]}"; } |
        sqlite3 "$stand/$name/gateway.sqlite" >/dev/null
    fi
  done
  printf '%d payments written in %d s\n' "$count" $((SECONDS - began))
}
