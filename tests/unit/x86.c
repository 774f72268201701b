/* x86.c - what single instructions do, which no tool shows; and which of many, in lines of "HEX LENGTH", have
 * another length here. */
#include "dwarf/x86_decode.h"

#include <stdio.h>
#include <string.h>

#define CHECK(that) ((that) ? (void)0 : (void)printf("x86.c:%d: %s\n", __LINE__, #that))

static struct pp_x86 decode(const char *bytes, size_t size)
{
	struct pp_x86 is;

	if (!pp_x86_decode((const uint8_t *)bytes, size, &is) || is.length != size)
		printf("an instruction of %zu bytes is none\n", size);
	return is;
}
#define OF(bytes) decode(bytes, sizeof(bytes) - 1)

static void operands(void)
{
	struct pp_x86 is = OF("\x48\x8b\x44\x8f\x10");          /* mov 0x10(%rdi,%rcx,4),%rax */

	CHECK(is.kind == PP_X86_LOAD && is.memory && is.base == PP_X86_RDI && is.index == PP_X86_RCX);
	CHECK(is.scale == 4 && is.displacement == 16 && is.to == PP_X86_RAX && !is.changes);
	is = OF("\x4d\x89\x6c\x24\xf8");                        /* mov %r13,-8(%r12) */
	CHECK(is.kind == PP_X86_OTHER && is.memory && is.base == 12 && is.index == PP_X86_NONE);
	CHECK(is.displacement == -8 && !is.changes);
	is = OF("\x8b\x05\x10\x00\x00\x00");                    /* mov 16(%rip),%eax */
	CHECK(is.base == PP_X86_RIP && is.displacement == 16 && is.changes == 1 << PP_X86_RAX);
	is = OF("\x48\x8b\x04\xcd\x00\x10\x40\x00");            /* mov 0x401000(,%rcx,8),%rax */
	CHECK(is.base == PP_X86_NONE && is.index == PP_X86_RCX && is.scale == 8);
	CHECK(is.displacement == 0x401000);
	is = OF("\x64\x48\x8b\x04\x25\x28\x00\x00\x00");        /* mov %fs:0x28,%rax */
	CHECK(is.segment == 'f' && is.base == PP_X86_NONE && is.displacement == 0x28);
	is = OF("\x67\x8b\x07");                                /* mov (%edi),%eax */
	CHECK(is.vague);
	is = OF("\xc4\xe2\x7d\x90\x04\x0f");                    /* vpgatherdd: its index is a vector */
	CHECK(is.vague);
}

static void registers(void)
{
	struct pp_x86 is = OF("\x48\x89\xf8");                  /* mov %rdi,%rax */

	CHECK(is.kind == PP_X86_MOVE && is.from == PP_X86_RDI && is.to == PP_X86_RAX && !is.memory);
	is = OF("\x89\xf8");                                    /* mov %edi,%eax */
	CHECK(is.kind == PP_X86_OTHER && is.changes == 1 << PP_X86_RAX);
	is = OF("\x88\xe1");                                    /* mov %ah,%cl */
	CHECK(is.changes == 1 << PP_X86_RCX);
	is = OF("\x88\xcc");                                    /* mov %cl,%ah */
	CHECK(is.changes & 1 << PP_X86_RAX);
	is = OF("\x48\x83\xef\x18");                            /* sub $24,%rdi */
	CHECK(is.kind == PP_X86_ADD && is.number == -24 && is.to == PP_X86_RDI);
	is = OF("\x48\x01\xd0");                                /* add %rdx,%rax */
	CHECK(is.kind == PP_X86_ADD_REGISTER && is.from == PP_X86_RDX && is.to == PP_X86_RAX);
	is = OF("\x48\x8d\x47\x08");                            /* lea 8(%rdi),%rax */
	CHECK(is.kind == PP_X86_ADDRESS && !is.memory && is.to == PP_X86_RAX && is.displacement == 8);
	is = OF("\xf2\x0f\x10\x07");                            /* movsd (%rdi),%xmm0 */
	CHECK(is.memory && !is.changes);
	is = OF("\xf7\x37");                                    /* divl (%rdi) */
	CHECK(is.memory && is.changes == (1 << PP_X86_RAX | 1 << PP_X86_RDX));
	is = OF("\x48\x0f\x44\xc2");                            /* cmove %rdx,%rax */
	CHECK(is.changes == 1 << PP_X86_RAX);
	is = OF("\xc4\xe2\xf0\xf2\xc7");                        /* andn %rdi,%rcx,%rax */
	CHECK(is.changes & 1 << PP_X86_RAX);
	is = OF("\x0f\x1f\x40\x00");                            /* nopl 0(%rax) */
	CHECK(!is.memory && !is.changes);
}

static void flow(void)
{
	struct pp_x86 is = OF("\xe8\xfb\xff\xff\xff");          /* call itself */

	CHECK(is.kind == PP_X86_CALL && is.direct && is.target == -5 && is.stack);
	is = OF("\x75\x10");
	CHECK(is.kind == PP_X86_BRANCH && is.direct && is.target == 16);
	is = OF("\xff\x24\xc5\x00\x10\x40\x00");                /* jmp *0x401000(,%rax,8) */
	CHECK(is.kind == PP_X86_JUMP && !is.direct && is.memory);
	is = OF("\xc3");
	CHECK(is.kind == PP_X86_END && is.stack);
	is = OF("\x39\x07");                                    /* cmp %eax,(%rdi) */
	CHECK(is.compares && is.memory && !is.changes);
}

/* Whatever bytes are there, and wherever they end. */
static void all(void)
{
	uint8_t bytes[16];
	uint32_t number = 1;
	struct pp_x86 is;

	for (unsigned i = 0; i < 1 << 18; i++) {
		const size_t size = i % sizeof(bytes);

		for (size_t n = 0; n < sizeof(bytes); n++) {
			number = number * 1103515245 + 12345;
			bytes[n] = (uint8_t)(number >> 16);
		}
		if (!pp_x86_decode(bytes, size, &is))
			continue;
		CHECK(is.length && is.length <= size && is.length <= 15);
		CHECK(is.base <= PP_X86_RIP || is.base == PP_X86_NONE);
		CHECK(is.index < PP_X86_REGISTERS || is.index == PP_X86_NONE);
		CHECK((is.to < PP_X86_REGISTERS || is.to == PP_X86_NONE) && is.kind <= PP_X86_END);
	}
}

static void lengths(FILE *in)
{
	char hex[64];
	unsigned length;

	while (fscanf(in, "%63s %u", hex, &length) == 2) {
		uint8_t bytes[32];
		struct pp_x86 is;
		size_t n = 0;

		for (unsigned byte; n < sizeof(bytes) && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
			bytes[n] = (uint8_t)byte;
		if (!pp_x86_decode(bytes, n, &is) || is.length != length)
			printf("%s has %u bytes\n", hex, length);
	}
}

int main(void)
{
	FILE *const in = fopen("lengths", "r");

	operands();
	registers();
	flow();
	all();
	if (in)
		lengths(in);
	return 0;
}
