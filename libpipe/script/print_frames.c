/*
 * print_frames.c - addresses as perf script prints them: symbol, offset, file, line, and what is inlined
 * there; of a sample, of its call chain, of its branches.  What an address is called is symbol/'s to know.
 */
#include "script/script.h"

#include <perfpipe/callchain.h>

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/array.h"
#include "model/task_places.h"
#include "symbol/dso_name.h"

enum {
	SLOTS = 1 << 16,              /* frames whose text is kept */
	TEXT_MOST = 8 << 20,          /* bytes of it */
	PIDS = 1024,
	USUAL_LENGTH = 64,            /* of the text of a frame: more than most have */
};

/* The text of a frame: of an address in a process, while nothing that is known of that changes, or of a place
 * in a file, in all processes that have it. */
struct slot {
	uint64_t address, owner;      /* or an offset, and the file */
	uint32_t change;              /* 0: empty */
	uint32_t at;
	uint32_t length : 31, bare : 1;       /* bare: the address is to be printed before it */
};

struct frames {
	struct pp_script *script;
	struct slot *slots;
	char *text;
	size_t size;
	uint32_t changes[PIDS];
	uint32_t change;              /* of all */
	struct pp_out made;           /* where a text is put together */
};

struct frames *pp_script_frames_new(struct pp_script *s)
{
	struct frames *const f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->script = s;
	f->change = 1;
	f->slots = calloc(SLOTS, sizeof(*f->slots));
	f->text = calloc(1, TEXT_MOST + USUAL_LENGTH);
	if (!f->slots || !f->text || pp_out_open(&f->made, -1)) {
		pp_script_frames_free(f);
		return NULL;
	}
	return f;
}

void pp_script_frames_free(struct frames *f)
{
	if (!f)
		return;
	f->made.at = 0;
	if (f->made.buf)
		(void)pp_out_close(&f->made);
	free(f->slots);
	free(f->text);
	free(f);
}

void pp_script_frames_note(struct frames *f, const struct pp_record *rec)
{
	uint64_t pid;

	if (pp_type_is(rec->type, PP_MAPS | PP_TASK) && pp_find_u64(rec, PP_IS_PID, &pid) &&
	    (rec->misc & PP_MISC_CPUMODE) != PP_MISC_KERNEL)
		f->changes[(uint32_t)pid % PIDS]++;
	else if (pp_type_is(rec->type, PP_MAPS) || rec->type == PP_REC_KSYMBOL ||
		 (rec->type >= PP_USER_TYPES && rec->type != PP_REC_FINISHED_ROUND) || pp_is_names(rec))
		f->change++;
}

/* ---- one address ---- */

struct frame_at {                       /* where an address is */
	struct pp_location place;
	uint64_t address, shown;      /* shown: as it is printed */
	uint32_t pid;
	unsigned mode;
	bool named;
	char module[PP_DSO_MODULE_ROOM];
};

static void find(struct line *l, struct frame_at *at, unsigned mode, uint64_t address)
{
	int got = -1;

	at->place = (struct pp_location){ .dso = NULL };
	/* the first failure of a line is the one that is said */
	if (!l->failed)
		got = pp_symbols_at(l->script->symbols, l->pid, mode, address, &at->place, l->error);
	if (got < 0)
		l->failed = -1;
	at->address = at->shown = address;
	at->pid = l->pid;
	at->mode = mode;
	if (got >= 0 && pp_dso_module(at->place.dso, mode, at->module))
		at->place.dso = at->module;
	at->named = got > 0 && at->place.count && *at->place.frames[at->place.count - 1].symbol;
}

/* The mode of an address that need not be of the mode of its sample: perf goes by the half that it is in. */
static unsigned mode_of(const struct line *l, uint64_t address)
{
	const unsigned mode = l->rec->misc & PP_MISC_CPUMODE;

	if (mode != PP_MISC_KERNEL && mode != PP_MISC_USER)
		return mode;
	return pp_mode_of_address(address);
}

static bool is_kernel(unsigned mode)
{
	return mode == PP_MISC_KERNEL || mode == PP_MISC_GUEST_KERNEL;
}

static void put_symbol(struct pp_out *out, const char *name, uint64_t into, bool offset)
{
	pp_put_name(out, name);
	if (offset) {
		pp_out_bytes(out, "+", 1);
		pp_out_hex(out, into);
	}
}

/* The name of a file as perf has it: code that a process made is in a map of its own. */
static void put_file(struct pp_out *out, const struct frame_at *at)
{
	const char *const dso = at->place.dso;

	if (!dso || !*dso)
		pp_out_text(out, "[unknown]");
	else
		pp_put_name(out, dso);
}

/* As perf: of the kernel's own code, and of BPF programs, there is no file that somebody could look into. */
static bool is_in_file(const struct frame_at *at)
{
	static const char *const none[] = { "[kernel", "[guest.kernel", "bpf_prog_" };
	const char *const dso = at->place.dso;

	for (size_t i = 0; dso && i < sizeof(none) / sizeof(none[0]); i++)
		if (!strncmp(dso, none[i], strlen(none[i])))
			return false;
	return dso != NULL;
}

static void put_dso(struct pp_out *out, const struct frame_at *at, uint64_t fields)
{
	pp_out_bytes(out, "(", 1);
	put_file(out, at);
	if (fields & FIELD(DSOFF) && is_in_file(at)) {
		pp_out_char(out, '+');
		pp_out_hex(out, at->place.offset);
	}
	pp_out_bytes(out, ")", 1);
}

static const char *without_folders(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Line 0, of code that a compiler made of no line, is one too. */
static bool has_line(const struct frame_at *at, size_t i)
{
	return i < at->place.count && *at->place.frames[i].file;
}

static void put_known_line(struct line *l, struct pp_out *out, const struct pp_named_frame *frame)
{
	pp_put_name(out, l->script->how.full_source ? frame->file : without_folders(frame->file));
	pp_out_char(out, ':');
	pp_out_dec(out, frame->line);
}

/* The line of a frame; where it is not known, the address as the file was linked. */
static void put_line(struct line *l, struct pp_out *out, const struct frame_at *at, size_t i)
{
	if (!at->place.dso)
		return;
	pp_out_text(out, "\n  ");
	if (has_line(at, i)) {
		put_known_line(l, out, &at->place.frames[i]);
		return;
	}
	pp_put_name(out, without_folders(at->place.dso));
	pp_out_char(out, '[');
	pp_put_digits(out, is_kernel(at->mode) ? at->address :
		      at->place.linked ? at->place.linked : at->place.offset);
	pp_out_char(out, ']');
}

/* Of which of its frames an address has the line: perf takes the innermost, but for frames that are shown
 * one by one; 6.1 takes it of these too. */
static size_t line_of(const struct line *l, size_t i)
{
	return l->script->how.like == PP_SCRIPT_6_1 || l->script->how.no_inline || !l->event->chain ? 0 : i;
}

/* One frame of an address: of those that are inlined there, or (last) the symbol itself, as which perf shows
 * what is of the same name, too: such as the part of a function that gcc split off, and put back. */
static void put_frame(struct line *l, struct pp_out *out, const struct frame_at *at, size_t i)
{
	const uint64_t fields = l->event->fields;
	const size_t n = at->place.count;
	const struct pp_named_frame *const frame = i < n ? &at->place.frames[i] : NULL;
	const bool last = i + 1 >= n || !strcmp(frame->symbol, at->place.frames[n - 1].symbol);

	if (fields & FIELD(SYM)) {
		pp_out_char(out, ' ');
		if (frame && *frame->symbol)
			put_symbol(out, frame->symbol, at->place.into, fields & FIELD(SYMOFF));
		else
			pp_out_text(out, "[unknown]");
	}
	if (fields & FIELD(DSO) && last) {
		pp_out_char(out, ' ');
		put_dso(out, at, fields);
	}
	if (fields & FIELD(SRCLINE))
		put_line(l, out, at, line_of(l, i));
	if (!last)
		pp_out_text(out, " (inlined)");
}

/* ---- a chain ---- */

/* An address of a chain, and the first of its frames that is shown. */
static size_t find_called(struct line *l, struct frame_at *at, unsigned mode, uint64_t address)
{
	find(l, at, mode, address);
	if (l->script->how.like == PP_SCRIPT_6_1 && at->place.dso && !is_kernel(mode))
		at->shown = at->place.offset;
	return l->script->how.no_inline && at->place.count ? at->place.count - 1 : 0;
}

/* Whether a frame is the last one that is shown of its chain. */
static bool is_last(const struct line *l, const struct frame_at *at, size_t i)
{
	const char *const names = l->script->how.last_frames;
	const size_t length = names && i < at->place.count ? strlen(at->place.frames[i].symbol) : 0;

	for (const char *name = length ? names : NULL; name; name = strchr(name, ',')) {
		name += *name == ',';
		if (!strncmp(name, at->place.frames[i].symbol, length) &&
		    (!name[length] || name[length] == ','))
			return true;
	}
	return false;
}

enum { ADDRESS_LENGTH = 17 };         /* of an address, and what is before it */

static void put_called_address(struct pp_out *out, uint64_t address)
{
	pp_out_char(out, '\t');
	pp_put_address(out, address);
}

/* Whether callers are shown, too. */
static bool put_frames_at(struct line *l, struct pp_out *out, const struct frame_at *at, size_t first)
{
	do {
		if (l->event->fields & FIELD(IP))
			put_called_address(out, at->shown);
		put_frame(l, out, at, first);
		pp_out_char(out, '\n');
		if (is_last(l, at, first))
			return false;
	} while (++first < at->place.count);
	return true;
}

static bool put_frames(struct line *l, struct pp_out *out, unsigned mode, uint64_t address)
{
	struct frame_at at;
	const size_t first = find_called(l, &at, mode, address);

	return put_frames_at(l, out, &at, first);
}

/* ---- texts that are kept ---- */

/* Of whom a text is: of a process in a mode, or of a file; of an event, which has its own fields. */
#define OF_FILE (UINT64_C(1) << 35)

static uint64_t owner_of(const struct line *l, uint32_t whose, uint64_t how)
{
	return whose | how | (uint64_t)l->event->attr->index << 36;
}

static struct slot *slot_of(struct frames *f, uint64_t address, uint64_t owner)
{
	return &f->slots[(address ^ address >> 16 ^ owner * UINT64_C(40503)) % SLOTS];
}

static bool is_in_slot(const struct slot *slot, uint64_t address, uint64_t owner, uint32_t change)
{
	return slot->address == address && slot->owner == owner && slot->change == change;
}

/* Keeps the text that was made.  False: it is too long for that. */
static bool keep(struct frames *f, struct slot *kept)
{
	if (f->made.at > TEXT_MOST / 4)
		return false;
	if (f->made.at > TEXT_MOST - f->size) {
		memset(f->slots, 0, SLOTS * sizeof(*f->slots));
		f->size = 0;
	}
	kept->at = (uint32_t)f->size;
	kept->length = (uint32_t)f->made.at;
	memcpy(f->text + f->size, f->made.buf, f->made.at);
	f->size += f->made.at;
	return true;
}

/* Most frames fit: no call, and no length. */
static inline void copy(char *to, const char *from, size_t length)
{
	memcpy(to, from, USUAL_LENGTH);
	if (length > USUAL_LENGTH)
		memcpy(to + USUAL_LENGTH, from + USUAL_LENGTH, length - USUAL_LENGTH);
}

static void put_kept(struct line *l, const struct slot *slot, uint64_t address)
{
	if (slot->bare)
		put_called_address(l->out, address);
	copy(pp_out_room(l->out, slot->length + USUAL_LENGTH), l->script->frames->text + slot->at,
	     slot->length);
	l->out->at += slot->length;
}

/* Prints what is at an address and fills in its text, and what of it is the same wherever the file is mapped,
 * if it is in one, or else nothing.  False: it is not kept. */
static bool make_text(struct line *l, unsigned mode, uint64_t address, struct slot *kept, struct slot *shared)
{
	struct frames *const f = l->script->frames;
	struct frame_at at;
	const size_t first = find_called(l, &at, mode, address);
	const bool numbered = l->event->fields & FIELD(IP) && at.shown == address;

	f->made.at = 0;
	put_frames_at(l, &f->made, &at, first);
	if (f->made.os) {             /* it is longer than what can be kept */
		f->made.os = 0;
		put_frames_at(l, l->out, &at, first);
		return false;
	}
	pp_out_bytes(l->out, f->made.buf, f->made.at);
	if (!keep(f, kept))
		return false;
	/* of several frames each has the address */
	if (at.place.dso && (!numbered || first + 1 >= at.place.count)) {
		*shared = *kept;
		shared->bare = numbered;
		shared->at += numbered ? ADDRESS_LENGTH : 0;
		shared->length -= numbered ? ADDRESS_LENGTH : 0;
	}
	return true;
}

/* The same of code that other processes have, too. */
static bool put_place(struct line *l, unsigned mode, uint64_t address, struct slot *kept)
{
	struct frames *const f = l->script->frames;
	struct slot shared = { .change = 0 };
	struct pp_file_place place;
	uint64_t owner;
	struct slot *slot;

	if (mode != PP_MISC_USER || pp_tasks_place(l->script->tasks, l->pid, address, &place) !=
				    PP_PLACED_IN_FILE)
		return make_text(l, mode, address, kept, &shared);
	owner = owner_of(l, place.file, OF_FILE);
	slot = slot_of(f, place.offset, owner);
	if (is_in_slot(slot, place.offset, owner, f->change)) {
		*kept = *slot;
		put_kept(l, kept, address);
		return true;
	}
	if (!make_text(l, mode, address, kept, &shared))
		return false;
	if (shared.length) {
		*slot = shared;
		slot->address = place.offset;
		slot->owner = owner;
		slot->change = f->change;
	}
	return true;
}

static void put_address(struct line *l, unsigned mode, uint64_t address)
{
	struct frames *const f = l->script->frames;
	const bool kernel = mode == PP_MISC_KERNEL;
	const uint64_t owner = owner_of(l, kernel ? 0 : l->pid, (uint64_t)mode << 32);
	const uint32_t change = f->change + (kernel ? 0 : f->changes[l->pid % PIDS]);
	struct slot *const slot = slot_of(f, address, owner);
	struct slot kept = { .change = 0 };

	if (is_in_slot(slot, address, owner, change)) {
		put_kept(l, slot, address);
		return;
	}
	if (put_place(l, mode, address, &kept)) {
		*slot = kept;
		slot->address = address;
		slot->owner = owner;
		slot->change = change;
	}
}

static void print_chain(struct line *l)
{
	struct pp_chain chain;
	uint64_t address;

	if (l->script->how.no_frames || !pp_chain_open_first(&chain, l->rec, l->script->how.most_frames))
		return;
	while (pp_chain_next(&chain, &address)) {
		/* which functions are at an address is not kept with its text */
		if (!l->script->how.last_frames)
			put_address(l, chain.mode, address);
		else if (!put_frames(l, l->out, chain.mode, address))
			break;
	}
}

void pp_print_ip(struct line *l)
{
	struct frame_at at;

	pp_out_char(l->out, l->event->chain ? '\n' : ' ');
	if (!l->event->frames)
		return;
	if (l->event->chain) {
		print_chain(l);
		return;
	}
	find(l, &at, l->rec->misc & PP_MISC_CPUMODE, l->ip);
	pp_put_address(l->out, l->ip);
	put_frame(l, l->out, &at, at.place.count ? at.place.count - 1 : 0);
}

/* ---- addresses as cells ---- */

static void put_name_cell(struct cells *c, const char *name, const char *text)
{
	pp_cell_text(c, name, text, text ? strlen(text) : 0);
}

/* One frame of an address as cells; NULL: not known. */
static void put_frame_cells(struct cells *c, struct line *l, const struct frame_at *at, size_t i)
{
	const struct pp_named_frame *const frame = at && i < at->place.count ? &at->place.frames[i] : NULL;
	const bool named = frame && *frame->symbol, filed = at && at->place.dso && *at->place.dso;
	struct pp_out *part;

	if (c->fields & FIELD(IP))
		pp_cell_hex(c, "ip", at, at ? at->shown : 0);
	if (c->fields & FIELD(SYM))
		put_name_cell(c, "sym", named ? frame->symbol : NULL);
	if (c->fields & FIELD(SYMOFF))
		pp_cell_hex(c, "symoff", named, at ? at->place.into : 0);
	if (c->fields & FIELD(DSO))
		put_name_cell(c, "dso", filed ? at->place.dso : NULL);
	if (c->fields & FIELD(DSOFF))
		pp_cell_hex(c, "dsoff", filed, at ? at->place.offset : 0);
	if (!(c->fields & FIELD(SRCLINE)))
		return;
	i = at ? line_of(l, i) : 0;
	part = pp_cell_part(c);
	if (at && has_line(at, i))
		put_known_line(l, part, &at->place.frames[i]);
	pp_cell_text(c, "srcline", part->at ? part->buf : NULL, part->at);
}

/* One frame as a part of the cell of its chain: what text has between its blanks, but for the line. */
static void add_frame(struct cells *c, struct line *l, const struct frame_at *at, size_t i)
{
	const uint64_t fields = l->event->fields;
	const struct pp_named_frame *const frame = i < at->place.count ? &at->place.frames[i] : NULL;
	struct pp_out *const part = pp_cell_part(c);

	if (fields & FIELD(SYM) && frame && *frame->symbol)
		put_symbol(part, frame->symbol, at->place.into, fields & FIELD(SYMOFF));
	else
		pp_out_hex(part, at->shown);
	if (fields & FIELD(DSO)) {
		pp_out_char(part, ' ');
		put_dso(part, at, fields);
	}
	pp_cell_add(c, l, ';');
}

static bool put_called(struct cells *c, struct line *l, unsigned mode, uint64_t address)
{
	struct frame_at at;
	size_t i = find_called(l, &at, mode, address);

	do {
		if (c->csv) {
			add_frame(c, l, &at, i);
		} else {
			pp_json_open(&c->json, NULL, '{');
			put_frame_cells(c, l, &at, i);
			if (i + 1 < at.place.count) {
				pp_json_key(&c->json, "inlined");
				pp_out_text(c->out, "true");
			}
			pp_json_close(&c->json, '}');
		}
		if (is_last(l, &at, i))
			return false;
	} while (++i < at.place.count);
	return true;
}

static void put_chain_cell(struct cells *c, struct line *l, bool known)
{
	const unsigned most = l->script->how.most_frames;
	struct pp_chain chain;
	uint64_t address;

	if (!pp_cell_open(c, "callchain", known && pp_chain_open_first(&chain, l->rec, most), '['))
		return;
	while (!l->script->how.no_frames && pp_chain_next(&chain, &address) &&
	       put_called(c, l, chain.mode, address))
		;
	pp_cell_close(c, ']');
}

void pp_cell_of_place(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const bool shown = !c->heading && l->event->fields & PLACE;
	struct frame_at at;

	if (shown && l->rec->attr->sample_type & row->needs) {
		find(l, &at, l->rec->misc & PP_MISC_CPUMODE, l->ip);
		put_frame_cells(c, l, &at, at.place.count ? at.place.count - 1 : 0);
	} else {
		put_frame_cells(c, l, NULL, 0);
	}
	if (c->chain)
		put_chain_cell(c, l, shown && l->event->chain);
}

/* ---- an address that was accessed ---- */

/* Whether it is that of code or data: sample_addr_correlates_sym(). */
static bool is_place(const struct pp_attr *attr)
{
	enum { FAULTS = 2, FAULTS_MIN = 5, FAULTS_MAJ = 6, BRANCHES = 4 };

	return (attr->type == PP_TYPE_SOFTWARE && (attr->config == FAULTS || attr->config == FAULTS_MIN ||
						   attr->config == FAULTS_MAJ)) ||
	       (!attr->type && attr->config == BRANCHES && attr->sample_period == 1) ||
	       attr->type >= PP_TYPE_BREAKPOINT;
}

void pp_print_addr(struct line *l)
{
	const uint64_t fields = l->event->fields;
	struct frame_at at;

	pp_put_address(l->out, l->addr);
	if (!is_place(l->event->attr) || !(fields & (FIELD(SYM) | FIELD(DSO))))
		return;
	find(l, &at, mode_of(l, l->addr), l->addr);
	if (fields & FIELD(SYM)) {
		pp_out_char(l->out, ' ');
		if (at.named)
			put_symbol(l->out, at.place.frames[at.place.count - 1].symbol, at.place.into,
				   fields & FIELD(SYMOFF));
		else
			pp_out_text(l->out, "[unknown]");
	}
	if (fields & FIELD(DSO)) {
		pp_out_char(l->out, ' ');
		put_dso(l->out, &at, fields);
	}
}

void pp_cell_of_addr(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const bool known = pp_cell_has(c, l, row), is_named = known && is_place(l->event->attr);
	struct frame_at at = { .named = false };

	pp_cell_hex(c, row->name, known, l->addr);
	if (is_named && c->fields & (FIELD(SYM) | FIELD(DSO)))
		find(l, &at, mode_of(l, l->addr), l->addr);
	if (c->fields & FIELD(SYM))
		put_name_cell(c, "addr_sym", at.named ? at.place.frames[at.place.count - 1].symbol : NULL);
	if (c->fields & FIELD(SYMOFF))
		pp_cell_hex(c, "addr_symoff", at.named, at.place.into);
	if (c->fields & FIELD(DSO))
		put_name_cell(c, "addr_dso", at.place.dso && *at.place.dso ? at.place.dso : NULL);
}

/* ---- branches ---- */

static void put_flags(struct line *l, uint64_t flags)
{
	enum { NEWER = 15 };
	static const char *const types[] = {
		"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL",
		"COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "",
	};
	static const char *const newer[16] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
	};
	static const char *const paths[] = {
		"-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH",
	};
	const unsigned type = flags >> 20 & 15;
	const char *const newer_type = newer[flags >> 26 & 15];
	const char marks[] = {
		flags & 2 ? 'P' : flags & 1 ? 'M' : '-', '/', flags & 4 ? 'X' : '-', '/',
		flags & 8 ? 'A' : '-', '/',
	};

	pp_out_bytes(l->out, marks, sizeof(marks));
	pp_out_dec(l->out, flags >> 4 & 0xffff);
	pp_out_char(l->out, '/');
	pp_out_text(l->out, type != NEWER ? types[type] : newer_type ? newer_type : "");
	if (l->script->how.like != PP_SCRIPT_6_1) {
		pp_out_char(l->out, '/');
		pp_out_text(l->out, paths[flags >> 24 & 3]);
	}
}

enum branch_form { ADDRESSES, SYMBOLS, OFFSETS };

static void put_end(struct line *l, uint64_t address, enum branch_form form)
{
	const uint64_t fields = l->event->fields;
	struct frame_at at;

	if (form != ADDRESSES || fields & FIELD(DSO))
		find(l, &at, mode_of(l, address), address);
	if (form == SYMBOLS && at.named)
		put_symbol(l->out, at.place.frames[at.place.count - 1].symbol, at.place.into, true);
	else if (form == SYMBOLS)
		pp_out_text(l->out, "[unknown]");
	else
		pp_out_hex(l->out, form == OFFSETS && at.place.dso && !is_kernel(at.mode) ? at.place.offset :
			   address);
	if (!(fields & FIELD(DSO)))
		return;
	if (l->script->how.like != PP_SCRIPT_6_1)
		pp_out_char(l->out, ' ');
	put_dso(l->out, &at, fields);
}

static void put_branch(struct line *l, struct pp_branch branch, enum branch_form form)
{
	put_end(l, branch.from, form);
	pp_out_char(l->out, '/');
	put_end(l, branch.to, form);
	pp_out_char(l->out, '/');
	put_flags(l, branch.flags);
}

static void print_branches(struct line *l, enum branch_form form)
{
	for (uint32_t i = 0; l->details.branches && i < l->details.n_branches; i++) {
		if (form != SYMBOLS)
			pp_out_char(l->out, ' ');
		put_branch(l, pp_branch_at(&l->details, i), form);
		pp_out_char(l->out, ' ');
	}
}

void pp_print_brstack(struct line *l)
{
	print_branches(l, ADDRESSES);
}

void pp_print_brstacksym(struct line *l)
{
	print_branches(l, SYMBOLS);
}

void pp_print_brstackoff(struct line *l)
{
	print_branches(l, OFFSETS);
}

static void put_end_cells(struct cells *c, struct line *l, uint64_t address, enum branch_form form, bool to)
{
	struct frame_at at;

	if (form != ADDRESSES || c->fields & FIELD(DSO))
		find(l, &at, mode_of(l, address), address);
	pp_cell_hex(c, to ? "to" : "from", true, form == OFFSETS && at.place.dso && !is_kernel(at.mode) ?
		    at.place.offset : address);
	if (form == SYMBOLS && at.named) {
		put_name_cell(c, to ? "to_sym" : "from_sym", at.place.frames[at.place.count - 1].symbol);
		pp_cell_hex(c, to ? "to_symoff" : "from_symoff", true, at.place.into);
	}
	if (c->fields & FIELD(DSO) && at.place.dso && *at.place.dso)
		put_name_cell(c, to ? "to_dso" : "from_dso", at.place.dso);
}

static void put_branch_cell(struct cells *c, struct line *l, struct pp_branch branch, enum branch_form form)
{
	struct pp_out *const out = l->out, *const part = pp_cell_part(c);

	if (c->csv) {
		l->out = part;
		put_branch(l, branch, form);
		l->out = out;
		pp_cell_add(c, l, ' ');
		return;
	}
	pp_json_open(&c->json, NULL, '{');
	put_end_cells(c, l, branch.from, form, false);
	put_end_cells(c, l, branch.to, form, true);
	l->out = pp_cell_part(c);
	put_flags(l, branch.flags);
	pp_cell_text(c, "flags", l->out->buf, l->out->at);
	l->out = out;
	pp_json_close(&c->json, '}');
}

void pp_cell_of_branches(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const enum branch_form form = row == &c->rows[F_BRSTACK] ? ADDRESSES :
				      row == &c->rows[F_BRSTACKSYM] ? SYMBOLS : OFFSETS;

	if (!pp_cell_open(c, row->name, pp_cell_has(c, l, row) && l->details.branches, '['))
		return;
	for (uint32_t i = 0; i < l->details.n_branches; i++)
		put_branch_cell(c, l, pp_branch_at(&l->details, i), form);
	pp_cell_close(c, ']');
}
