/*
 * pp-scrub.c - a stream without what says whose it is; here are the options, the key, and what is said at the
 * end, the rest is libpipe's.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/run.h"

enum { HEX = 2 * PP_SCRUB_KEY };

static struct pp_scrub_options how = { .size = sizeof(how) };
static struct pp_scrub *scrub;
static const char *key_file, *new_key_file;
static uint8_t key[PP_SCRUB_KEY];

static const char *take_drop(void *target, const char *value)
{
	(void)target;
	how.drop_aux = !strcmp(value, "aux");
	return how.drop_aux ? NULL : "is not aux";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-scrub web.pipe -o public.pipe", "a stream to show to anybody"),
	OPT_EXAMPLE("pp-scrub --new-key partner.key web.pipe -o theirs.pipe",
		    "with a key that further streams for the same reader are to have"),
	OPT_STRING(0, "key", "FILE", &key_file, "use the key in FILE, which only you can read"),
	OPT_STRING(0, "new-key", "FILE", &new_key_file, "write a new key to FILE, and use it"),
	OPT_STRING(0, "except", "PATTERNS", &how.except,
		   "let these names of libraries stay, and the symbols in them (default: those of libc)"),
	OPT_SWITCH(0, "pids", &how.pids, "replace the numbers of processes and threads"),
	OPT_SWITCH(0, "addresses", &how.addresses,
		   "replace addresses: maps of each process follow each other; sorts the records"),
	OPT_SWITCH(0, "times", &how.times, "move all times by one distance, which the key gives"),
	OPT_SWITCH(0, "machine", &how.machine, "leave out what describes the machine"),
	OPT_CALL(0, "drop", "aux", NULL, take_drop, "leave out AUX traces, which cannot be scrubbed"),
	OPT_SWITCH(0, "keep-unknown", &how.keep_unknown,
		   "let records and features pass that are not known here"),
	OPT_SWITCH(0, "verify", &how.verify,
		   "look for all that was replaced in what is written; status 1 if some of it is there"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-scrub",
	.summary = "Replace what says whose a stream is by pseudonyms",
	.purpose = "Names of programs, files, symbols, hosts and events become pseudonyms under a key, "
		   "the same for the same; what cannot be rewritten is left out, and counted.",
	.operands = "[FILE]",
	.options = options,
};

/* ---- the key ---- */

static void draw_key(void)
{
	if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		cli_die_os("cannot get random numbers");
}

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *const at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void take_hex(const char *text)
{
	for (size_t i = 0; i < sizeof(key); i++) {
		const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

		if (high < 0 || low < 0)
			cli_misuse("'%s' has no key: 32 bytes, or 64 hexadecimal digits", key_file);
		key[i] = (uint8_t)(high << 4 | low);
	}
}

static void read_key(void)
{
	const int fd = open(key_file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char text[HEX + 2];
	struct stat st;
	size_t got = 0;
	ssize_t more = 1;

	if (fd < 0 || fstat(fd, &st))
		cli_die_os("cannot open '%s'", key_file);
	if (!S_ISREG(st.st_mode))
		cli_misuse("'%s' is no regular file", key_file);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		cli_misuse("others may read or change the key in '%s': chmod 600 is needed", key_file);
	while (more && got < sizeof(text)) {
		more = read(fd, text + got, sizeof(text) - got);
		if (more < 0 && errno != EINTR)
			cli_die_os("cannot read '%s'", key_file);
		got += more > 0 ? (size_t)more : 0;
	}
	(void)close(fd);
	if (got == PP_SCRUB_KEY)
		memcpy(key, text, sizeof(key));
	else if (got == HEX || (got == HEX + 1 && text[HEX] == '\n'))
		take_hex(text);
	else
		cli_misuse("'%s' has no key: 32 bytes, or 64 hexadecimal digits", key_file);
}

static void write_hex(char *to, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const uint8_t byte = ((const uint8_t *)bytes)[i];

		to[2 * i] = "0123456789abcdef"[byte >> 4];
		to[2 * i + 1] = "0123456789abcdef"[byte & 15];
	}
}

static void write_key(void)
{
	const int fd = open(new_key_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	char text[HEX + 2];
	size_t done = 0;
	ssize_t more = 0;

	if (fd < 0)
		cli_die_os("cannot create '%s'", new_key_file);
	draw_key();
	write_hex(text, key, sizeof(key));
	text[HEX] = '\n';
	while (done < HEX + 1 && (more >= 0 || errno == EINTR)) {
		more = write(fd, text + done, HEX + 1 - done);
		done += more > 0 ? (size_t)more : 0;
	}
	if (done < HEX + 1 || close(fd)) {
		const int why = errno;

		(void)unlink(new_key_file);
		errno = why;
		cli_die_os("cannot write '%s'", new_key_file);
	}
}

/* ---- the stream ---- */

static int judge(struct run *run, struct pp_record *record)
{
	return pp_scrub_record(scrub, record, run->in, run->out, &run->error) ? -1 : PP_DROP;
}

static void say_count(const char *what, uint64_t count)
{
	if (count)
		cli_warn("%s: %" PRIu64, what, count);
}

/* What was replaced and is in the output nevertheless. */
static void say_leaks(struct run *run)
{
	struct pp_scrub_leak leak;
	char type[24], hex[HEX + 1];

	while (pp_scrub_leak(scrub, &leak)) {
		const char *text = leak.text;

		if (!leak.is_text) {
			leak.length = leak.length < PP_SCRUB_KEY ? leak.length : PP_SCRUB_KEY;
			write_hex(hex, text, leak.length);
			leak.length *= 2;
			text = hex;
		}
		cli_say("%s: record %" PRIu64 " at byte %" PRIu64 " (%s): byte %" PRIu32
			" of what is written of it has '%.*s', which was replaced elsewhere",
			run->stream->name, leak.index, leak.offset, pp_type_name(leak.type, type), leak.byte,
			(int)leak.length, text);
		if (run->status < EXIT_NO)
			run->status = EXIT_NO;
	}
}

static int end(struct run *run)
{
	const struct pp_scrub_stats *const stats = pp_scrub_stats(scrub);

	say_leaks(run);
	say_count("records and features that are not known here, left out (--keep-unknown)", stats->unknown);
	say_count("records of unknown events, left out", stats->nameless);
	say_count("records that cannot be scrubbed, left out", stats->dropped);
	say_count("samples without their raw data, stacks or registers", stats->cut);
	say_count("features that describe the machine, left out", stats->machine);
	say_count("notes that cannot be scrubbed, left out", stats->notes_dropped);
	say_count("names of addresses that found no room, left out", stats->names_dropped);
	cli_note("texts and numbers that were replaced: %" PRIu64 ", in %" PRIu64 " records", stats->texts,
		 stats->records);
	return 0;
}

int main(int argc, char **argv)
{
	struct filter filter = { .judge = judge, .end = end };
	struct pp_error error;
	int status;

	cli_parse(&tool, argc, argv);
	if (key_file && new_key_file)
		cli_misuse("--key and --new-key: give one of them");
	if (key_file)
		read_key();
	else if (new_key_file)
		write_key();
	else
		draw_key();
	filter.sorted = how.addresses;
	how.key = key;
	how.key_size = sizeof(key);
	scrub = pp_scrub_new(&how, &error);
	explicit_bzero(key, sizeof(key));
	if (!scrub) {
		char text[512];

		cli_error_text(&error, text, sizeof(text));
		cli_die(pp_error_status(&error), "%s", text);
	}
	status = run_filter(&tool, &filter);
	pp_scrub_free(scrub);
	return status;
}
