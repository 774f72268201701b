# places.bats - pp-report of where samples were: sockets, namespaces and mappings; beside perf
# report.

setup() {
	load ../../helper
	load report
}

# placed: samples on processors of two sockets, in namespaces that change, and in mappings of several lengths
placed() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,task,namespaces
		event_update id=1 name=made
		feature NRCPUS u32 4 u32 4
		feature CPU_TOPOLOGY u32 2 string "0-1" string "2-3" u32 4 string 0 string 1 string 2 string 3 u32 0 u32 0 u32 1 u32 0 u32 0 u32 1 u32 1 u32 1 u32 1 string "0-3" u32 0 u32 0 u32 0 u32 0
		comm pid=7 tid=7 comm=seven time=1
		comm pid=8 tid=8 comm=eight time=1
		mmap2 pid=7 tid=7 start=0x10000 len=0x8000 prot=5 file=/nowhere/a.so time=2
		mmap2 pid=7 tid=7 start=0x12000 len=0x2000 prot=5 file=/nowhere/b.so time=3
		mmap2 pid=8 tid=8 start=0x10000 len=0x8000 prot=5 file=/nowhere/a.so time=3
		mmap2 pid=8 tid=8 start=0x20000 len=0x40000000 prot=5 file=/nowhere/a.so time=3
		namespaces pid=7 tid=7 links=4:1,4:2,4:3,4:4,4:5,4:6,4:0xeffffffb time=4
		namespaces pid=8 tid=8 links=4:1,4:2,4:3,4:4,4:5,4:6,4:0xf0000001 time=4
		sample id=1 misc=2 pid=7 tid=7 time=10 cpu=0 period=1 ip=0x10010
		sample id=1 misc=2 pid=8 tid=8 time=11 cpu=1 period=1 ip=0x12010
		sample id=1 misc=2 pid=7 tid=7 time=12 cpu=2 period=1 ip=0x14010
		sample id=1 misc=2 pid=7 tid=7 time=13 cpu=3 period=1 ip=0x12010
		sample id=1 misc=2 pid=11 tid=11 time=14 cpu=3 period=1 ip=0x100010
		namespaces pid=8 tid=8 links=4:1,4:2,4:3,4:4,4:5,4:6,3:0xf0000009 time=15
		sample id=1 misc=2 pid=8 tid=8 time=16 cpu=3 period=1 ip=0x20010
		namespaces pid=8 tid=8 links=4:1,4:2,4:3,4:4,4:5,4:6,4:0xeffffff0 time=17
		sample id=1 misc=2 pid=8 tid=8 time=18 cpu=3 period=1 ip=0x600000000010
		exit pid=7 ppid=7 tid=7 ptid=7 time=19
		sample id=1 misc=2 pid=7 tid=7 time=20 cpu=1 period=1 ip=0x12010
		round
	END
}

@test "report: sockets, namespaces and lengths of mappings are shown as perf 7.3 shows them" {
	need_newer_perf 7.3
	placed | build >in
	compared "$(newer_perf 7.3)" <<-'END'
		-s socket
		-s socket,cpu
		-F socket,overhead
		-s socket -t ,
		-s cgroup_id
		-s cgroup_id,comm
		-F cgroup_id,overhead
		-s cgroup_id -t , -n
		-s dso_size
		-s dso_size,dso
		-F dso_size,overhead
		-s dso_size -t ,
		-s so,cgroup_,dso_s
	END
}

@test "report: sockets, namespaces and lengths of mappings that are not known" {
	placed | build >in
	pp-report --csv -s dso_size,socket,cgroup_id in | tr -d '\r' | sed 's/^made,12.5000,//' | sort >got
	sort >expected <<-'END'
		,1,0/0x0
		,1,4/0xeffffff0
		1073741824,1,3/0xf0000009
		16384,1,4/0xeffffffb
		32768,0,4/0xf0000001
		8192,0,4/0xeffffffb
		8192,0,4/0xeffffffb
		8192,1,4/0xeffffffb
		event,overhead,dso_size,socket,cgroup_id
	END
	# that of CPU 0 and that of CPU 1 are one
	sort -u expected | sed 's/^8192,0,/made,25.0000,&/' | sort | diff - <(sort -u got)
	placed | sed '/^feature/d' | build >in
	pp-report --json -s socket,dso_size in | jq -c 'select(.overhead) | has("socket")' | sort -u | grep -qx false
	[[ $(pp-report --json -s dso_size in) == *'"overhead":25.0000}'* ]]
	pp-report -s socket in | grep -q '100.00%    -001$'
}
