# Measures deliveries to nginx. Sourced by tools/bench. tests/end_to_end/webhook_speed.cpp defines what must arrive, and in what time.

tools/install mariadb-server
tools/build end_to_end_webhook_speed

GATEWAY_NGINX=${GATEWAY_NGINX-$(tools/nginx)}
export GATEWAY_NGINX
# A buffer pool and redo log of the size for such backlogs: with a redo log of 64 MiB the server stalls every few seconds to flush.
make_stand
GATEWAY_TEST_MYSQL_URL=$(tools/mariadb start "$stand/mariadb-server" --buffer-pool=1G --redo-log=1G)
export GATEWAY_TEST_MYSQL_URL
GATEWAY_WEBHOOK_SPEED=${GATEWAY_WEBHOOK_SPEED:-whole} build/end_to_end_webhook_speed
