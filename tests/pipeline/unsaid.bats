# unsaid.bats - a function that fails and does not say why is a fault of these tools, and ends them as one.

setup() {
	load ../helper
	load ../unit/unit
	need "${CC:-cc}"
	pp-gen --samples 200 --rounds 2 -o in.pipe
}

# made NAME: the tool in NAME.c, whose function fail_at() says whether the one of this name is to fail
made() {
	cat >head.h <<-'END'
		#include "shared/run.h"

		#include <stdlib.h>
		#include <string.h>

		static const struct option_spec options[] = { OPT_COMMON_SINK, OPT_END };
		static const struct tool tool = { "pp-x", "Fail", "It fails.", "[FILE]", options };

		static int fail_at(const char *name) { return -!strcmp(getenv("AT"), name); }
	END
	for file in "$ROOT"/tools/{cli,shared}/*.c; do
		file=${file#"$ROOT/"}
		shared+=("$BIN/${file%.c}.o")
	done
	as_built "$1" "$1.c" "${shared[@]}" -DVERSION='"0"' -I"$ROOT/tools"
}

@test "a sink whose function fails without an error ends in status 4, and says that this is a fault" {
	cat >sink.c <<-'END'
		#include "head.h"

		static int start(struct run *run) { return fail_at("start"); }
		static int early(struct run *run, const struct pp_record *r) { return fail_at("early"); }
		static int record(struct run *run, struct pp_record *r) { return fail_at("record"); }
		static int flush(struct run *run) { return fail_at("flush"); }
		static int end(struct run *run) { return fail_at("end"); }
		static int opened(struct run *run) { return fail_at("opened"); }

		int main(int argc, char **argv)
		{
			struct sink sink = {
				.opened = opened, .start = start, .early = early, .record = record,
				.flush = flush, .end = end,
			};

			sink.time_order = !!getenv("IN_ORDER");
			cli_parse(&tool, argc, argv);
			return run_sink(&tool, &sink);
		}
	END
	made sink
	AT='' run -0 ./sink in.pipe
	for at in opened start early record flush end; do
		echo "$at"
		AT=$at run -4 ./sink in.pipe
		assert_output 'pp-x: in.pipe: internal error: something failed, and did not say why'
		AT=$at IN_ORDER=1 run -4 ./sink in.pipe
		assert_output 'pp-x: in.pipe: internal error: something failed, and did not say why'
	done
}

@test "a filter and a source whose functions fail without an error do so, too" {
	cat >filter.c <<-'END'
		#include "head.h"

		static int start(struct run *run) { return fail_at("start"); }
		static int keep_at(const char *name) { return fail_at(name) ? -1 : PP_KEEP; }
		static int judge(struct run *run, struct pp_record *r) { return keep_at("judge"); }
		static int admit(struct run *run, struct pp_record *r) { return keep_at("admit"); }
		static int end(struct run *run) { return fail_at("end"); }
		static int next(struct run *run) { return fail_at("next"); }

		int main(int argc, char **argv)
		{
			struct filter filter = { .start = start, .judge = judge, .admit = admit, .end = end };
			static const struct source source = {
				.start = start, .next = next, .end = end, .reads = true,
			};

			filter.time_order = !!getenv("IN_ORDER");
			cli_parse(&tool, argc, argv);
			return getenv("SOURCE") ? run_source(&tool, &source) : run_filter(&tool, &filter);
		}
	END
	made filter
	AT='' run -0 ./filter in.pipe -o out.pipe
	cmp in.pipe out.pipe
	for at in start judge admit end; do
		echo "$at"
		AT=$at run -4 ./filter in.pipe -o out.pipe
		assert_output 'pp-x: in.pipe: internal error: something failed, and did not say why'
		AT=$at IN_ORDER=1 run -4 ./filter in.pipe -o out.pipe
		assert_output 'pp-x: in.pipe: internal error: something failed, and did not say why'
	done
	for at in start next end; do
		echo "$at"
		AT=$at SOURCE=1 run -4 ./filter in.pipe -o out.pipe
		assert_output 'pp-x: in.pipe: internal error: something failed, and did not say why'
	done
}
