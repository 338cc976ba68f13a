#!/bin/sh
# Fuzzes every reader with FUZZ_RUNS inputs or for FUZZ_SECONDS each, whichever ends first. FOLDER/NAME/corpus holds the
# seeds and receives inputs that extend the coverage; FOLDER/NAME/crashes receives inputs that fail. Any stable compiler
# will do: these are the flags with which `cargo bolero` builds for libFuzzer.
set -eu
folder=$(realpath "$1")
cd "$(dirname "$0")/../.."

host=$(rustc -vV | sed -n 's/^host: //p')
export BOLERO_FUZZER=libfuzzer
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module --cfg fuzzing_libfuzzer \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
-Cllvm-args=-sanitizer-coverage-stack-depth"

build() { # arguments of cargo test; prints the program
    ${CARGO:-cargo} test --no-run --profile fuzz --target "$host" --target-dir target/fuzz-build "$@" 2>&1 |
        tee /dev/stderr | sed -n 's/^ *Executable.*(\(.*\))$/\1/p'
}

fuzz() { # program, test, name
    mkdir -p "$folder/$3/corpus" "$folder/$3/crashes"
    echo "== $3"
    BOLERO_LIBFUZZER_ARGS="$folder/$3/corpus -artifact_prefix=$folder/$3/crashes/ -runs=$FUZZ_RUNS \
-max_total_time=$FUZZ_SECONDS -timeout=10 -max_len=8192 -rss_limit_mb=2048 -print_final_stats=1" "$1" "$2" --exact --nocapture
}

program=$(build -p cryptable-fuzz --test readers)
for name in $(sed -n '/^readers! {/,/^}/p' crates/fuzz/tests/readers.rs | grep -E '^ +[a-z_]+$'); do
    fuzz "$program" "$name" "$name"
done
program=$(build -p cryptable-cli --bin cryptable)
for name in csv_values npy_values raw_values tables dictionaries pictures resumed_lookups; do
    mkdir -p "$folder/$name/corpus"
    cp crates/cli/tests/fuzz_seeds/* "$folder/$name/corpus"
    fuzz "$program" "formats::fuzz::readers::$name" "$name"
done
