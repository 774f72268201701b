/*
 * names_record.c - the layout of names: FINISHED_ROUND records with what is known of addresses in
 * files.
 *
 * After the record's header come parts, one for each file: the magic and the head, then rows for addresses
 * and for frames, which several addresses may share, then texts, each with its NUL, of which the first is
 * empty.
 * What is called `data` here begins the size of a record's header before a part.
 */
#include "base/byte_order.h"
#include "format/names_record.h"
#include "format/note.h"

enum {
	MAGIC = PP_HEADER_SIZE, KIND = MAGIC + 8, FLAGS = KIND + 4, PID = FLAGS + 4, MAJ = PID + 4,
	MIN = MAJ + 4, ID_SIZE = MIN + 4, ID = ID_SIZE + 4, PATH = ID + 20, INO = PATH + 4,
	ADDRESSES = INO + 8, FRAMES = ADDRESSES + 4, TEXT = FRAMES + 4, PART = TEXT + 4,
	ROWS = PART + 4,
	GENERATION = PID,             /* of a file's inode, where it has no build-id */
	/* an address: where; how far into its symbol; its first frame, and how many */
	A_OFFSET = 0, A_INTO = 8, A_FRAME = 16, A_COUNT = 20, ADDRESS = PP_NAMES_ADDRESS,
	/* a frame: two texts, a line, flags */
	F_SYMBOL = 0, F_FILE = 4, F_LINE = 8, F_FLAGS = 12, FRAME = PP_NAMES_FRAME,
	INLINED = 1,
};

static const uint8_t magic[8] = "PPNAMES";
_Static_assert(ROWS + 1 + 7 <= PP_NAMES_HEAD, "a part's head, its empty text, and zeros to a multiple of 8");

static bool is_names(const uint8_t *data, size_t size)
{
	return pp_fits(KIND, size) && !memcmp(data + MAGIC, magic, sizeof(magic));
}

bool pp_is_names(const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND && is_names(rec->data, rec->size);
}

/* ---- Reading ---- */

/* Whether head, rows and texts are what a part has, no less and no more, and the next one, of *left bytes, is
 * there if there is one. */
static bool is_whole(const uint8_t *data, size_t size, bool foreign, size_t *left)
{
	uint64_t need, part;

	*left = 0;
	if (!is_names(data, size) || !pp_fits(ROWS, size))
		return false;
	need = (uint64_t)pp_in_order32(data + ADDRESSES, foreign) * ADDRESS +
	       (uint64_t)pp_in_order32(data + FRAMES, foreign) * FRAME +
	       pp_in_order32(data + TEXT, foreign);
	part = pp_in_order32(data + PART, foreign);
	if (!part)
		return pp_align8(ROWS + need) == size;
	if (!pp_fits(part, size - MAGIC) || pp_align8(ROWS + need) != MAGIC + part)
		return false;
	*left = size - MAGIC - (size_t)part;
	return true;
}

static const uint8_t *address_at(const struct pp_named_file *names, uint32_t i)
{
	return names->data + ROWS + (size_t)i * ADDRESS;
}

static const uint8_t *frame_at(const struct pp_named_file *names, uint32_t i)
{
	return names->data + ROWS + (size_t)names->count * ADDRESS + (size_t)i * FRAME;
}

static const char *text_at(const struct pp_named_file *names, uint32_t at)
{
	return (const char *)frame_at(names, names->frames) + at;
}

static bool rows_fit(const struct pp_named_file *names)
{
	if (!names->text || *text_at(names, 0) || *text_at(names, names->text - 1) ||
	    pp_load32(names->data + PATH) >= names->text || names->id_size > 20 ||
	    names->kind > PP_NAMES_PROCESS)
		return false;
	for (uint32_t i = 0; i < names->count; i++) {
		const uint32_t count = pp_load32(address_at(names, i) + A_COUNT);

		if (!pp_fits(pp_load32(address_at(names, i) + A_FRAME), names->frames) || !count ||
		    count > PP_NAMES_FRAMES ||
		    !pp_fits(count, names->frames - pp_load32(address_at(names, i) + A_FRAME)))
			return false;
	}
	for (uint32_t i = 0; i < names->frames; i++)
		if (pp_load32(frame_at(names, i) + F_SYMBOL) >= names->text ||
		    pp_load32(frame_at(names, i) + F_FILE) >= names->text)
			return false;
	return true;
}

static int wrong(struct pp_error *error, const char *what)
{
	pp_fail(error, PP_E_VALUE, "%s", what);
	return pp_error_type(error, PP_REC_FINISHED_ROUND);
}

/* 0, or -1 and *error. */
static int open_part(struct pp_named_file *names, const uint8_t *data, size_t size, struct pp_error *error)
{
	size_t left;

	if (!is_whole(data, size, false, &left))
		return wrong(error, "names of another length than their record");
	*names = (struct pp_named_file){
		.kind = pp_load32(data + KIND) <= PP_NAMES_PROCESS ?
			(enum pp_names_kind)pp_load32(data + KIND) : PP_NAMES_PROCESS,
		.flags = pp_load32(data + FLAGS),
		.maj = pp_load32(data + MAJ), .min = pp_load32(data + MIN),
		.ino = pp_load64(data + INO),
		.id_size = (uint8_t)(pp_load32(data + ID_SIZE) <= 20 ? pp_load32(data + ID_SIZE) : 255),
		.data = data, .count = pp_load32(data + ADDRESSES),
		.frames = pp_load32(data + FRAMES), .text = pp_load32(data + TEXT),
		.part = pp_load32(data + PART), .left = (uint32_t)left,
	};
	memcpy(names->id, data + ID, sizeof(names->id));
	if (names->kind == PP_NAMES_PROCESS)
		names->pid = pp_load32(data + PID);
	else
		names->ino_generation = pp_load32(data + GENERATION);
	if (pp_load32(data + KIND) > PP_NAMES_PROCESS || !rows_fit(names))
		return wrong(error, "names that cannot be");
	names->path = text_at(names, pp_load32(data + PATH));
	return 0;
}

int pp_names_open(struct pp_named_file *names, const struct pp_record *rec, struct pp_error *error)
{
	return open_part(names, rec->data, pp_is_names(rec) ? rec->size : 0, error);
}

int pp_names_next(struct pp_named_file *names, struct pp_error *error)
{
	if (!names->left)
		return 0;
	return open_part(names, names->data + names->part, names->left + MAGIC, error) ? -1 : 1;
}

void pp_names_at(const struct pp_named_file *names, uint32_t number, struct pp_named *named)
{
	const uint8_t *const row = address_at(names, number);

	*named = (struct pp_named){
		.offset = pp_load64(row + A_OFFSET),
		.start = pp_load64(row + A_OFFSET) - pp_load64(row + A_INTO),
		.frame = pp_load32(row + A_FRAME), .count = pp_load32(row + A_COUNT),
	};
}

void pp_names_frame(const struct pp_named_file *names, uint32_t number, struct pp_named_frame *frame)
{
	const uint8_t *const row = frame_at(names, number);

	*frame = (struct pp_named_frame){
		.symbol = text_at(names, pp_load32(row + F_SYMBOL)),
		.file = text_at(names, pp_load32(row + F_FILE)),
		.line = pp_load32(row + F_LINE),
		.inlined = pp_load32(row + F_FLAGS) & INLINED,
	};
}

int pp_names_identify(struct pp_record *rec, pp_names_id_fn *id_of, void *arg, struct pp_error *error)
{
	struct pp_named_file names;
	int more;

	if (pp_names_open(&names, rec, error))
		return -1;
	do {
		uint8_t *const part = rec->data + (names.data - rec->data);
		uint8_t id[20] = { 0 }, size = 0;

		if (names.kind == PP_NAMES_FILE && !names.id_size && id_of(arg, &names, id, &size)) {
			pp_store32(part + MAJ, 0);
			pp_store32(part + MIN, 0);
			pp_store64(part + INO, 0);
			pp_store32(part + GENERATION, 0);
			pp_store32(part + ID_SIZE, size);
			memcpy(part + ID, id, sizeof(id));
		}
		more = pp_names_next(&names, error);
	} while (more > 0);
	return more;
}

/* ---- Making ---- */

static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static uint64_t hash_at(const void *things, uint64_t place)
{
	const struct pp_buffer *const text = things;

	return hash_of((const char *)text->data + place - 1);
}

/* Where a text is, which is added if there is none: 0, or -1: memory. */
static int text_of(struct pp_names_build *b, const char *text, uint32_t *at)
{
	size_t place;

	/* more strings than that cannot be in the texts of a record */
	if (pp_index_reserve(&b->strings, b->text.size / 2 + 2, hash_at, &b->text))
		return -1;
	place = pp_index_first(&b->strings, hash_of(text));
	while (b->strings.places[place]) {
		*at = (uint32_t)b->strings.places[place] - 1;
		if (!strcmp((const char *)b->text.data + *at, text))
			return 0;
		place = pp_index_next(&b->strings, place);
	}
	*at = (uint32_t)b->text.size;
	b->strings.places[place] = b->text.size + 1;
	return pp_buffer_add(&b->text, text, strlen(text) + 1, NULL);
}

static void empty(struct pp_names_build *b)
{
	b->addresses.size = b->frames.size = b->text.size = 0;
	pp_index_close(&b->strings);
	pp_idmap_close(&b->single);
}

void pp_names_discard(struct pp_names_build *b)
{
	empty(b);
	pp_buffer_free(&b->addresses);
	pp_buffer_free(&b->frames);
	pp_buffer_free(&b->text);
}

int pp_names_begin(struct pp_names_build *b, const struct pp_named_file *of)
{
	uint32_t none;

	empty(b);
	b->of = *of;
	return text_of(b, "", &none) || text_of(b, of->path, &b->path) ? -1 : 0;
}

size_t pp_names_count(const struct pp_names_build *b)
{
	return b->addresses.size / ADDRESS;
}

static int add_frames(struct pp_names_build *b, const struct pp_named_frame *frames, uint32_t count,
		      uint32_t *first)
{
	*first = (uint32_t)(b->frames.size / FRAME);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t symbol, file;
		uint8_t row[FRAME];
		uint64_t all;

		if (text_of(b, frames[i].symbol, &symbol) || text_of(b, frames[i].file, &file))
			return -1;
		all = (uint64_t)symbol << 48 | (uint64_t)file << 32 | frames[i].line;
		if (count == 1) {
			const uint64_t *const same = pp_idmap_find(&b->single, all);

			if (same) {
				*first = (uint32_t)*same;
				return 0;
			}
			if (pp_idmap_set(&b->single, all, *first))
				return -1;
		}
		pp_store32(row + F_SYMBOL, symbol);
		pp_store32(row + F_FILE, file);
		pp_store32(row + F_LINE, frames[i].line);
		pp_store32(row + F_FLAGS, frames[i].inlined ? INLINED : 0);
		if (pp_buffer_add(&b->frames, row, FRAME, NULL))
			return -1;
	}
	return 0;
}

int pp_names_add(struct pp_names_build *b, const struct pp_named *named,
		 const struct pp_named_frame *frames)
{
	uint64_t most = ROWS + b->addresses.size + ADDRESS + b->frames.size + b->text.size;
	uint8_t row[ADDRESS];
	uint32_t first;

	for (uint32_t i = 0; i < named->count; i++)
		most += FRAME + strlen(frames[i].symbol) + 1 + strlen(frames[i].file) + 1;
	if (most > PP_NAMES_MOST)
		return 0;
	if (add_frames(b, frames, named->count, &first))
		return -1;
	pp_store64(row + A_OFFSET, named->offset);
	pp_store64(row + A_INTO, named->offset - named->start);
	pp_store32(row + A_FRAME, first);
	pp_store32(row + A_COUNT, named->count);
	return pp_buffer_add(&b->addresses, row, ADDRESS, NULL) ? -1 : 1;
}

size_t pp_names_end(struct pp_names_build *b, uint8_t *to)
{
	const size_t used = ROWS + b->addresses.size + b->frames.size + b->text.size;
	const size_t size = (size_t)pp_align8(used);
	const struct pp_buffer *const parts[] = { &b->addresses, &b->frames, &b->text };
	uint8_t *at = to + ROWS;

	memset(to, 0, ROWS);
	pp_round_header(to, (uint16_t)size, false);
	memcpy(to + MAGIC, magic, sizeof(magic));
	pp_store32(to + KIND, b->of.kind);
	pp_store32(to + FLAGS, b->of.flags);
	pp_store32(to + PID, b->of.kind == PP_NAMES_PROCESS ? b->of.pid : (uint32_t)b->of.ino_generation);
	pp_store32(to + MAJ, b->of.maj);
	pp_store32(to + MIN, b->of.min);
	pp_store32(to + ID_SIZE, b->of.id_size);
	memcpy(to + ID, b->of.id, sizeof(b->of.id));
	pp_store32(to + PATH, b->path);
	pp_store64(to + INO, b->of.ino);
	pp_store32(to + ADDRESSES, (uint32_t)(b->addresses.size / ADDRESS));
	pp_store32(to + FRAMES, (uint32_t)(b->frames.size / FRAME));
	pp_store32(to + TEXT, (uint32_t)b->text.size);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i]->size)
			memcpy(at, parts[i]->data, parts[i]->size);
		at += parts[i]->size;
	}
	memset(at, 0, size - used);
	empty(b);
	return size;
}

size_t pp_names_join(uint8_t *to, size_t size, const struct pp_record *more)
{
	uint8_t *data = to;
	size_t left = size;

	if (!pp_fits(size - MAGIC, PP_NAMES_MOST - more->size))
		return 0;
	for (uint32_t part; (part = pp_load32(data + PART)) != 0; data += part)
		left -= part;
	pp_store32(data + PART, (uint32_t)(left - MAGIC));
	memcpy(to + size, more->data + MAGIC, more->size - MAGIC);
	size += more->size - MAGIC;
	pp_round_header(to, (uint16_t)size, false);
	return size;
}

/* ---- The other byte order ---- */

static void swap_names32(uint8_t *p)
{
	pp_store32(p, pp_in_order32(p, true));
}

static void swap_names64(uint8_t *p)
{
	pp_store64(p, pp_in_order64(p, true));
}

/* The size of the part; 0: it is not whole, or the last. */
static size_t swap_part(uint8_t *data, size_t size, bool to_host, size_t *left)
{
	static const uint8_t words[] = { KIND, FLAGS, PID, MAJ, MIN, ID_SIZE, PATH, ADDRESSES, FRAMES,
					 TEXT, PART };
	uint32_t addresses, frames, part;

	if (!is_whole(data, size, to_host, left))
		return 0;
	part = pp_in_order32(data + PART, to_host);
	addresses = pp_in_order32(data + ADDRESSES, to_host);
	frames = pp_in_order32(data + FRAMES, to_host);
	for (size_t i = 0; i < sizeof(words); i++)
		swap_names32(data + words[i]);
	swap_names64(data + INO);
	data += ROWS;
	for (; addresses; addresses--, data += ADDRESS) {
		swap_names64(data + A_OFFSET);
		swap_names64(data + A_INTO);
		swap_names32(data + A_FRAME);
		swap_names32(data + A_COUNT);
	}
	for (uint64_t n = (uint64_t)frames * (FRAME / 4); n; n--, data += 4)
		swap_names32(data);
	return part;
}

bool pp_names_fit(const struct pp_record *rec)
{
	struct pp_named_file names;
	int got = pp_names_open(&names, rec, NULL) ? -1 : 1;

	while (got > 0)
		got = pp_names_next(&names, NULL);
	return !got;
}

void pp_names_swap(uint8_t *data, size_t size, bool to_host)
{
	size_t part, left;

	while ((part = swap_part(data, size, to_host, &left)) && left) {
		data += part;
		size = left + MAGIC;
	}
}
