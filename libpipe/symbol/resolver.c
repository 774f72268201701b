/*
 * resolver.c - looks up offsets in what this machine has: the running kernel here, files by image_cache.c,
 * in a process of its own (isolated_reader.c) where that is asked for; or has another process do all of that
 * (lookup/namer.c).
 */
#include "symbol/resolver.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/procfs.h"
#include "image/kernel_symbols.h"
#include "lookup/isolated.h"
#include "lookup/namer.h"

struct pp_resolver {
	struct pp_symbols_options options;
	struct pp_named_so_far so_far;          /* of ->options.namer: then nothing below is used */
	uint64_t text;                /* of the recorded kernel; 0: not known */
	bool boot_asked, same_boot;   /* that is what runs here */
	struct pp_finder *finder;
	struct pp_image_cache *shelf;
	struct pp_isolated *remote;     /* NULL: files are read here */
	struct pp_kernel kernel;
	struct pp_kernel_kept kept;   /* what is known of it from another run */
	bool kernel_read, kept_read;
	/* What was found of kernels and modules, by the caller's numbers: each address asks. */
	struct of_kernel { bool asked, runs; uint64_t base; } *of_kernel;
	size_t n_of_kernel;
};

static const char kernel_name[] = "[kernel.kallsyms]";

struct pp_resolver *pp_resolver_new(const struct pp_symbols_options *options)
{
	struct pp_resolver *const e = calloc(1, sizeof(*e));
	const struct pp_finder_options places = {
		.root = options->root, .debuginfod = options->debuginfod,
		.deadline = options->deadline, .say = options->say,
	};

	if (!e)
		return NULL;
	e->options = *options;
	if (!e->options.memory)
		e->options.memory = UINT64_C(256) << 20;
	if (options->namer) {
		pp_namer_begin(options->namer, &e->options);
		return e;
	}
	e->finder = pp_finder_new(&places);
	e->shelf = e->finder ? pp_image_cache_new(&e->options, e->finder) : NULL;
	e->remote = e->shelf && options->isolate ? pp_isolated_new(&e->options, e->finder) : NULL;
	if (e->shelf && (e->remote || !options->isolate))
		return e;
	pp_resolver_free(e);
	return NULL;
}

void pp_resolver_free(struct pp_resolver *e)
{
	if (!e)
		return;
	if (e->options.namer)
		pp_namer_end(e->options.namer);
	pp_isolated_free(e->remote);
	pp_image_cache_free(e->shelf);
	pp_kernel_free(&e->kernel);
	pp_kernel_kept_close(&e->kept);
	free(e->of_kernel);
	pp_finder_free(e->finder);
	free(e);
}

uint64_t pp_resolver_files(const struct pp_resolver *e)
{
	return e->options.namer ? e->so_far.files : pp_finder_files(e->finder);
}

unsigned pp_resolver_isolated(const struct pp_resolver *e)
{
	if (e->options.namer)
		return e->so_far.isolated;
	return e->remote ? pp_isolated_isolated(e->remote) : 0;
}

void pp_resolver_recorded_kernel(struct pp_resolver *e, uint64_t text)
{
	if (text == e->text)
		return;
	e->text = text;
	e->boot_asked = false;
	if (e->options.namer)
		pp_namer_kernel(e->options.namer, text);
	for (size_t i = 0; i < e->n_of_kernel; i++)
		e->of_kernel[i].asked = false;
}

/* Whether the recorded kernel had its _text where this boot has it: then it is the running one, whether or
 * not a stream has its build-id. */
static bool is_same_boot(struct pp_resolver *e)
{
	static const struct pp_id none;
	uint64_t here;

	/* where this is hidden so are the names, which is said when they are read */
	if (!e->boot_asked && e->options.namer)
		e->same_boot = e->text && pp_namer_runs(e->options.namer, &none);
	else if (!e->boot_asked)
		e->same_boot = e->text && pp_kernel_text(&here) && (!here || here == e->text);
	e->boot_asked = true;
	return e->same_boot;
}

bool pp_resolver_runs(struct pp_resolver *e, const struct pp_id *id)
{
	if (!id->size)
		return is_same_boot(e);
	return e->options.namer ? pp_namer_runs(e->options.namer, id) : pp_kernel_is(id);
}

/*
 * Whether it is the kernel that runs here: by its build-id, or, since perf writes none into a pipe, by its
 * release and the place where a boot put it.
 */
static bool is_running(struct pp_resolver *e, const struct pp_id *id)
{
	if (pp_resolver_runs(e, id))
		return true;
	pp_finder_say(e->finder, PP_HINT_NONE, "kernel", id->size ?
		      "the running kernel is not the one that was recorded: its names are not used" :
		      "the stream has no build-id of its kernel, which is not known to be this one: names of "
		      "this one are not used");
	return false;
}

/* Whether it is a module of that kernel, and where it begins. */
static bool is_loaded(struct pp_resolver *e, const char *path, const struct pp_id *id, uint64_t *base)
{
	char name[64];
	struct pp_id here;

	if (!pp_module_name(path, name, sizeof(name)) || !pp_module_start(name, base))
		return false;
	return id->size ? pp_module_build_id(name, here.bytes, &here.size) == 1 && pp_same_id(&here, id) :
			  is_same_boot(e);
}

/* Whether it is the kernel that runs here, or a module of it, which begins at *base. */
static bool runs(struct pp_resolver *e, const struct pp_named_file *of, uint64_t *base)
{
	struct pp_id id = { .size = of->id_size };

	memcpy(id.bytes, of->id, sizeof(id.bytes));
	return !e->options.root && (strcmp(of->path, kernel_name) ? is_loaded(e, of->path, &id, base) :
								    is_running(e, &id));
}

/* Of one of the caller's: 0, or -1 and *error. */
static int find_kernel(struct pp_resolver *e, const struct pp_asked *asked, struct of_kernel *found,
		       struct pp_error *error)
{
	*found = (struct of_kernel){ .asked = true };
	if (asked->of.kind != PP_NAMES_KERNEL)
		return 0;
	if (PP_GROW_ZEROED(&e->of_kernel, &e->n_of_kernel, asked->number + 1, error))
		return -1;
	if (!e->of_kernel[asked->number].asked) {
		found->runs = runs(e, &asked->of, &found->base);
		e->of_kernel[asked->number] = *found;
	}
	*found = e->of_kernel[asked->number];
	return 0;
}

/* The names of the kernel that runs here, which take long to read: once, when they are needed.  1, 0: they
 * are hidden, -1. */
static int read_kernel(struct pp_resolver *e, struct pp_error *error)
{
	if (!e->kernel_read) {
		if (pp_kernel_read(&e->kernel, error))
			return -1;
		e->kernel_read = true;
		pp_kernel_keep(&e->kept, &e->kernel);
		pp_kernel_kept_close(&e->kept);
	}
	if (e->kernel.os)
		pp_finder_say(e->finder, PP_HINT_KERNEL, "kallsyms",
			      "cannot read /proc/kallsyms: %s: no names of the kernel",
			      strerror(e->kernel.os));
	else if (e->kernel.hidden)
		pp_finder_say(e->finder, PP_HINT_KERNEL, "kallsyms",
			      "the addresses in /proc/kallsyms are hidden: no names of the kernel "
			      "(as root: %s)",
			      pp_file_u64(0, "/proc/sys/kernel/kptr_restrict") > 1 ?
			      "sysctl kernel.kptr_restrict=1" : "setcap cap_syslog=ep on the program");
	return !e->kernel.hidden;
}

/* Whether what is asked of the kernel itself is known from another run. */
static bool is_kept(struct pp_resolver *e, const struct pp_asked *asked)
{
	if (e->kernel_read || strcmp(asked->of.path, kernel_name) != 0)
		return false;
	if (!e->kept_read)
		pp_kernel_kept_open(&e->kept, e->options.cache);
	e->kept_read = true;
	return pp_kernel_kept_covers(&e->kept, asked->offsets, asked->n);
}

int pp_resolver_names(struct pp_resolver *e, const struct pp_asked *asked, const struct pp_answered *to,
		      struct pp_error *error)
{
	struct of_kernel found;
	int got;

	if (e->options.namer)
		return pp_namer_names(e->options.namer, asked, to, &e->options.say, &e->so_far, error);
	if (find_kernel(e, asked, &found, error))
		return -1;
	if (asked->named && (found.runs || asked->of.kind == PP_NAMES_PROCESS))
		return 0;
	if (found.runs && is_kept(e, asked))
		return pp_image_cache_symbols(e->shelf, &e->kept.symbols, 0, asked, to, error);
	got = found.runs ? read_kernel(e, error) : 0;
	if (got < 0)
		return -1;
	if (got) {
		const bool module = strcmp(asked->of.path, kernel_name) != 0;

		return pp_image_cache_symbols(e->shelf, &e->kernel.symbols,
					      module ? found.base : e->kernel.text, asked, to, error);
	}
	return e->remote ? pp_isolated_names(e->remote, asked, to, error) :
			   pp_image_cache_names(e->shelf, asked, to, error);
}
