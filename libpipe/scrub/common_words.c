/* common_words.c - words that say nothing of whose a recording is: the kernel's, perf's, those of folders. */
#include "scrub/scrub_state.h"

#include <ctype.h>
#include <string.h>

/* Each is between two blanks. */
static const char words[] =
	" cpu cycles instructions cache references misses branch branches bus stalled frontend backend"
	" ref clock task page fault faults context switch switches cs migrations minor major alignment"
	" emulation dummy output bpf cgroup L1 L2 L3 LLC dcache icache dTLB iTLB BPU node load loads"
	" store stores prefetch prefetches duration time user system duration_time user_time"
	" system_time mem ldlat umask event period freq config config1 config2 config3 cmask inv edge"
	" any core atom cpu_core cpu_atom cpum_cf topdown slots td fe be bound retiring bad spec raw"
	" type tracepoint software breakpoint kprobe uprobe msr power intel_pt intel_bts cstate_core"
	" cstate_pkg uncore_imc uncore_cbox ibs_op ibs_fetch armv8_pmuv3 armv8_pmuv3_0 cs_etm"
	" arm_spe_0 aperf mperf pperf tsc smi energy pkg ram cores gpu psys off wait idle wall rw rwx"
	" ms msec ns us s sec Joules J KiB MiB GiB KB MB GB bytes Bytes C Hz MHz GHz Watts CPUs at to"
	" amd64 i386 generic lowlatency cloud azure aws gcp oracle kvm rpi rt debug default server"
	" desktop x86 x86_64 aarch64 arm64 ppc64le s390x riscv64 el7 el8 el9 el10 el8_10 el9_4 el9_5"
	" fc39 fc40 fc41 fc42 deb11 deb12 deb13 deb14 bpo rc1 rc2 rc3 rc4 rc5 rc6 rc7 rc8 ended execed"
	" unread performance powersave ondemand schedutil conservative userspace all ";

static const char folders[] =
	" . .. usr bin sbin lib lib32 lib64 libexec local share opt etc var tmp run dev proc sys home"
	" root boot modules kernel drivers fs net x86_64-linux-gnu aarch64-linux-gnu site-packages"
	" dist-packages node_modules jvm python3 perf self exe maps fd shm zero"
	" null ";

static const char systems[] =
	" sched syscalls raw_syscalls irq irq_vectors timer hrtimer workqueue block kmem net napi sock"
	" tcp udp skb qdisc fib neigh writeback ext4 xfs btrfs jbd2 nfs nfs4 sunrpc power signal task"
	" exceptions lock rcu cgroup migrate compaction vmscan oom filemap pagemap mmap mmap_lock"
	" random io_uring kvm kvmmmu mce msr nmi tlb xdp iommu dma_fence drm i915 scsi nvme module"
	" printk thermal preemptirq huge_memory page_isolation cpuhp clk regulator rpm gpio i2c spi"
	" ftrace percpu swiotlb rseq x86_fpu context_tracking error_report watchdog ";

static const char arguments[] =
	" record stat report script count all dwarf fp lbr no caller callee ";

/* After two dashes, and letters after one. */
static const char long_options[] =
	" all-cpus call-graph output event freq count pid tid cpu no-inherit no-buildid"
	" no-buildid-cache buildid-all build-ids switch-output overwrite timestamp period off-cpu"
	" delay mmap-pages compress intr-regs user-regs branch-filter per-thread data phys-data"
	" raw-samples sample-cpu namespaces all-cgroups clockid quiet verbose note interval-print"
	" repeat no-aggr per-core per-socket user max-size sideband ";

static const char letters[] = "abcdeghijkmnopqrstuvxzBCDFGIRSTW";

static const char maps[] =
	" [kernel.kallsyms] [kernel.kallsyms]_text [kernel.kallsyms]_stext [kernel.vmlinux] [kernel]"
	" [vmlinux] [guest.kernel.kallsyms] [guest.kernel.kallsyms]_text [guest.kernel.kallsyms]_stext"
	" [vdso] [vdso32] [vdsox32] [vsyscall] [vvar] [vvar_vclock] [heap] [stack] [anon] [unknown]"
	" [uprobes] [sigpage] [vectors] [bpf] //anon //toolong //enomem /dev/zero /anon_hugepage"
	" anon_inode:[perf_event] anon_inode:[eventpoll] anon_inode:[eventfd] anon_inode:[io_uring]"
	" anon_inode:[kvm-vcpu] anon_inode:bpf-map anon_inode:bpf-prog anon_inode:[timerfd]"
	" anon_inode:[signalfd] anon_inode:inotify ";

static bool is_listed(const char *list, const char *word, size_t length)
{
	const char *at = list;

	if (!length || memchr(word, ' ', length) || memchr(word, 0, length))
		return false;
	while ((at = strchr(at, ' ')) && *++at)
		if (!strncmp(at, word, length) && at[length] == ' ')
			return true;
	return false;
}

bool pp_is_common_word(const char *word, size_t length)
{
	return is_listed(words, word, length);
}

bool pp_is_common_folder(const char *name, size_t length)
{
	static const char python[] = "python3.";
	const size_t n = sizeof(python) - 1;

	if (length > n && length <= n + 2 && !memcmp(name, python, n))
		return isdigit((uint8_t)name[n]) && isdigit((uint8_t)name[length - 1]);
	if (length > 3 && !memcmp(name, "pp-", 3))
		return is_listed(" record count ", name + 3, length - 3);
	return is_listed(folders, name, length);
}

bool pp_is_kernel_system(const char *name, size_t length)
{
	return is_listed(systems, name, length);
}

bool pp_is_common_option(const char *option, size_t length)
{
	if (length == 2 && *option == '-')
		return option[1] == '-' || (option[1] && strchr(letters, option[1]));
	if (length > 2 && !memcmp(option, "--", 2))
		return is_listed(long_options, option + 2, length - 2);
	return (length == 1 && *option == '-') || is_listed(arguments, option, length);
}

bool pp_is_special_map(const char *name, size_t length)
{
	return is_listed(maps, name, length);
}
