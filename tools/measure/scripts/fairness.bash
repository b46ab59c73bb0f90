# One tenant that misbehaves beside a quiet one: how long the quiet one's payments and webhooks take beside it, as a multiple of the
# time they take alone, and the gateway's resident memory. Sourced by tools/bench. fairness.py has the misbehaving clients and the
# receiver of webhooks.
source tools/measure/scripts/measures.bash
source tools/measure/scripts/fill.bash

kinds=(metadata destinations csv sign-ins idle unknown names backlog)
limit=1.5 quiet_rate=100 idle_connections=1000 backlog_mb=100
chosen=()
for kind in "${kinds[@]}"; do if wanted "$kind"; then chosen+=("$kind"); fi; done
[ ${#chosen[@]} -gt 0 ] || { usage >&2; exit 2; }
packages=(jq curl openssl python3)
if [ "$store" = sqlite ]; then packages+=(sqlite3); else packages+=(mariadb-server mariadb-client); fi
tools/install "${packages[@]}"
build gatewayd gatewayctl gateway-load
make_stand

declare -A alone beside ratios resident note

# Prints the 99th percentile of the numbers on standard input, which has one on each line.
tail_of_lines() {
  sort -n | awk '{ row[NR] = $1 } END { at = int(NR * 0.99 + 0.5); print row[at < 1 ? 1 : at] }'
}

# ctl KIND COMMAND…
ctl() {
  local data=$stand/$1
  shift
  build/gatewayctl --data-dir="$data" --json "$@" || fail "gatewayctl $*"
}

# A merchant with a live key and a destination that answers at once.
make_quiet_tenant() {
  local kind=$1 key who
  who=$(member merchant_id "$(ctl "$kind" merchant create --name Quiet)")
  key=$(ctl "$kind" merchant key mint --merchant "$who" --mode live)
  key_id[quiet]=$(member key_id "$key") key_secret[quiet]=$(member secret "$key") url[quiet]=${url[$kind]}
  ctl "$kind" connection set --merchant "$who" --mode live --provider sandbox --status connected >/dev/null
  ctl "$kind" route set --merchant "$who" --mode live --provider sandbox --currencies HKD --methods card >/dev/null
  merchant_of[quiet]=$who quiet_destination=''
  set_destination "$kind" "${url[receiver]}/quiet"
}

# set_destination KIND URL: makes URL the quiet tenant's only destination.
set_destination() {
  [ -z "$quiet_destination" ] || ctl "$1" destination disable "$quiet_destination" >/dev/null
  quiet_destination=$(member destination_id "$(ctl "$1" destination set --merchant "${merchant_of[quiet]}" --mode live --url "$2")")
}

# A destination whose name the gateway has not looked up before.
rename_destination() {
  [ "$1" != names ] || set_destination "$1" "https://n$((++named)).quiet.example:$(<"$stand/receiver/tls-port")/quiet"
}

# destinations_of KIND COUNT URL: sets destinations of the tenant that misbehaves; N in the URL is the number.
destinations_of() {
  local i pids=()
  # In parallel, because each waits for the look-up of its name.
  for ((i = 0; i < $2; i++)); do
    ctl "$1" destination set --merchant "${merchant_of[$1]}" --mode test --url "${3//N/$i}" >/dev/null &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" || fail "the destinations of $1 were not made"; done
}

# measure_quiet KIND: sets paid, the p99 of the quiet tenant's requests, and told, that of its webhooks' delay, both in milliseconds;
# `failed` if requests or webhooks failed.
measure_quiet() {
  local file=$stand/quiet.json before expected came until
  before=$(wc -l <"$stand/receiver/quiet.log")
  rm -f "$file"
  GATEWAY_LOAD_SECRET=${key_secret[quiet]} build/gateway-load run lifecycle --target="${url[quiet]}" --key-id="${key_id[quiet]}" --insecure \
    --json="$file" --timeout=10s --rate=$quiet_rate --connections=16 --no-verify --duration="${seconds}s" >"$stand/load.out" 2>&1 || true
  paid=failed told=failed
  [ -s "$file" ] || return 0
  if [ "$(jq '[.operations[].outcomes | to_entries[] | select(.key | test("^2") | not) | .value] | add // 0' "$file")" -eq 0 ]; then
    paid=$(jq '(.latency.p99 / 1e4 | round) / 100' "$file")
  fi
  expected=$(jq '[.operations[] | select(.name | test("capture|refund")) | .outcomes | to_entries[] | select(.key | test("^2")) | .value] | add // 0' "$file")
  until=$((SECONDS + 30))
  while came=$(($(wc -l <"$stand/receiver/quiet.log") - before)) && [ "$came" -lt "$expected" ] && [ $SECONDS -lt $until ]; do sleep 0.2; done
  [ "$came" -lt "$expected" ] || [ "$came" -eq 0 ] || told=$(tail -n +$((before + 1)) "$stand/receiver/quiet.log" | tail_of_lines)
}

# resident_mb KIND FIELD: in megabytes.
resident_mb() {
  awk -v field="$2:" '$1 == field { printf "%d", $2 / 1024 }' "/proc/${server_pid[$1]}/status"
}

# sign_in KIND: sets cookie.
sign_in() {
  local jar=$stand/jar page=${url[$1]}/portal/sign-in token
  printf 'a password of the bench' | ctl "$1" merchant user add --merchant "${merchant_of[$1]}" --email bench@example.com --password-stdin >/dev/null
  token=$(curl --silent --insecure --cookie-jar "$jar" "$page" | sed -n 's/.*name="csrf" value="\([^"]*\)".*/\1/p' | head -n 1)
  curl --silent --insecure --output /dev/null --cookie "$jar" --cookie-jar "$jar" --data-urlencode "csrf=$token" --data-urlencode \
    email=bench@example.com --data-urlencode 'password=a password of the bench' --data action=sign-in "$page"
  cookie=$(awk '/__Host-session/ { print $6 "=" $7 }' "$jar")
  [ -n "$cookie" ] || fail "nobody could sign in"
}

# prepare KIND: prepares the misbehaviour. Sets client, the kind of client of fairness.py.
prepare() {
  local kind=$1
  client=payments
  case $kind in
    metadata) destinations_of "$kind" 32 "${url[receiver]}/slow/N" && client=metadata ;;
    destinations) destinations_of "$kind" 16 "${url[receiver]}/slow/N" ;;
    names) destinations_of "$kind" 16 "https://N.never.example/" ;;
    csv)
      client=csv
      sign_in "$kind"
      # A list that is too long for the sockets' buffers.
      load "$kind" create --closed --connections=16 --count=$((brief_run ? 2000 : 20000)) --no-verify
      export PAGE=${url[$kind]}/portal/${merchant_of[$kind]}/test/payments.csv COOKIE=$cookie
      ;;
    backlog)
      client=backlog
      collect_backlog "$kind"
      ;;
    *) client=$kind ;;
  esac
}

# A disabled destination for which many deliveries wait. nginx receives them, because it costs the least.
collect_backlog() {
  local kind=$1 to
  to=$(member destination_id "$(ctl "$kind" destination set --merchant "${merchant_of[$kind]}" --mode test --url "${url[nginx]}/backlog")")
  ctl "$kind" destination disable "$to" >/dev/null
  stop_gateway "$kind"
  fill_backlog "$kind" "$store" "$deliveries" "${merchant_of[$kind]}" "$to" "$(database_of "$kind")"
  start_gateway "$kind" "$store" "$(database_of "$kind")"
  url[quiet]=${url[$kind]}
  export ENABLE="build/gatewayctl --data-dir=$stand/$kind destination enable $to"
}

database_of() {
  echo "gateway_${1//-/_}_$round"
}

# A gateway whose name server never answers. The quiet tenant's names are in its hosts file. Fails if the machine does not permit
# that.
start_without_names() {
  local i
  if [ -z "${server_pid[swallow]-}" ]; then
    unshare --mount true 2>/dev/null || return 1
    start_server swallow python3 tools/measure/scripts/fairness.py swallow 127.9.9.53
    echo 'nameserver 127.9.9.53' >"$stand/resolv.conf"
    {
      echo '127.0.0.1 localhost'
      for ((i = 1; i <= 2 * rounds; i++)); do echo "127.0.0.1 n$i.quiet.example"; done
    } >"$stand/hosts"
    cat >"$stand/gatewayd" <<SH
#!/bin/sh
exec unshare --mount sh -c 'mount --bind "$stand/resolv.conf" /etc/resolv.conf && mount --bind "$stand/hosts" /etc/hosts &&
  exec build/gatewayd "\$@"' sh "\$@"
SH
    chmod +x "$stand/gatewayd"
  fi
  gateway_program=$stand/gatewayd
}

# keep_round KIND WHAT ALONE BESIDE
keep_round() {
  local name=$1-$2
  alone[$name]+=" $3"
  beside[$name]+=" $4"
  if [ "$3" = failed ] || [ "$4" = failed ]; then
    ratios[$name]+=" 999"
  else
    # `created` has a resolution of a millisecond.
    ratios[$name]+=" $(awk -v a="$3" -v b="$4" 'BEGIN { printf "%.2f", (b > 1 ? b : 1) / (a > 1 ? a : 1) }')"
  fi
}

# check_backlog BEFORE: the deliveries arrive, and those that wait are not all in memory.
check_backlog() {
  local arrived grown=$(($(resident_mb backlog VmHWM) - $1))
  sleep 1 # nginx writes its log twice a second
  arrived=$(wc -l <"$stand/nginx/came.log")
  [ "$arrived" -gt 0 ] || fail 'no delivery of the backlog arrived'
  echo "  backlog        $arrived of $deliveries deliveries have arrived"
  [ $grown -le $backlog_mb ] || note_missed="the gateway's memory grew by $grown MB with a backlog (target: $backlog_mb MB)"
}

run_kind() {
  local kind=$1 pid paid told paid_alone told_alone before
  gateway_options=(--dev) gateway_connections=10000 gateway_program=build/gatewayd
  [ "$kind" != names ] || gateway_options+=(--webhook-ca-file="$stand/receiver/certificate.pem")
  [ "$kind" != idle ] || gateway_connections=$idle_connections
  if [ "$kind" = names ] && ! start_without_names; then
    note[$kind]='NOT RUN: needs the right to mount'
    return 0
  fi
  if [ "$kind" = backlog ]; then
    [ -n "${server_pid[nginx]-}" ] || start_nginx
    gateway_options+=(--webhook-ca-file="$stand/nginx/certificate.pem")
  fi
  rm -rf "${stand:?}/$kind"
  unset "key_id[$kind]"
  start_gateway "$kind" "$store" "$(database_of "$kind")"
  make_quiet_tenant "$kind"
  # Not for `names`: setting its destinations looks up their names, which would disturb the measurement of the quiet tenant alone.
  [ "$kind" = names ] || prepare "$kind"
  measure_quiet "$kind" # warms up
  rename_destination "$kind"
  measure_quiet "$kind"
  paid_alone=$paid told_alone=$told
  before=$(resident_mb "$kind" VmRSS)
  [ "$kind" != names ] || prepare "$kind"

  : >"$stand/client.out"
  KEY_ID=${key_id[$kind]} SECRET=${key_secret[$kind]} python3 tools/measure/scripts/fairness.py "$client" "${url[$kind]}" $idle_connections \
    >"$stand/client.out" 2>"$stand/client.log" &
  pid=$!
  server_pid[client]=$pid
  until grep --quiet misbehaves "$stand/client.out"; do
    kill -0 $pid 2>/dev/null || fail "$kind: the client ended: $(tail -n 3 "$stand/client.log")"
    sleep 0.1
  done
  rename_destination "$kind"
  measure_quiet "$kind"
  kill $pid
  wait $pid 2>/dev/null || true
  unset "server_pid[client]"
  keep_round "$kind" payments "$paid_alone" "$paid"
  keep_round "$kind" webhooks "$told_alone" "$told"
  resident[$kind]="$before, $(resident_mb "$kind" VmHWM)"
  [ "$kind" != backlog ] || check_backlog "$before"
  printf '  %-14s payments %s, %s ms   webhooks %s, %s ms   resident %s MB\n' "$kind" "$paid_alone" "$paid" "$told_alone" "$told" "${resident[$kind]}"
  # Deliveries to receivers that hang are still under way, so the gateway need not end in order.
  kill -KILL "${server_pid[$kind]}"
  wait "${server_pid[$kind]}" 2>/dev/null || true
  unset "server_pid[$kind]"
}

brief_run=$([ $brief = yes ] && echo 1 || echo 0)
named=0 note_missed=''
mkdir -p "$stand/receiver"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=quiet.example -addext 'subjectAltName=DNS:*.quiet.example' \
  -keyout "$stand/receiver/key.pem" -out "$stand/receiver/certificate.pem" 2>/dev/null || fail 'cannot make a certificate'
start_server receiver python3 tools/measure/scripts/fairness.py receive "$stand/receiver"
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $quiet_rate requests a second of the quiet tenant, $store, $(nproc) cores"
  for kind in "${chosen[@]}"; do run_kind "$kind"; done
done

echo
echo "The quiet tenant alone and beside the other: p99 in ms, medians of $rounds; resident memory before and at most, in MB (last round)"
printf '%-14s %10s %10s %7s %10s %10s %7s %14s\n' kind payments beside ratio webhooks beside ratio resident
missed=0
for kind in "${chosen[@]}"; do
  if [ -n "${note[$kind]-}" ]; then
    printf '%-14s %s\n' "$kind" "${note[$kind]}"
    continue
  fi
  row=("$kind")
  for what in payments webhooks; do
    ratio=$(middle "${ratios[$kind-$what]}")
    row+=("$(middle "${alone[$kind-$what]}")" "$(middle "${beside[$kind-$what]}")" "$([ "$ratio" = 999 ] && echo - || echo "$ratio")")
    if awk -v r="$ratio" -v most=$limit 'BEGIN { exit !(r > most) }'; then
      echo "missed: the quiet tenant's $what beside $kind (target: $limit times what they take alone)" >&2
      missed=1
    fi
  done
  printf '%-14s %10s %10s %7s %10s %10s %7s %14s\n' "${row[@]}" "${resident[$kind]}"
done
if [ -n "$note_missed" ]; then
  echo "missed: $note_missed" >&2
  missed=1
fi
[ $check = no ] || [ $missed -eq 0 ] || exit 1
