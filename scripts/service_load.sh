#!/usr/bin/env bash
# Loads a server of this machine by a load generator (ab, of apache2-utils), kills it in the middle, starts it again, and
# checks that every job that it accepted is done in the end.
#
#   cargo build --release -p cryptable-cli --features serve
#   scripts/service_load.sh target/release/cryptable
set -euo pipefail

program=$(realpath "${1:?usage: service_load.sh PROGRAM [REQUESTS [AT_A_TIME]]}")
requests=${2:-2000}
at_a_time=${3:-32}
port=${PORT:-18080}
url=http://127.0.0.1:$port
cd "$(mktemp -d)"
trap 'kill -9 "$server" 2> /dev/null || true; rm -rf "$PWD"' EXIT

start() {
  "$program" serve --folder service --listen "127.0.0.1:$port" --queue 100000 --client-queue 100000 > server.log 2>&1 &
  server=$!
  until curl -fs "$url/healthz" > /dev/null; do sleep 0.05; done
}

field() { python3 -c "import json,sys; print(json.load(sys.stdin)$1)"; }

seq 3 -1 0 > table.csv
seq 0 3 > values.csv
"$program" --quiet keygen --mode single --bits 2 --secret client.key --evaluation server.key
"$program" --quiet encrypt --secret client.key --input values.csv --output values.ct
"$program" --quiet serve table add --folder service --name backwards --table table.csv
token=$("$program" --json serve client add --folder service --name load | field '["token"]')
auth="Authorization: Bearer $token"
start

upload() {
  digest=$(sha256sum "$2" | cut -d' ' -f1)
  announced="{\"kind\":\"$1\",\"length\":$(stat -c %s "$2"),\"sha256\":\"$digest\"}"
  id=$(curl -fs -H "$auth" -d "$announced" "$url/v1/uploads" | field '["id"]')
  curl -fs -H "$auth" -H 'Upload-Offset: 0' -T "$2" -X PATCH "$url/v1/uploads/$id"
  curl -fs -H "$auth" -X POST "$url/v1/uploads/$id/complete" > /dev/null
  echo "$digest"
}

key=$(upload evaluation-key server.key)
file=$(upload ciphertext values.ct)
echo "{\"key\":\"$key\",\"ciphertext\":\"$file\",\"tables\":[\"backwards\"]}" > order.json

echo "== $requests requests for tables, $at_a_time at a time"
ab -q -n "$requests" -c "$at_a_time" -H "$auth" "$url/v1/tables" | grep -E 'Requests per|Failed|Non-2xx|  99%'
echo "== $((requests / 10)) orders, $at_a_time at a time"
ab -q -n $((requests / 10)) -c "$at_a_time" -H "$auth" -T application/json -p order.json "$url/v1/jobs" |
  grep -E 'Requests per|Failed|Non-2xx|  99%'
echo "== orders until the server is killed"
ab -q -n 100000 -c "$at_a_time" -H "$auth" -T application/json -p order.json "$url/v1/jobs" > ab.log 2>&1 &
load=$!
sleep 1
kill -9 "$server"
wait "$load" || true
start
jobs() { curl -fs -H "$auth" "$url/v1/jobs"; }
accepted=$(jobs | field '.__len__()')
echo "$accepted jobs are there after the kill"
until jobs | python3 -c 'import json,sys; sys.exit(any(j["state"] in ("queued", "running") for j in json.load(sys.stdin)))'; do
  sleep 1
done
jobs | python3 -c '
import collections, json, sys
states = collections.Counter(job["state"] for job in json.load(sys.stdin))
print(dict(states))
sys.exit(set(states) != {"done"})'
last=$(jobs | field '[-1]["id"]')
curl -fs -H "$auth" -o result.ct "$url/v1/jobs/$last/results/0"
"$program" --quiet decrypt --secret client.key --input result.ct --output result.csv
grep -E '^[0-9]+$' result.csv | diff - table.csv && echo "results are right"
