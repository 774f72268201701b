# names.bash - loaded by tests of what is called how: the beginning of a stream with names of its own.

K=0xffffffff81000000

# head_with FIELD: two events, the second with FIELD in its samples; names for the kernel's addresses
head_with() {
	cat <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		attr id=2 sample_type=IP,TID,TIME,$1,PERIOD,IDENTIFIER flags=sample_id_all config=1
		ksymbol addr=$K len=256 ksym_type=1 name=outer time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=inner time=1
		comm pid=7 comm=seven time=5
	END
}
