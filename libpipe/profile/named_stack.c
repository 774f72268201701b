/* named_stack.c - names the frames of a stack as the scripts do that fold what perf script prints. */
#include "profile/named_stack.h"

#include "format/format.h"
#include "model/map_names.h"
#include "profile/frame_suffixes.h"
#include "symbol/dso_name.h"
#include "symbol/function_name.h"
#include "symbol/source_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pp_named_stack_open(struct pp_named_stack *s, const struct pp_fold_options *how,
			struct pp_profile *profile)
{
	*s = (struct pp_named_stack){
		.how = how, .profile = profile, .frames = calloc(PP_PROFILE_DEEPEST + 2, sizeof(*s->frames)),
	};
	return s->frames ? 0 : -1;
}

void pp_named_stack_close(struct pp_named_stack *s)
{
	pp_strings_close(&s->objects);
	pp_buffer_free(&s->text);
	free(s->frames);
}

/* libc.so.6, or any.so */
static bool is_library(const char *dso)
{
	const char *const so = strstr(dso, ".so");

	return so && (!so[3] || so[3] == '.');
}

unsigned pp_named_stack_kind(const char *dso, unsigned mode)
{
	const size_t length = dso ? strlen(dso) : 0;

	if (mode == PP_MISC_KERNEL || mode == PP_MISC_GUEST_KERNEL)
		return PP_FLAME_KERNEL;
	if (dso && (pp_map_is_for_jit(dso) ||
		    (strstr(dso, "/perf-") && length > 4 && !strcmp(dso + length - 4, ".map"))))
		return PP_FLAME_JIT;
	if (!dso)
		return PP_FLAME_UNKNOWN;
	/* what the kernel maps for processes is its own: [vdso] */
	if (dso[0] == '[')
		return strstr(dso, "unknown") ? PP_FLAME_UNKNOWN : PP_FLAME_KERNEL;
	return is_library(dso) ? PP_FLAME_LIBRARY : PP_FLAME_PROGRAM;
}

static int add_text(struct pp_named_stack *s, const char *text, size_t length, struct pp_error *error)
{
	return pp_buffer_add(&s->text, text, length, error);
}

int pp_named_stack_task(struct pp_named_stack *s, const char *comm, size_t length, const char *pid,
			const char *tid, uint32_t *frame, struct pp_error *error)
{
	char numbers[64] = "";
	char *at;

	if (s->how->tid)
		snprintf(numbers, sizeof(numbers), "-%s/%s", pid, tid);
	else if (s->how->pid)
		snprintf(numbers, sizeof(numbers), "-%s", pid);
	s->text.size = 0;
	if (add_text(s, comm, length, error) || add_text(s, numbers, strlen(numbers), error))
		return -1;
	for (at = (char *)s->text.data; at < (char *)s->text.data + s->text.size; at++)
		if (*at == ' ')
			*at = '_';
	return pp_profile_frame(s->profile, (const char *)s->text.data, s->text.size,
				s->how->kinds && !s->how->objects ? PP_FLAME_GROUP : 0, frame, error);
}

/* The kind of a frame, as the profile has it. */
static int number_kind(struct pp_named_stack *s, unsigned kind, unsigned *number, struct pp_error *error)
{
	const char *const object = s->object ? s->object : "[unknown]";

	*number = s->how->kinds ? kind : 0;
	if (!s->how->objects)
		return 0;
	if (pp_strings_number(&s->objects, object, strlen(object), kind, number, error))
		return -1;
	++*number;
	return 0;
}

static int add_frame(struct pp_named_stack *s, const char *name, size_t length, unsigned kind,
		     struct pp_error *error)
{
	const bool marked = (kind == PP_FLAME_KERNEL && s->how->mark_kernel) ||
			    (kind == PP_FLAME_JIT && s->how->mark_jit) ||
			    (kind == PP_FLAME_INLINED && s->how->mark_inlined);
	unsigned number;

	s->cut |= s->n >= PP_PROFILE_DEEPEST;
	if (s->n >= PP_PROFILE_DEEPEST)
		return 0;
	s->text.size = 0;
	if (add_text(s, name, length, error) ||
	    (marked && add_text(s, pp_marks[kind], PP_MARK_LENGTH, error)) ||
	    number_kind(s, kind, &number, error))
		return -1;
	return pp_profile_frame(s->profile, (const char *)s->text.data, s->text.size, number,
				&s->frames[s->n++], error);
}

/* Names that a compiler at run time made of several, with "->" between them, are that many frames. */
int pp_named_stack_add(struct pp_named_stack *s, const char *name, unsigned kind, struct pp_error *error)
{
	const size_t length = kind == PP_FLAME_JIT ? pp_name_without_signature(name) :
						     pp_name_without_parameters(name);
	char *const copy = malloc(length + 1);
	size_t n = 0, first = s->n;

	if (!copy)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < length; i++) {
		const bool arrow = kind == PP_FLAME_JIT && name[i] == '-' && name[i + 1] == '>';

		if (arrow && n && add_frame(s, copy, n, kind, error)) {
			free(copy);
			return -1;
		}
		if (arrow) {
			n = 0;
			i++;
		} else if (name[i] != '"' && name[i] != '\'') {
			copy[n++] = name[i];
		}
	}
	if (add_frame(s, copy, n, kind, error)) {
		free(copy);
		return -1;
	}
	free(copy);
	/* Those are from the outermost to the innermost. */
	for (size_t last = s->n - 1; first < last; first++, last--) {
		const uint32_t frame = s->frames[first];

		s->frames[first] = s->frames[last];
		s->frames[last] = frame;
	}
	return 0;
}

/* Of a module as perf has it, "[ext4]", in `room`. */
static const char *file_name(const char *dso, unsigned kind, char room[PP_DSO_MODULE_ROOM])
{
	const char *const slash = dso ? strrchr(dso, '/') : NULL;

	if (pp_dso_module(dso, kind == PP_FLAME_KERNEL ? PP_MISC_KERNEL : PP_MISC_USER, room))
		return room;
	return slash ? slash + 1 : dso ? dso : "unknown";
}

/* A frame of a text that was made for it; NULL: for lack of memory it was not. */
static int add_made(struct pp_named_stack *s, char *text, unsigned kind, struct pp_error *error)
{
	const int status = text ? add_frame(s, text, strlen(text), kind, error) :
				  pp_fail(error, PP_E_NOMEM, NULL);

	free(text);
	return status;
}

int pp_named_stack_add_line(struct pp_named_stack *s, const struct pp_location *at, size_t frame,
			    unsigned kind, struct pp_error *error)
{
	char room[PP_DSO_MODULE_ROOM], *text;
	const int length = pp_source_line(at, frame, s->object ? file_name(s->object, kind, room) : NULL,
					  &text);

	return add_made(s, length < 0 ? NULL : text, kind, error);
}

int pp_named_stack_add_unnamed(struct pp_named_stack *s, uint64_t address, unsigned kind,
			       struct pp_error *error)
{
	const struct pp_location place = { .offset = address };
	char room[PP_DSO_MODULE_ROOM];
	const char *const name = file_name(s->object, kind, room);
	char *text;
	const int length = s->how->by_line ? pp_source_line(&place, 0, s->object ? name : NULL, &text) :
			   s->how->addresses ?
			   asprintf(&text, "[%s <%llx>]", name, (unsigned long long)address) :
			   asprintf(&text, "[%s]", name);

	return add_made(s, length < 0 ? NULL : text, kind, error);
}

int pp_named_stack_call(struct pp_named_stack *s, uint32_t *node, struct pp_error *error)
{
	for (size_t i = 0; i < s->n; i++) {
		const size_t at = s->how->reversed ? i : s->n - 1 - i;

		if (pp_profile_call(s->profile, *node, s->frames[at], node, error))
			return -1;
	}
	return 0;
}
