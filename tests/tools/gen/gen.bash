# gen.bash - what the tests of pp-gen share: how much there is in a stream, or in a file.

# samples FILE: how many pp-dump shows
samples() { pp-dump --type sample -i "$1" | wc -l; }

size() { stat -c %s "$1"; }
