/* index.c - tries what is found by hash beside lists that are gone through: tables, indexes of names and of
 * files, also where all hashes are alike, and where memory ends. */
#include "base/hash.h"
#include "model/mapped_files.h"
#include "unit.h"

#include <string.h>
#include <xxhash.h>

/* A budget that allows so many bytes more. */
static struct pp_budget short_of(uint64_t bytes)
{
	return (struct pp_budget){ .limit = 1, .held = PP_BUDGET_SPARE - bytes };
}

/* ---- Arrays in order ------------------------------------------------------------------------- */

static void in_order(void)
{
	for (unsigned i = 0; i < 3000; i++) {
		struct { uint64_t key, other; } items[40];
		const size_t n = below(40);
		uint64_t key = below(3);

		begin_case("things in order", i);
		for (size_t k = 0; k < n; k++, key += below(3))
			items[k].key = k + 1 == n && one_in(4) ? UINT64_MAX : key;
		for (uint64_t wanted = 0; wanted <= key + 2; wanted++) {
			const uint64_t of = wanted > key + 1 ? UINT64_MAX : wanted;
			size_t count = 0;

			for (size_t k = 0; k < n; k++)
				count += items[k].key <= of;
			CHECK(pp_after(items, n, sizeof(*items), of) == count);
		}
	}
}

/* ---- Tables ---------------------------------------------------------------------------------- */

enum { THINGS = 300 };

struct thing {
	struct pp_link link;
	unsigned number;              /* the later it was added, the larger; 0: it is not there */
};

/* All things with a key, the last that was added first. */
static void look_for(const struct pp_table *table, const struct thing *things, uint64_t key)
{
	const struct pp_link *link = pp_table_find(table, key);
	unsigned before = UINT32_MAX, number;

	for (; link; link = pp_table_same(link->next, key)) {
		number = ((const struct thing *)link)->number;
		CHECK(link->key == key && number && number < before);
		for (unsigned i = 0; i < THINGS; i++)
			CHECK(things[i].link.key != key || things[i].number <= number ||
			      things[i].number >= before);
		before = number;
	}
	for (unsigned i = 0; i < THINGS; i++)
		CHECK(!things[i].number || things[i].link.key != key || things[i].number >= before);
}

static void tables(void)
{
	for (unsigned i = 0; i < 25; i++) {
		struct thing things[THINGS] = { { .number = 0 } };
		struct pp_budget budget = { .held = 0 };
		struct pp_table table = { .room = 0 };
		const unsigned keys = one_in(2) ? 8 : 200;
		size_t count = 0;

		begin_case("a table", i);
		CHECK(!pp_table_find(&table, 1));
		for (unsigned step = 1; step < 1500; step++) {
			struct thing *const thing = &things[below(THINGS)];

			if (thing->number) {
				pp_table_remove(&table, &thing->link);
				thing->number = 0;
				count--;
			} else {
				thing->link.key = (uint64_t)below(keys) << below(2) * 33;
				thing->number = step;
				CHECK(!pp_table_add(&budget, &table, &thing->link));
				count++;
			}
			CHECK(table.count == count);
			look_for(&table, things, thing->link.key);
		}
		pp_table_close(&budget, &table);
		CHECK(!budget.held && !table.room && !pp_table_find(&table, 1));
	}
}

/* Where it cannot grow it refuses, and has all that it had. */
static void table_without_memory(void)
{
	struct pp_budget budget = short_of(64 * sizeof(void *) + 16);
	const uint64_t held = budget.held;
	struct pp_table table = { .room = 0 };
	struct thing things[65];
	size_t n = 0;

	begin_case("a table without memory", 0);
	for (; n < 65; n++) {
		things[n].link.key = n / 2;
		if (pp_table_add(&budget, &table, &things[n].link))
			break;
	}
	CHECK(n == 64 && table.count == 64 && budget.refused);
	for (size_t i = 0; i < 64; i++)
		CHECK(pp_table_find(&table, i / 2) == &things[i | 1].link);
	pp_table_close(&budget, &table);
	CHECK(budget.held == held);
}

/* ---- Indexes --------------------------------------------------------------------------------- */

struct words {
	char text[400][4];
	unsigned bits;                /* of the hash that are not cut off */
};

static uint64_t hash_of(const struct words *words, const char *text)
{
	return XXH3_64bits(text, strlen(text)) & ((UINT64_C(1) << words->bits) - 1);
}

static uint64_t hash_at(const void *things, uint64_t place)
{
	const struct words *const words = things;

	return hash_of(words, words->text[place - 1]);
}

/* The place of a word: of a free one where it is not there. */
static uint64_t *find(const struct pp_index *index, const struct words *words, const char *text)
{
	size_t at = pp_index_first(index, hash_of(words, text)), steps = 0;

	while (index->places[at] && strcmp(words->text[index->places[at] - 1], text) != 0) {
		CHECK(++steps < index->room);
		at = pp_index_next(index, at);
	}
	return &index->places[at];
}

static void indexes(void)
{
	for (unsigned i = 0; i < 60; i++) {
		struct pp_budget budget = { .held = 0 };
		struct pp_index index = { .budget = i % 2 ? &budget : NULL };
		struct words words = { .bits = 0 };
		unsigned n = 0;

		begin_case("an index", i);
		words.bits = one_in(3) ? below(5) : 20 + below(30);
		for (unsigned step = 0; step < 600; step++) {
			const char text[4] = { (char)('a' + below(20)), (char)('a' + below(20)) };
			unsigned k = 0;
			uint64_t *place;

			while (k < n && strcmp(words.text[k], text) != 0)
				k++;
			CHECK(!pp_index_reserve(&index, n + 1, hash_at, &words));
			CHECK(index.room / 2 >= n + 1);
			place = find(&index, &words, text);
			CHECK(*place == (k < n ? k + 1 : 0));
			if (k == n && n < 400) {
				strcpy(words.text[n], text);
				*place = ++n;
			}
		}
		for (unsigned k = 0; k < n; k++)
			CHECK(*find(&index, &words, words.text[k]) == k + 1);
		pp_index_close(&index);
		CHECK(!index.room && !index.places && !budget.held);
	}
}

static void index_without_memory(void)
{
	struct pp_budget budget = short_of(64 * sizeof(uint64_t) + 16);
	const uint64_t held = budget.held;
	struct pp_index index = { .budget = &budget };
	struct words words = { .bits = 30 };

	begin_case("an index without memory", 0);
	for (unsigned n = 0; n < 32; n++) {
		CHECK(!pp_index_reserve(&index, n + 1, hash_at, &words));
		words.text[n][0] = (char)('A' + n);
		*find(&index, &words, words.text[n]) = n + 1;
	}
	CHECK(pp_index_reserve(&index, 33, hash_at, &words) && budget.refused && index.room == 64);
	/* nor is there so much at all */
	CHECK(pp_index_reserve(&index, SIZE_MAX, hash_at, &words) && index.room == 64);
	for (unsigned n = 0; n < 32; n++)
		CHECK(*find(&index, &words, words.text[n]) == n + 1);
	pp_index_close(&index);
	CHECK(budget.held == held);
}

/* ---- Maps of numbers: what base.c does not try ----------------------------------------------- */

static void reserved(void)
{
	for (unsigned i = 0; i < 40; i++) {
		struct pp_idmap map = { .keys = NULL };
		const size_t count = 1 + below(3000);
		uint64_t *keys;

		begin_case("room for keys of a map", i);
		for (uint64_t k = 0; k < 20; k++)
			CHECK(!pp_idmap_set(&map, k, k + 7));
		CHECK(!pp_idmap_reserve(&map, count));
		keys = map.keys;
		/* what there is room for moves nothing */
		for (uint64_t k = 20; k < count; k++)
			CHECK(!pp_idmap_set(&map, k << 40, k) && map.keys == keys);
		for (uint64_t k = 0; k < 20; k++)
			CHECK(pp_idmap_has(&map, k) && *pp_idmap_find(&map, k) == k + 7);
		CHECK(!pp_idmap_has(&map, UINT64_MAX) && !pp_idmap_has(&map, 20));
		pp_idmap_close(&map);
	}
}

static void empty_tables(void)
{
	static const size_t rooms[] = { 1, 511, 512, 513, 1 << 17, 1 << 18, 1 << 19 };

	begin_case("an empty table", 0);
	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
		uint64_t *const table = pp_empty_table(rooms[i], sizeof(*table));

		CHECK(table);
		for (size_t k = 0; k < rooms[i]; k++)
			CHECK(!table[k]);
		memset(table, 0xff, rooms[i] * sizeof(*table));
		free(table);
	}
}

/* ---- Files: names, and what distinguishes files of one name ---------------------------------- */

static const char *const names[] = {
	"a", "ab", "abc", "", "/bin/a", "[kernel.kallsyms]", "[kernel.kallsyms]_text", "b",
};
enum { NAMES = sizeof(names) / sizeof(*names), FILES = 24 };

/* A file that is mapped at a place of its own, with what was given for it. */
struct file {
	struct pp_map map;
	unsigned name;
};

struct identity {
	uint8_t size, id[20];
};

static struct file any_file(unsigned i)
{
	struct file file = { .name = below(NAMES) };

	file.map.start = i * 100;
	file.map.end = file.map.start + 1 + below(99);
	file.map.pgoff = below(5);
	file.map.maj = below(2);
	file.map.ino = below(2);
	file.map.prot = below(2);
	file.map.kernel = one_in(4);
	file.map.has_build_id = one_in(3);
	if (file.map.has_build_id) {
		file.map.build_id_size = 20;
		memset(file.map.build_id, (int)below(2), sizeof(file.map.build_id));
	}
	return file;
}

/* What is mapped there has the name and the build-id that it should. */
static void look_at(struct pp_files *files, const struct pp_space *space, const struct file *file,
		    const struct identity *given, const struct identity *of_kernel)
{
	const struct pp_map *const found = pp_files_find(files, space, file->map.end - 1);
	const bool kernel = file->map.kernel && !strncmp(names[file->name], names[5], strlen(names[5]));
	const struct identity *const other = kernel ? of_kernel : &given[file->name];

	CHECK(found && found->start == file->map.start && found->end == file->map.end);
	CHECK(!strcmp(found->filename, names[file->name]) && found->pgoff == file->map.pgoff);
	CHECK(found->maj == file->map.maj && found->ino == file->map.ino);
	CHECK(found->prot == file->map.prot && found->kernel == file->map.kernel);
	if (!file->map.has_build_id && !file->map.kernel)
		return;         /* which_file() */
	CHECK(found->has_build_id == (file->map.has_build_id || other->size));
	if (file->map.has_build_id)
		CHECK(!memcmp(found->build_id, file->map.build_id, 20) && found->build_id_size == 20);
	else if (other->size)
		CHECK(!memcmp(found->build_id, other->id, 20) && found->build_id_size == other->size);
}

static void identify(struct pp_files *files, struct identity *given, struct identity *of_kernel)
{
	const unsigned name = below(NAMES);
	struct identity *const to = &given[name];
	struct pp_given_id given_for = { .name = names[name], .length = strlen(names[name]) };

	*to = (struct identity){ .size = (uint8_t)below(21) };
	memset(to->id, (int)below(256), to->size);
	given_for.size = to->size;
	memcpy(given_for.id, to->id, sizeof(to->id));
	CHECK(!pp_files_identify(files, &given_for));
	if (name == 5)
		*of_kernel = *to;
}

static void files(void)
{
	for (unsigned i = 0; i < 400; i++) {
		struct pp_budget budget = { .held = 0 };
		struct pp_spaces spaces = { .budget = &budget };
		struct identity given[NAMES] = { { .size = 0 } }, of_kernel = { .size = 0 };
		struct pp_files *const known = pp_files_new(&spaces);
		struct pp_space *space = NULL;
		uint32_t numbers[NAMES];
		struct file all[FILES];
		uint64_t last = 0;

		begin_case("files", i);
		memset(numbers, 0xff, sizeof(numbers));
		for (unsigned k = 0; k < FILES; k++) {
			char name[40];
			size_t length;

			all[k] = any_file(k);
			length = strlen(names[all[k].name]);
			/* where a name ends is said by its length alone */
			sprintf(name, "%sxyz", names[all[k].name]);
			CHECK(!pp_files_map(known, &space, &all[k].map, name, length));
			if (one_in(3))
				identify(known, given, &of_kernel);
		}
		for (unsigned k = 0; k < FILES; k++) {
			const struct pp_map *found;

			look_at(known, space, &all[k], given, &of_kernel);
			found = pp_files_find(known, space, all[k].map.start);
			CHECK(found->number > last);
			last = found->number;
			CHECK(numbers[all[k].name] == UINT32_MAX || numbers[all[k].name] == found->file);
			numbers[all[k].name] = found->file;
			CHECK(!pp_files_find(known, space, all[k].map.end) || all[k].map.end % 100 == 0);
		}
		for (unsigned k = 0; k < NAMES * NAMES; k++)
			CHECK(k / NAMES == k % NAMES || numbers[k / NAMES] == UINT32_MAX ||
			      numbers[k / NAMES] != numbers[k % NAMES]);
		pp_space_drop(&spaces, space);
		pp_files_free(known);
		pp_spaces_close(&spaces);
		CHECK(!budget.held);
	}
	pp_files_free(NULL);
}

/*
 * Which file of a name a build-id is of that was given apart from the maps.  M: a map of the file of this
 * inode and generation; O: one with a build-id of its own; N: given for the name; F: for this inode and
 * generation; G: the same, as it was given for the name.  Then what each map has: -: nothing; lower case: it
 * was given for the name alone.
 */
static const struct { const char *what, *have; } which[] = {
	{ "NA M00", "a" },
	{ "M10 NA", "a" },
	{ "NA M10", "a" },
	{ "M10 M10 NA", "aa" },
	/* several files of one name */
	{ "M10 NA M20", "a-" },
	{ "M10 M20 NA", "--" },
	{ "NA M10 M20", "--" },
	{ "NA M00 M10 M20", "---" },
	{ "M10 NA M20 NB", "ab" },
	{ "M10 NA M20 NA", "a-" },
	/* which contradict one another */
	{ "M10 NA NB", "-" },
	{ "NA NB M10", "-" },
	{ "NA NA M10", "a" },
	/* that of maps which have their own is theirs */
	{ "OA NA M10", "A-" },
	{ "NA OA M10", "A-" },
	{ "OA NB M10", "Ab" },
	/* given for one file */
	{ "M10 M20 F10A", "A-" },
	{ "F10A M20 M10", "-A" },
	{ "F10A F20B M20 M10", "BA" },
	{ "F10A F10B M10", "-" },
	{ "M10 NA F10B", "B" },
	{ "G10A M20 M10", "-a" },
	{ "G10A F10B M10", "B" },
	{ "F10B G10A M10", "B" },
	{ "G10A G10B M10", "-" },
	/* an inode that was given away again; and where the generation is not known */
	{ "M15 F16A", "-" },
	{ "M15 M16 F16A F15B", "BA" },
	{ "M10 F16A", "A" },
	{ "M16 F10A", "A" },
};

static void which_file(void)
{
	static const char name[] = "/bin/a";

	for (unsigned i = 0; i < sizeof(which) / sizeof(*which); i++) {
		struct pp_budget budget = { .held = 0 };
		struct pp_spaces spaces = { .budget = &budget };
		struct pp_files *const files = pp_files_new(&spaces);
		struct pp_space *space = NULL;
		const char *have = which[i].have;
		unsigned n = 0;

		begin_case("which file", i);
		for (const char *p = which[i].what; *p; p += strcspn(p, " "), p += *p == ' ') {
			const size_t length = strcspn(p, " ");
			struct pp_given_id given = { .name = name, .length = strlen(name), .size = 20 };
			struct pp_map map = { .start = n * 10, .end = n * 10 + 10 };

			memset(given.id, p[length - 1], sizeof(given.id));
			if (strchr("MFG", *p)) {
				given.file.ino = (uint64_t)(p[1] - '0');
				given.file.generation = (uint64_t)(p[2] - '0');
				given.file.of_name = *p == 'G';
			}
			if (strchr("NFG", *p)) {
				CHECK(!pp_files_identify(files, &given));
				continue;
			}
			map.has_build_id = *p == 'O';
			map.build_id_size = *p == 'O' ? 20 : 0;
			memcpy(map.build_id, given.id, map.build_id_size);
			map.ino = given.file.ino;
			map.ino_generation = given.file.generation;
			CHECK(!pp_files_map(files, &space, &map, name, strlen(name)));
			n++;
		}
		CHECK(strlen(have) == n);
		for (unsigned k = 0; k < n; k++) {
			const struct pp_map *const map = pp_files_find(files, space, k * 10);

			CHECK(map->has_build_id == (have[k] != '-'));
			CHECK(!map->has_build_id || map->build_id[19] == (have[k] & ~32));
			CHECK(map->id_of_name == (have[k] >= 'a'));
		}
		pp_space_drop(&spaces, space);
		pp_files_free(files);
		pp_spaces_close(&spaces);
		CHECK(!budget.held);
	}
}

/* Wherever memory ends: it says so, and gives back all that it took. */
static void files_without_memory(void)
{
	for (unsigned i = 0; i < 300; i++) {
		struct pp_budget budget = short_of(i * 64);
		const uint64_t held = budget.held;
		struct pp_spaces spaces = { .budget = &budget };
		struct pp_files *const known = pp_files_new(&spaces);
		struct pp_space *space = NULL;
		int failed = !known;

		begin_case("files without memory", i);
		for (unsigned k = 0; !failed && k < 40; k++) {
			const struct file file = any_file(k);
			const char *const name = names[file.name];
			struct pp_given_id given = { .name = name, .length = strlen(name), .size = 20,
						     .file.ino = below(3) };

			memcpy(given.id, file.map.build_id, sizeof(given.id));
			failed = pp_files_map(known, &space, &file.map, name, strlen(name)) ||
				 pp_files_identify(known, &given);
		}
		CHECK(failed ? budget.refused : !budget.refused);
		pp_space_drop(&spaces, space);
		pp_files_free(known);
		pp_spaces_close(&spaces);
		CHECK(budget.held == held);
	}
}

int main(void)
{
	in_order();
	tables();
	table_without_memory();
	indexes();
	index_without_memory();
	reserved();
	empty_tables();
	files();
	which_file();
	files_without_memory();
	return 0;
}
