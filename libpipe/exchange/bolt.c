/*
 * bolt.c - the samples of a program as llvm-bolt reads them: how often which branch was taken from where to
 * where; or, of samples without branches, how many were where in which symbol.
 *
 * Symbols are called "name" if other files can see them, and else "name/1".  llvm-bolt passes over names that
 * the program does not have, and what a recording says of symbols does not tell them apart, so that both are
 * written, in lines of which it takes one.
 */
#include <perfpipe/export.h>

#include "base/sized_options.h"
#include "exchange/branches.h"
#include "exchange/recording.h"
#include "profile/call_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place that a stack's sample was at; 0: it has none. */
static uint32_t innermost_place(const struct pp_export_event *event, uint32_t node)
{
	const struct pp_profile *const p = event->profile;
	uint32_t thread, cpu, place = 0;

	for (; node != PP_PROFILE_ROOT && !place; node = p->nodes[node].parent)
		place = pp_fold_place(event->fold, pp_tree_text(p, node)->kind, &thread, &cpu);
	return place;
}

static void count_samples(const struct pp_export_event *event, uint64_t *samples)
{
	for (size_t i = 0; i < event->profile->n_weights; i++) {
		const struct weighed_calls *const weights = &event->profile->weights[i];
		const uint32_t place = innermost_place(event, weights->node);

		samples[place] = pp_tree_sum(samples[place], weights->times[PP_PROFILE_FIRST]);
	}
}

/* A word of a line. */
static void put_symbol(struct pp_out *out, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\' || *name == '\n')
			pp_out_char(out, '\\');
		pp_out_char(out, *name == '\n' ? ' ' : *name);
	}
}

/* A symbol and the offset in it, and a blank. */
static void put_place(struct pp_out *out, const struct pp_code_place *place, bool local)
{
	char offset[24];
	const int length = snprintf(offset, sizeof(offset), "%s %" PRIx32 " ", local ? "/1" : "",
				    place->past);

	pp_out_bytes(out, "1 ", 2);
	put_symbol(out, place->function);
	pp_out_bytes(out, offset, (size_t)length);
}

static void put_samples_of_place(struct pp_out *out, const struct pp_code_place *place, bool local,
				 uint64_t samples)
{
	put_place(out, place, local);
	pp_out_dec(out, samples);
	pp_out_char(out, '\n');
}

static bool is_file(const struct pp_place_file *file, const char *name)
{
	const char *const slash = strrchr(file->dso, '/');

	return !strcmp(file->dso, name) || (slash && !strcmp(slash + 1, name));
}

/* Which file is written: 0, where there is none. */
static int choose_file(const struct pp_export *all, uint32_t *file, struct pp_error *error)
{
	*file = 0;
	if (!all->dso)
		return pp_recording_program(all, file, error);
	for (uint32_t i = 1; i <= pp_places_files(all->places) && !*file; i++)
		if (is_file(pp_places_file(all->places, i), all->dso))
			*file = i;
	return *file ? 0 : pp_fail(error, PP_E_USE, "there are no samples in %s", all->dso);
}

static void put_samples_at(const struct pp_export *all, uint32_t file, const uint64_t *samples,
			   struct pp_out *out)
{
	struct pp_code_place place;

	pp_out_text(out, "no_lbr ");
	put_symbol(out, all->events[0].name ? all->events[0].name : "samples");
	pp_out_char(out, '\n');
	for (uint32_t i = 1; i <= pp_places_count(all->places); i++) {
		pp_places_at(all->places, i, &place);
		if (!samples[i] || place.file != file || !place.function)
			continue;
		put_samples_of_place(out, &place, false, samples[i]);
		put_samples_of_place(out, &place, true, samples[i]);
	}
}

/* ---- branches ---- */

/* An end of a branch that is in the file; NULL: it is not. */
static const struct pp_code_place *end_in_file(const struct pp_export *all, uint32_t number, uint32_t file,
					       struct pp_code_place *place)
{
	pp_places_at(all->places, number, place);
	return place->file == file && place->function ? place : NULL;
}

static void put_end(struct pp_out *out, const struct pp_code_place *place, bool local)
{
	if (place)
		put_place(out, place, local);
	else
		pp_out_text(out, "0 [unknown] 0 ");
}

/* One line, of names of which there may be others; an end that is NULL is elsewhere. */
static void put_branch(struct pp_out *out, const struct pp_code_branch *branch,
		       const struct pp_code_place *from, const struct pp_code_place *to, bool local)
{
	put_end(out, from, local);
	put_end(out, to, local);
	pp_out_dec(out, branch->mispredicted);
	pp_out_char(out, ' ');
	pp_out_dec(out, branch->times);
	pp_out_char(out, '\n');
}

/* From one symbol to another both may be either; what comes from `from`, and what comes to `to`, counts once
 * in each case. */
static void put_branch_names(struct pp_out *out, const struct pp_code_branch *branch,
			     const struct pp_code_place *from, const struct pp_code_place *to)
{
	const bool one = !from || !to || from->function_number == to->function_number;

	put_branch(out, branch, from, to, false);
	if (one) {
		put_branch(out, branch, from, to, true);
		return;
	}
	put_branch(out, branch, from, NULL, true);
	put_branch(out, branch, NULL, to, true);
}

/* Whether there are any. */
static bool put_branches_at(const struct pp_export *all, uint32_t file, struct pp_out *out)
{
	struct pp_code_place from, to;
	bool any = false;

	for (size_t i = 0; i < pp_branches_count(all->branches); i++) {
		const struct pp_code_branch *const branch = pp_branches_item(all->branches, i);
		const struct pp_code_place *const source = end_in_file(all, branch->from, file, &from);
		const struct pp_code_place *const target = end_in_file(all, branch->to, file, &to);

		if (source || target)
			put_branch_names(out, branch, source, target);
		any |= source || target;
	}
	return any;
}

/* ---- all of it ---- */

int pp_export_bolt(const struct pp_export *given, struct pp_out *out, struct pp_error *error)
{
	struct pp_export all;
	uint64_t *samples;
	uint32_t file;

	if (pp_options_take(&all, sizeof(all), given, error) || choose_file(&all, &file, error))
		return -1;
	if (put_branches_at(&all, file, out))
		return 0;
	samples = calloc((size_t)pp_places_count(all.places) + 1, sizeof(*samples));
	if (!samples)
		return pp_fail(error, PP_E_NOMEM, NULL);
	count_samples(&all.events[0], samples);
	put_samples_at(&all, file, samples, out);
	free(samples);
	return 0;
}
