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

# run_in_store NAME KIND STATEMENTS [DATABASE]: in the store of a gateway that is not running. In MariaDB its database is gateway_NAME.
run_in_store() {
  if [ "$2" = mariadb ]; then
    mariadb_sql "USE ${4-gateway_$1}; SET unique_checks=0; $3"
  else
    printf 'PRAGMA synchronous=OFF;\n%s;\n' "$3" | sqlite3 "$stand/$1/gateway.sqlite" >/dev/null
  fi
}

# fill NAME KIND COUNT: fills the store of a gateway that is not running.
fill() {
  local name=$1 kind=$2 count=$3 from to chunk=500000 now began=$SECONDS
  now=$(date +%s000)
  for ((from = 0; from < count; from += chunk)); do
    to=$((from + chunk - 1))
    [ $to -lt "$count" ] || to=$((count - 1))
    run_in_store "$name" "$kind" "$(fill_statements "$count" "$kind" $from $to "$now" "${merchant_of[$name]}")"
  done
  printf '%d payments written in %d s\n' "$count" $((SECONDS - began))
}

# history_statements KIND FROM TO COUNT NOW MERCHANT: payments of one merchant, of every state and of three currencies, one every three
# seconds up to now.
history_statements() {
  local kind=$1 from=$2 to=$3 rows pay ref
  if [ "$kind" = mariadb ]; then
    rows="seq_${from}_to_${to}" pay="CONCAT('pay_old_', LPAD(seq, 9, '0'))" ref="CONCAT('ch_', LPAD(LOWER(HEX(seq)), 16, '0'))"
  else
    rows="(WITH RECURSIVE s(seq) AS (SELECT $from UNION ALL SELECT seq + 1 FROM s WHERE seq < $to) SELECT seq FROM s)"
    pay="printf('pay_old_%09d', seq)" ref="printf('ch_%016x', seq)"
  fi
  cat <<SQL
INSERT INTO payments (merchant_id, environment, payment_id, state, amount, currency, captured, refunded, flow, provider, account, hides_provider,
  provider_ref, status, hosted_url, next_seq, created_at, updated_at, details, version)
  SELECT '$6', 'test', $pay,
  CASE WHEN seq % 100 < 2 THEN 'failed' WHEN seq % 100 < 4 THEN 'authorized' WHEN seq % 100 < 5 THEN 'refunded'
    WHEN seq % 100000 = 99999 THEN 'voided' ELSE 'captured' END,
  4200, CASE seq % 10 WHEN 0 THEN 'EUR' WHEN 1 THEN 'USD' ELSE 'HKD' END, 4200, 0, 'server', 'sandbox', 'acct_sandbox', 0,
  $ref, 'approved', '', 2, $5 - (($4 - seq) * 3000), $5, '{"payment_method":"pm_card_visa","description":"Two books"}', 2 FROM $rows;
SQL
}

# event_statements KIND FROM TO COUNT NOW MERCHANT: an event of every tenth of these payments, where it stands in the log. A tenth of these
# payments have failed, and the others were captured.
event_statements() {
  local kind=$1 from=$2 to=$3 rows pay
  if [ "$kind" = mariadb ]; then
    rows="seq_${from}_to_${to}" pay="CONCAT('pay_old_', LPAD(seq, 9, '0'))"
  else
    rows="(WITH RECURSIVE s(seq) AS (SELECT $from UNION ALL SELECT seq + 1 FROM s WHERE seq < $to) SELECT seq FROM s)"
    pay="printf('pay_old_%09d', seq)"
  fi
  cat <<SQL
INSERT INTO events (merchant_id, environment, subject_kind, subject_id, seq, type, status, occurred_at, event_id, data, origin, log_position)
  SELECT '$6', 'test', 'payment', $pay, 2, CASE WHEN seq % 100 = 0 THEN 'payment.failed' ELSE 'payment.captured' END, 'published',
  $5 - (($4 - seq) * 3000), REPLACE($pay, 'pay_', 'evt_'),
  '{"payment_id":"pay_old_000000000","state":"captured","amount":4200,"currency":"HKD"}', '', ($5 - (($4 - seq) * 3000)) * 256000
  FROM $rows WHERE seq % 10 = 0;
SQL
}

# fill_history NAME KIND COUNT MERCHANT [events]: fills the store of a gateway that is not running with payments of one merchant.
fill_history() {
  local name=$1 kind=$2 count=$3 merchant=$4 what=${5-} from to chunk=500000 now began=$SECONDS statements
  now=$(date +%s000)
  for ((from = 0; from < count; from += chunk)); do
    to=$((from + chunk - 1))
    [ $to -lt "$count" ] || to=$((count - 1))
    statements=$(history_statements "$kind" $from $to "$count" "$now" "$merchant")
    [ -z "$what" ] || statements+=$(echo; event_statements "$kind" $from $to "$count" "$now" "$merchant")
    run_in_store "$name" "$kind" "$statements"
  done
  # The log is complete behind its last event.
  [ -z "$what" ] || run_in_store "$name" "$kind" "UPDATE event_lanes SET closed = $now * 256000 + 256 WHERE lane = ''"
  printf '%d payments of one merchant written in %d s\n' "$count" $((SECONDS - began))
}

# backlog_statements KIND FROM TO NOW MERCHANT DESTINATION: payments that failed a day ago, an event of each, and a delivery of each that
# is still due to the destination.
backlog_statements() {
  local kind=$1 from=$2 to=$3 at=$(($4 - 86400000)) rows pay event
  if [ "$kind" = mariadb ]; then
    rows="seq_${from}_to_${to}" pay="CONCAT('pay_due_', LPAD(seq, 9, '0'))" event="CONCAT('evt_due_', LPAD(seq, 9, '0'))"
  else
    rows="(WITH RECURSIVE s(seq) AS (SELECT $from UNION ALL SELECT seq + 1 FROM s WHERE seq < $to) SELECT seq FROM s)"
    pay="printf('pay_due_%09d', seq)" event="printf('evt_due_%09d', seq)"
  fi
  cat <<SQL
INSERT INTO events (merchant_id, environment, subject_kind, subject_id, seq, type, status, occurred_at, event_id, data, origin, log_position)
  SELECT '$5', 'test', 'payment', $pay, 2, 'payment.failed', 'published', $at, $event,
  '{"payment_id":"pay_due_000000000","state":"failed","amount":4200,"currency":"HKD","error_code":"card_declined"}', '', $at * 256000 + seq * 256
  FROM $rows;
INSERT INTO deliveries (merchant_id, delivery_id, environment, subject_kind, subject_id, event_seq, destination_id, created_at, status, attempts,
  round_from, next_attempt_at, version)
  SELECT '$5', seq + 1, 'test', 'payment', $pay, 2, '$6', $at, 'pending', 0, 0, $at, 1 FROM $rows;
SQL
}

# fill_backlog NAME KIND COUNT MERCHANT DESTINATION [DATABASE]: fills the store of a gateway that is not running.
fill_backlog() {
  local name=$1 kind=$2 count=$3 from to chunk=500000 now
  now=$(date +%s000)
  for ((from = 0; from < count; from += chunk)); do
    to=$((from + chunk - 1))
    [ $to -lt "$count" ] || to=$((count - 1))
    run_in_store "$name" "$kind" "$(backlog_statements "$kind" $from $to "$now" "$4" "$5")" "${6-gateway_$name}"
  done
}
