#!/bin/sh
# Fuzzes every reader: FUZZ_RUNS inputs or FUZZ_SECONDS each, whichever comes first. The folder holds NAME/corpus, with
# the seeds, and gets what is found. `-s NONE`: no sanitizer, which needs a nightly compiler; RUSTC_BOOTSTRAP lets the
# stable one pass the flags of coverage on.
set -eu
folder=$(realpath "$1")

fuzz() { # package, test, folder
    mkdir -p "$folder/$3/corpus" "$folder/$3/crashes"
    cargo bolero test -p "$1" --profile fuzz --engine libfuzzer -s NONE --rustc-bootstrap \
        --target-dir target/fuzz-build --runs "$FUZZ_RUNS" --time "${FUZZ_SECONDS}s" --timeout 10s \
        --max-input-length 65536 --corpus-dir "$folder/$3/corpus" --crashes-dir "$folder/$3/crashes" "$2"
}

cd "$(dirname "$0")/../.."
for name in $(sed -n '/^readers! {/,/^}/p' crates/fuzz/tests/readers.rs | grep -E '^ +[a-z_]+$'); do
    fuzz cryptable-fuzz "$name" "$name"
done
for name in csv_values npy_values raw_values tables dictionaries pictures resumed_lookups; do
    mkdir -p "$folder/$name/corpus"
    cp crates/cli/tests/fuzz_seeds/* "$folder/$name/corpus"
    fuzz cryptable-cli "formats::fuzz::readers::$name" "$name"
done
