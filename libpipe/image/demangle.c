/*
 * demangle.c - names as their languages write them: C++, Rust and D, by libiberty's demanglers, OCaml and
 * Java as perf does.
 *
 * A mangled name of a few hundred bytes may stand for one of many megabytes, so that what comes out is
 * cut: the callbacks of C++ and Rust end it, and D, which has none, is left as it is where it repeats
 * itself often.  Licence: CONTRIBUTING.md.
 */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>
#else /* of binutils-devel, as Fedora has it */
#include <demangle.h>
#include <libiberty.h>
#endif
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "image/elf_image.h"

enum {
	MOST = 65536 - 1024,          /* of a name that comes out; it has to fit in a record */
	MANGLED_MOST = 32768,
	D_MOST = 2048, D_REFERENCES = 10,
};

#define PLT "@plt"

struct out {
	struct pp_buffer *to;
	bool full, failed;
	jmp_buf end;
};

/* There is no other way to tell the demanglers that it is enough; they have nothing to free. */
static void take(const char *text, size_t length, void *arg)
{
	struct out *const out = arg;
	const size_t room = MOST - out->to->size;

	if (pp_buffer_add(out->to, text, length < room ? length : room, NULL))
		out->failed = true;
	else if (length >= room)
		out->full = true;
	if (out->failed || out->full)
		longjmp(out->end, 1);
}

/* 1: done; 0: it is no such name; -1: memory. */
static int by_callback(struct pp_buffer *to, const char *name, int how, bool rust)
{
	struct out out = { .to = to };
	int done;

	to->size = 0;
	if (!setjmp(out.end))
		done = rust ? rust_demangle_callback(name, how, take, &out) :
			      cplus_demangle_v3_callback(name, how, take, &out);
	else
		done = out.full;
	if (out.failed)
		return -1;
	return done && to->size ? pp_buffer_add(to, "", 1, NULL) ? -1 : 1 : 0;
}

/* Each reference may double what there is. */
static bool is_tame(const char *name)
{
	size_t references = 0;

	for (const char *p = name; *p; p++)
		references += *p == 'Q';
	return strlen(name) <= D_MOST && references <= D_REFERENCES;
}

static atomic_flag registered = ATOMIC_FLAG_INIT;
static _Thread_local jmp_buf *no_memory;        /* where the demangler of D is left; set while it is called */

static void leave(void)
{
	if (no_memory)
		longjmp(*no_memory, 1);
}

/* *text: the name, to be freed, or NULL.  0, or -1: where memory is lacking, libiberty says so on
 * stderr, and would end the program, but for what it lets run before that. */
static int demangle_d(const char *name, int how, char **text)
{
	jmp_buf here;

	*text = NULL;
	if (!atomic_flag_test_and_set(&registered) && xatexit(leave))
		return -1;
	no_memory = &here;
	if (!setjmp(here)) {
		*text = dlang_demangle(name, how);
		no_memory = NULL;
		return 0;
	}
	no_memory = NULL;
	return -1;
}

static int as_d(struct pp_buffer *to, const char *name, int how)
{
	size_t length;
	char *text;
	int failed;

	if (!is_tame(name))
		return 0;
	if (demangle_d(name, how, &text))
		return -1;
	if (!text)
		return 0;
	length = strlen(text);
	to->size = 0;
	failed = pp_buffer_add(to, text, length < MOST ? length : MOST, NULL) ||
		 pp_buffer_add(to, "", 1, NULL);
	free(text);
	return failed ? -1 : 1;
}

/* As by_callback(), by which language it looks like. */
static int by_language(struct pp_buffer *to, const char *name, int how)
{
	int done = 0;

	if (name[1] == 'R' || name[1] == 'Z') {
		/* the first are Rust's own, and old names of it look like C++ but for their hash */
		done = by_callback(to, name, how, true);
		if (!done)
			done = by_callback(to, name, how, false);
	} else if (name[1] == 'D') {
		done = as_d(to, name, how);
	}
	return done;
}

/* "NAME@plt" has no demangler: what it calls has, and a name of a symbol ends before an '@'. */
static int of_plt(struct pp_buffer *to, const char *name, size_t length, int how)
{
	char *const called = strndup(name, length);
	int done;

	if (!called)
		return -1;
	done = by_language(to, called, how);
	free(called);
	if (done <= 0)
		return done;
	to->size--;
	return pp_buffer_add(to, PLT, sizeof(PLT), NULL) ? -1 : 1;
}

/* ---- OCaml and Java ---- */

static unsigned digit_of(char c)
{
	return c >= '0' && c <= '9' ? (unsigned)(c - '0') : (c | 32) >= 'a' && (c | 32) <= 'f' ?
	       (unsigned)((c | 32) - 'a' + 10) : 16;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int put_char(struct pp_buffer *to, char c)
{
	return pp_buffer_add(to, &c, 1, NULL);
}

/* "camlStdlib__List__map_1" is Stdlib.List.map_1; $2b is a '+'.  1; 0: it is no such name; -1: memory. */
static int as_ocaml(struct pp_buffer *to, const char *name)
{
	if (strncmp(name, "caml", 4) != 0 || !is_upper(name[4]))
		return 0;
	to->size = 0;
	for (const char *at = name + 4; *at; at++) {
		const bool coded = *at == '$' && digit_of(at[1]) < 16 && digit_of(at[2]) < 16;
		const bool dot = *at == '_' && at[1] == '_';

		if (put_char(to, coded ? (char)(digit_of(at[1]) << 4 | digit_of(at[2])) : dot ? '.' : *at))
			return -1;
		at += coded ? 2 : dot;
	}
	return put_char(to, '\0') ? -1 : 1;
}

/* A type of Java's, of one letter; NULL: there is no such type. */
static const char *java_type(char letter)
{
	static const char letters[] = "BCDFIJSZV";
	static const char *const types[] = {
		"byte", "char", "double", "float", "int", "long", "short", "boolean", "void",
	};
	const char *const at = letter ? strchr(letters, letter) : NULL;

	return at ? types[at - letters] : NULL;
}

static int put_string(struct pp_buffer *to, const char *text)
{
	return pp_buffer_add(to, text, strlen(text), NULL);
}

/* "org/Foo;" is org.Foo; *at is at its end then.  1; 0: it has none; -1: memory. */
static int put_class(struct pp_buffer *to, const char **at)
{
	for (; **at && **at != ';'; ++*at)
		if (strchr("[()", **at))
			return 0;
		else if (put_char(to, **at == '/' ? '.' : **at))
			return -1;
	return **at == ';';
}

/* The parameters, "I[JLorg/Foo;)", up to the bracket: int, long[], org.Foo.  An array of a class is shown as
 * the class, and its brackets with the next type that is not a class, as in perf. */
static int put_types(struct pp_buffer *to, const char *at)
{
	const char *separator = "";
	size_t arrays = 0;
	int got;

	for (; *at != ')'; at++) {
		const char *const type = java_type(*at);

		if (*at == '[') {
			arrays++;
			continue;
		}
		if ((type && *at == 'V') || (!type && *at != 'L')) {
			if (type ? put_string(to, type) : put_char(to, *at))
				return -1;
			continue;
		}
		if (put_string(to, separator) || (type && put_string(to, type)))
			return -1;
		for (; type && arrays; arrays--)
			if (put_string(to, "[]"))
				return -1;
		separator = ", ";
		if (*at == 'L') {
			at++;
			got = put_class(to, &at);
			if (got <= 0)
				return got;
		}
	}
	return put_char(to, ')') || put_char(to, '\0') ? -1 : 1;
}

/* "Lorg/Foo;call(ILorg/Bar;)V", of the code that a jitdump had, is org.Foo.call(int, org.Bar).  As above. */
static int as_java(struct pp_buffer *to, const char *name)
{
	const char *const end = strrchr(name, ')'), *at = name + 1;
	int got;

	if (*name != 'L' || !end)
		return 0;
	to->size = 0;
	got = put_class(to, &at);
	if (got <= 0)
		return got;
	at++;
	if ((*at | 32) >= 'a' && (*at | 32) <= 'z' && put_char(to, '.'))
		return -1;
	for (; *at && *at != '('; at++)
		if (strchr("[;/)", *at))
			return 0;
		else if (put_char(to, *at))
			return -1;
	if (!*at || strchr(at, ')') != end || put_char(to, '('))
		return !*at || strchr(at, ')') != end ? 0 : -1;
	return put_types(to, at + 1);
}

const char *pp_demangled(struct pp_buffer *to, const char *name, enum pp_demangle how, bool of_file)
{
	const int options = how == PP_DEMANGLE_SHORT ? DMGL_NO_OPTS : DMGL_PARAMS | DMGL_ANSI;
	const bool other = of_file && (*name == 'c' || *name == 'L');
	const size_t length = how == PP_DEMANGLE_NO || (*name != '_' && !other) ? 0 : strlen(name);
	size_t called = length;
	int done;

	if (!length || length > MANGLED_MOST)
		return name;
	if (length > strlen(PLT) && !strcmp(name + length - strlen(PLT), PLT))
		called -= strlen(PLT);
	if (other)
		done = *name == 'c' ? as_ocaml(to, name) : as_java(to, name);
	else
		done = called < length ? of_plt(to, name, called, options) : by_language(to, name, options);
	if (done > 0 && to->size > MOST)
		to->data[MOST - 1] = '\0';
	return done < 0 ? NULL : done ? (const char *)to->data : name;
}
