# The setup in which tools/bench and tools/soak measure: it starts and ends servers, and runs wrk. Sourced, not run.

fail() {
  echo "tools/${0##*/}: $*" >&2
  exit 1
}

declare -A url metrics merchant_of key_id key_secret server_pid
threads=2
start_seconds=60 # so long a server may take to listen
gateway_options=() # further options of each gateway
gateway_connections=10000 # that each gateway accepts, in all and from one address
gateway_program=build/gatewayd # the program that start_gateway runs
stand_home=$root/build/bench

make_stand() {
  stand=$(mktemp -d "$stand_home/stand.XXXXXX")
  trap end_stand EXIT
  trap 'exit 130' INT TERM
}

end_stand() {
  local pid
  for pid in "${server_pid[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${server_pid[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ ! -d "$stand/mariadb-server" ] || tools/mariadb stop "$stand/mariadb-server" || true
  rm -rf "$stand"
}

# A member of the one-line JSON objects that gatewayctl prints.
member() {
  sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p" <<<"$2"
}

# start_server NAME PROGRAM [OPTION…]: waits until it prints the address on which it listens.
start_server() {
  local name=$1 deadline=$((SECONDS + start_seconds))
  shift
  : >"$stand/$name.out"
  "$@" >"$stand/$name.out" 2>"$stand/$name.log" &
  server_pid[$name]=$!
  until url[$name]=$(sed -n 's/^listening on //p' "$stand/$name.out") && [ -n "${url[$name]}" ]; do
    kill -0 "${server_pid[$name]}" 2>/dev/null || fail "$name does not start: $(tail -n 1 "$stand/$name.log")"
    [ $SECONDS -lt $deadline ] || fail "$name does not listen after $start_seconds s"
    sleep 0.05
  done
}

start_bare() {
  start_server bare build/bench/bare_server --threads="$threads"
}

start_nginx() {
  start_server nginx tools/nginx receive "$stand/nginx"
  until [ -e "$stand/nginx/pid" ]; do
    kill -0 "${server_pid[nginx]}" 2>/dev/null || fail "nginx does not start: $(tail -n 1 "$stand/nginx.log")"
    sleep 0.05
  done
}

# mariadb_url [DATABASE]: starts the setup's own MariaDB if it is not running, and prints its URL.
mariadb_url() {
  local where
  where=$(tools/mariadb start "$stand/mariadb-server" --buffer-pool=1G --redo-log=1G)
  if [ $# -gt 0 ]; then
    mariadb_sql "CREATE DATABASE IF NOT EXISTS $1 CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    where=${where/localhost\/gateway/localhost\/$1}
  fi
  echo "$where"
}

# start_gateway NAME sqlite|mariadb [DATABASE]: at its first start the gateway gets a merchant and a test key. The log level leaves
# out the lines of single requests, so that the measurement does not include them.
start_gateway() {
  local name=$1 where=$2 merchant key data=$stand/$1
  if [ "$where" = mariadb ]; then where=$(mariadb_url "${@:3}"); fi
  mkdir -p "$data"
  start_server "$name" "$gateway_program" --listen=127.0.0.1:0 --operator-listen=127.0.0.1:0 --data-dir="$data" --store="$where" \
    --log-level=warn --http-connections-per-address="$gateway_connections" --http-connections="$gateway_connections" "${gateway_options[@]}"
  until metrics[$name]=$(sed -n 's/^operator metrics on //p' "$stand/$name.out") && [ -n "${metrics[$name]}" ]; do sleep 0.05; done
  [ -z "${key_id[$name]-}" ] || return 0
  merchant=$(build/gatewayctl --data-dir="$data" --json merchant create --name Bench)
  merchant_of[$name]=$(member merchant_id "$merchant")
  key=$(build/gatewayctl --data-dir="$data" --json merchant key mint --merchant "${merchant_of[$name]}" --mode test)
  key_id[$name]=$(member key_id "$key")
  key_secret[$name]=$(member secret "$key")
}

stop_gateway() {
  kill -TERM "${server_pid[$1]}"
  wait "${server_pid[$1]}" || fail "the gateway $1 did not end in order"
  unset "server_pid[$1]"
}

# mariadb_sql [STATEMENT]: runs it as the gateways' user. Without one it runs standard input in the database gateway_full.
mariadb_sql() {
  if [ $# -gt 0 ]; then set -- --execute="$1"; else set -- gateway_full; fi
  mariadb --no-defaults --socket="$stand/mariadb-server/mysql.sock" --user=gateway --password=gateway "$@"
}

# sample NAME METRIC…: the sum of the samples whose names begin with one of these.
sample() {
  local name=$1
  shift
  curl --silent --fail "${metrics[$name]}/metrics" | awk -v prefixes="$*" '
    BEGIN { n = split(prefixes, wanted, " ") }
    { for (i = 1; i <= n; i++) if (index($0, wanted[i]) == 1) sum += $NF }
    END { printf "%d\n", sum }'
}

# presign GATEWAY KIND SERIES FIRST COUNT [OPTION…]: writes $stand/requests.N, one for each thread of wrk.
presign() {
  PRESIGN_SECRET=${key_secret[$1]} build/bench/presign --kind="$2" --series="$3" --first="$4" --count="$5" --key-id="${key_id[$1]}" \
    --host="${url[$1]#https://}" --files="$threads" --output="$stand/requests" "${@:6}"
}

# drive SERVER once|again SECONDS [RATE]: sets requests, microseconds, p50, p99, bad, broken, exhausted. RATE: of each thread.
drive() {
  local line
  wrk -t"$threads" -c"$connections" -d"$3s" --timeout 30s -s tools/measure/scripts/replay.lua "${url[$1]}" -- "$stand/requests" "$2" "${@:4}" \
    >"$stand/wrk.out" 2>&1 ||
    fail "wrk failed: $(tail -n 3 "$stand/wrk.out")"
  line=$(grep '^measured ' "$stand/wrk.out") || fail "wrk measured nothing: $(tail -n 3 "$stand/wrk.out")"
  read -r _ requests microseconds p50 p99 bad broken exhausted <<<"$line"
  [ "$requests" -gt 0 ] || fail "$1 answered nothing"
}

# drive_all SERVER SECONDS: sends requests for SECONDS, or longer until each has been sent once.
drive_all() {
  local lasts=$2
  while drive "$1" again "$lasts" && [ "$exhausted" -lt "$threads" ]; do lasts=$((lasts * 2)); done
}

rate() {
  echo $((requests * 1000000 / microseconds))
}

median() {
  sort -n | awk '{ row[NR] = $1 } END { print NR % 2 ? row[(NR + 1) / 2] : int((row[NR / 2] + row[NR / 2 + 1]) / 2) }'
}
