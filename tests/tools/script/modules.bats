# modules.bats - the files of the kernel's modules, as all that show them call them.

setup() { load ../../helper; }

# bats test_tags=T3-C2
@test "script, report, fold: a module is what it is called in brackets, by whichever path its file was mapped, as in perf" {
	local path row=0 name
	{
		echo header
		echo 'attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD flags=sample_id_all,comm,mmap'
		echo 'comm pid=7 comm=seven'
		for path in /lib/modules/6.1/fs/ext4.ko /lib/modules/6.1/a-b.ko.xz '[ena]' /usr/lib/snd.ko.zst /lib/modules/6.1/c.ko.gz; do
			printf 'mmap misc=1 pid=-1 tid=0 start=0xffffffffc00%d0000 len=0x1000 file=%s\n' $row "$path"
			printf 'sample misc=1 pid=7 ip=0xffffffffc00%d0010 time=%d callchain=-128,0xffffffffc00%d0010\n' $row $((row + 5)) $row
			row=$((row + 1))
		done
		# a program may map such a file, which is not the kernel's then
		echo 'mmap pid=7 tid=7 start=0x400000 len=0x1000 file=/usr/lib/d.ko'
		echo 'sample misc=2 pid=7 ip=0x400010 time=50 callchain=-512,0x400010'
		echo round
	} | build >in
	pp-script -F ip,dso in | grep -o '(.*)' >got
	diff - got <<-'END'
		([ext4])
		([a_b])
		([ena])
		([snd])
		([c])
		(/usr/lib/d.ko)
	END
	pp-script -F ip,dso --csv in | grep -qF '[ext4]'
	pp-report -q --no-children -g none -s dso in | awk '/%/ { print $2 }' | sort >got
	printf '%s\n' '[a_b]' '[c]' '[ena]' '[ext4]' '[snd]' d.ko | diff - got
	pp-fold -q in | sed 's/.*;//; s/ .*//' >got
	printf '%s\n' '[[a_b]]' '[[c]]' '[[ena]]' '[[ext4]]' '[[snd]]' '[d.ko]' | diff - got
	need_perf
	# perf 6.1 takes no files of zstd for modules
	pp-script -F ip,dso in | grep -o '(.*)' | grep -v snd >got
	while read -r perf; do
		echo "$perf"
		"$perf" script -F ip,dso -i in 2>err </dev/null | grep -o '(.*)' | grep -v snd | diff - got
	done < <(perfs)
}
