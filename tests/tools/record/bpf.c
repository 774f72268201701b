/* bpf.c - loads a BPF program of two functions with types, then makes the file "loaded" and waits for
 * "stop".  Exits with 77 where bpf(2) is refused. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char names[] = "\0pp_outer\0pp_inner\0int";

static const struct {
	struct btf_header header;
	struct { struct btf_type t; uint32_t encoding; } number;
	struct btf_type prototype, outer, inner;
	char names[sizeof(names)];
} types = {
	{ BTF_MAGIC, BTF_VERSION, 0, sizeof(struct btf_header), 0, 16 + 3 * 12, 16 + 3 * 12, sizeof(names) },
	{ { 19, BTF_KIND_INT << 24, { 4 } }, BTF_INT_SIGNED << 24 | 32 },
	{ 0, BTF_KIND_FUNC_PROTO << 24, { 1 } },
	{ 1, BTF_KIND_FUNC << 24, { 2 } },
	{ 10, BTF_KIND_FUNC << 24, { 2 } },
	"\0pp_outer\0pp_inner\0int",
};

int main(void)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static const struct bpf_func_info functions[] = { { 0, 3 }, { 2, 4 } };
	union bpf_attr attr;
	int btf;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)&types;
	attr.btf_size = sizeof(types.header) + 16 + 3 * 12 + sizeof(names);
	btf = (int)syscall(SYS_bpf, BPF_BTF_LOAD, &attr, sizeof(attr));
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uintptr_t)"GPL";
	attr.prog_btf_fd = (uint32_t)btf;
	attr.func_info = (uintptr_t)functions;
	attr.func_info_rec_size = sizeof(functions[0]);
	attr.func_info_cnt = 2;
	if (btf < 0 || syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)) < 0) {
		perror("bpf");
		return 77;
	}
	close(creat("loaded", 0600));
	while (access("stop", F_OK))
		usleep(10000);
	return 0;
}
