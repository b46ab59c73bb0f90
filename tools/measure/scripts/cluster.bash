# Several nodes over one database, as a server of the stand (stand.bash). Sourced, not run.

declare -A nodes_of # the servers' names, by group

# certificate NAME: signed by the authority of these nodes, which is created first.
certificate() {
  local at=$stand/certificates
  mkdir -p "$at"
  [ -s "$at/ca.pem" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=nodes \
    -keyout "$at/ca.key" -out "$at/ca.pem" 2>/dev/null
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$at/$1.key" -out "$at/$1.csr" 2>/dev/null
  openssl x509 -req -in "$at/$1.csr" -CA "$at/ca.pem" -CAkey "$at/ca.key" -CAcreateserial -days 2 -out "$at/$1.pem" 2>/dev/null
}

# A port below the kernel's own range at which nothing listens.
free_port() {
  local port
  while port=$((20000 + RANDOM % 11000)); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# start_nodes GROUP COUNT [OPTION…]: over a separate database. Together they are the server GROUP.
start_nodes() {
  local group=$1 i name address at=$stand/certificates
  for ((i = 1; i <= $2; ++i)); do
    name=$group$i address=127.0.0.1:$(free_port)
    certificate "$name"
    gateway_options=(--master-key="$stand/$group.key" --base-url=https://bench.example --node="$name" --cluster-listen="$address"
      --cluster-address="$address" --cluster-certificate="$at/$name.pem" --cluster-key="$at/$name.key" --cluster-ca="$at/ca.pem" "${@:3}")
    # They share one merchant and one key.
    [ "$i" = 1 ] || key_id[$name]=${key_id[${group}1]}
    start_gateway "$name" mariadb "gateway_$group"
    nodes_of[$group]+=" $name"
    url[$group]+=${url[$group]:+,}${url[$name]}
  done
  key_id[$group]=${key_id[${group}1]} key_secret[$group]=${key_secret[${group}1]}
}

# sum_of GROUP METRIC…
sum_of() {
  local name sum=0
  for name in ${nodes_of[$1]}; do sum=$((sum + $(sample "$name" "${@:2}"))); done
  echo "$sum"
}
