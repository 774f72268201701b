# recordings.bash - the files of the corpus, and what is expected of each; for the tests beside it.

# file | exit | container | byte order | dialect | samples | words of the reason, of those refused
#
# What stays unreadable: fuzzed headers (nothing in them is true); data.N of a folder alone, which
# has neither header nor attributes; the two that perf 6.1 inject spoils: one without its header,
# one whose attributes lie over its data.  Of what is cut, all that is whole is delivered.
table() {
	cat <<'END'
big-endian/perf.data.piped.powerpc|0|stream|big|Google header strings|9997
big-endian/perf.data.piped.powerpc.no-google-hdr|0|stream|big|-|9997
fuzz/clusterfuzz-testcase-minimized-quipper_perf_reader_read_fuzzer-4883679740166144|0|stream|little|-|0
fuzz/poc-145fc46ec928e50d7116f6137a3a074bf5c6934c9ab07e3529d0e8e021e7481f|3|-|-|-|-|a perf.data file with attributes of 68116944347201542 bytes, not a stream
fuzz/poc-1d0e6544b4addbadb2ff7c136962f7aab8e290a8275d4a46694758c4e75e7a13|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
fuzz/poc-2c02c3aa9fb2a613b65097e26fd182d748b0c81b9359a012b09cbe7a358d3ca2|3|stream|little|-|0|record 1 at byte 106 (UNKNOWN_3220111360): the stream ends inside a record
fuzz/poc-3be2b745d86f9b6e8491a391f14200007b6841fb5c25b010752c87f1e53af9b5|3|stream|little|-|0|record 1 at byte 106 (UNKNOWN_1166016512): record is smaller than its own header
fuzz/poc-4a52fdd4e9d5adcda85329e1f5fb6f425788e63cef41209f83bfd6edcfae4ff3|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
fuzz/poc-62e91c55617092aa82376846d050d7353ed899748d8e5990f381c2143d090e53|3|stream|big|-|0|record 0 at byte 16 (STAT): cpu: field runs past the record
fuzz/poc-6811aac63baf66b46afe603c99b882dfeca9bda96e0c0fc6ba9d807ae9370309|3|stream|little|-|0|record 1 at byte 187 (UNKNOWN_543450482): the stream ends inside a record
fuzz/poc-7bef7f895afc2ab06ed34b6ab7a961edac3c6ef0ff821a59a54f1e30a1ef3aa7|3|stream|big|-|0|record 0 at byte 16 (NAMESPACES): nr: field runs past the record
fuzz/poc-95cc7524c6b55c7d26365fdacc8a04e7a8aae7bb2ae2c367e08d2e2872212b9d|3|stream|big|-|0|record 1 at byte 32 (UNKNOWN_560189253): the stream ends inside a record
fuzz/poc-ba8a4480ea231128f3d5515fdd75f4ff5d20e090a37f701608bd299aee1fb4bd|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
fuzz/poc-c895bf2ccfcc61dda638783feda6600e4e11a130285ab140faacb5d63399b4f4|3|-|-|-|-|a perf.data file with attributes of 0 bytes, not a stream
fuzz/poc-d8b5768bcbbc2fbe0b5823623a84bb74a1c7bd832e66ecf598d3fc424ca34dc5|3|stream|little|-|0|record 1 at byte 106 (UNKNOWN_1166016512): the stream ends inside a record
fuzz/poc-eebb35632622f4e6e07b2908a92de53ee73e9eb83c8c84bcb2cb81c1a3b46327|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
hiperf/report_test.data|0|perf.data file|little|hiperf|20
linux-perf-data/sleep.compressed.data|0|perf.data file|little|-|8
linux-perf-data/sleep.compressed.pipe.data|0|stream|little|-|8
linux-perf-data/sleep.compressed2.pipe.data|3|stream|little|-|7|record 197 at byte 31808 (UNKNOWN_1701847131): the stream ends inside a record
linux-perf-data/sleep.data|0|perf.data file|little|-|7
linux-tracepoints/pipe.data|0|stream|little|-|551
perf-6.1/bad.perf61-inject-noheader.pipe.data|3|-|-|-|-|its first 16 bytes, the header, are missing
perf-6.1/bad.perf61-inject-pipe2file.data|3|perf.data file|little|-|0|record 1 at byte 104 (UNKNOWN_103608): record is smaller than its own header
perf-6.1/dirfmt.data|0|perf.data folder|little|-|91
perf-6.1/dirfmt.data/data|0|perf.data file|little|-|0
perf-6.1/dirfmt.data/data.0|3|-|-|-|-|it does not begin with PERFILE2
perf-6.1/dirfmt.data/data.1|3|-|-|-|-|it does not begin with PERFILE2
perf-6.1/dwarf.pipe.data|0|stream|little|-|3
perf-6.1/group.pipe.data|0|stream|little|-|60
perf-6.1/killed.data|0|perf.data file|little|-|0
perf-6.1/meta.data|0|perf.data file|little|-|88
perf-6.1/overwrite.data|0|perf.data file|little|-|19
perf-6.1/rec.data|0|perf.data file|little|-|22
perf-6.1/rec.inject2pipe.data|0|stream|little|-|22
perf-6.1/rec.pipe.data|0|stream|little|-|25
perf-6.1/rec.pipe.inject-b.data|0|stream|little|-|25
perf-6.1/rec.z.data|0|perf.data file|little|-|20
perf-6.1/rec.z.pipe.data|0|stream|little|-|27
perf-6.1/regs.pipe.data|0|stream|little|-|19
perf-6.1/stat.a.data|0|perf.data file|little|-|0
perf-6.1/stat.data|0|perf.data file|little|-|0
perf-6.1/stat.interval.data|0|perf.data file|little|-|0
perf-6.1/stat.pipe.data|0|stream|little|-|0
perf-6.1/tp.data|0|perf.data file|little|-|4
perf-6.1/tp.pipe.data|0|stream|little|-|4
perf-6.1/trunc-header.data|3|-|-|-|-|the file ends before its header is whole: need 72 bytes, have 60
perf-6.1/trunc-header.pipe.data|3|-|-|-|-|its header is not whole: need 16 bytes, have 12
perf-6.1/trunc-midrecord.pipe.data|3|stream|little|-|11|record 45 at byte 4964 (SAMPLE): the stream ends inside a record: need 80 bytes, have 36
perf-6.1/trunc.data|3|perf.data file|little|-|22|the file ends before its feature sections
perf-6.12/buildid-mmap.pipe.data|0|stream|little|-|343
perf-6.12/dwarf.pipe.data|0|stream|little|-|36
perf-6.12/group.pipe.data|0|stream|little|-|6
perf-6.12/meta.pipe.data|0|stream|little|-|1250
perf-6.12/rec.data|0|perf.data file|little|-|86
perf-6.12/rec.pipe.data|0|stream|little|-|87
perf-6.12/rec.z.data|0|perf.data file|little|-|81
perf-6.12/rec.z.pipe.data|0|stream|little|-|431
perf-6.12/stat.interval.pipe.data|0|stream|little|-|0
perf-6.12/stat.pipe.data|0|stream|little|-|0
perf-6.12/tp.pipe.data|0|stream|little|-|367
perf-7.3/buildid-mmap.pipe.data|0|stream|little|-|367
perf-7.3/dwarf.pipe.data|0|stream|little|-|41
perf-7.3/group.pipe.data|0|stream|little|-|344
perf-7.3/meta.pipe.data|0|stream|little|-|1040
perf-7.3/rec.data|0|perf.data file|little|-|78
perf-7.3/rec.pipe.data|0|stream|little|-|90
perf-7.3/rec.z.data|0|perf.data file|little|-|79
perf-7.3/rec.z.pipe.data|0|stream|little|-|447
perf-7.3/stat.interval.pipe.data|0|stream|little|-|0
perf-7.3/stat.pipe.data|0|stream|little|-|0
perf-7.3/tp.pipe.data|0|stream|little|-|386
quipper/perf.data.armv7-3.4|0|perf.data file|little|-|3893
quipper/perf.data.branch-4.14|0|perf.data file|little|-|13
quipper/perf.data.branch_stack_hw_index|0|perf.data file|little|-|5
quipper/perf.data.callgraph-3.4|0|perf.data file|little|-|1548
quipper/perf.data.callgraph-3.8|0|perf.data file|little|-|1768
quipper/perf.data.ctx_switch_namespaces-4.14|0|perf.data file|little|-|2
quipper/perf.data.group_desc-4.14|0|perf.data file|little|-|13
quipper/perf.data.hybrid_topology|0|perf.data file|little|-|7
quipper/perf.data.intel_pt-4.14|0|perf.data file|little|-|15
quipper/perf.data.lost_samples-4.4|0|perf.data file|little|-|191
quipper/perf.data.piped.corrupted.zero_size_sample-3.2|3|stream|little|-|0|record 570 at byte 49104 (SAMPLE): record is smaller than its own header
quipper/perf.data.piped.ctx_switch_namespaces-4.14|0|stream|little|-|7
quipper/perf.data.piped.extrabyte-3.4|3|stream|little|-|5218|record 8089 at byte 577664: the stream ends inside a record: need 8 bytes, have 1
quipper/perf.data.piped.header_features-4.16|0|stream|little|-|2
quipper/perf.data.piped.intel_pt-4.14|0|stream|little|-|11
quipper/perf.data.piped.lost_samples-4.4|0|stream|little|-|191
quipper/perf.data.piped.target-3.8|0|stream|little|-|5218
quipper/perf.data.piped.target.throttled-3.4|0|stream|little|-|228
quipper/perf.data.raw_callgraph_branch-3.4|0|perf.data file|little|-|513
quipper/perf.data.remmap-3.2|0|perf.data file|little|-|198
quipper/perf.data.singleprocess-3.8|0|perf.data file|little|-|13
quipper/perf.data.weight_struct|0|perf.data file|little|-|14
simpleperf/perf_b.data|0|perf.data file|little|-|150
simpleperf/perf_g_fp.data|0|perf.data file|little|-|10
simpleperf/perf_with_callchain_record.data|0|perf.data file|little|simpleperf|21
simpleperf/perf_with_tracepoint_event.data|0|perf.data file|little|simpleperf|45
simpleperf/perf_with_two_event_types.data|0|perf.data file|little|-|10
v1/noargs.perf.data|0|perf.data file|little|-|22496
END
}

# recordings STATUS...: files of the table with one of these exit statuses, without fuzz
recordings() {
	table | awk -F'|' -v want=" $* " '!/^fuzz/ && index(want, " " $2 " ") { print $1 }'
}
