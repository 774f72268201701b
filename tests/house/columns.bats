# columns.bats - a table of columns as text, CSV and JSON, and chosen.

setup() {
	load ../helper
	need "${CC:-cc}" pkg-config jq
	cat >table.c <<-'END'
		#include <stdio.h>

		#include "cli/table_columns.h"

		struct hit { const char *comm; uint64_t samples, time, ip; int32_t cpu; };
		static const struct column hits[] = {
			{ .name = "comm", COLUMN(TEXT, struct hit, comm), .width = -8 },
			{ .name = "samples", COLUMN(NUMBER, struct hit, samples), .width = 8 },
			{ .name = "time", COLUMN(TIME, struct hit, time) },
			{ .name = "ip", COLUMN(HEX, struct hit, ip), .width = 6 },
			{ .name = "cpu", COLUMN(INT, struct hit, cpu), .width = -4 },
			{ .name = NULL }
		};

		int main(int argc, char **argv)
		{
			struct hit rows[] = {
				{ "a,b", 3, 1500000000, 31, -1 }, { "say \"x\"", UINT64_C(1) << 60, 1, 0, 0 },
				{ "n\303\244h\n", 3, 7, 2, 12 }, { NULL, 20, 0, 1, 3 },
			};
			const size_t n = sizeof(rows) / sizeof(*rows);
			struct columns shown = { .count = 0 };
			const char *const wrong = columns_choose(&shown, hits, argc > 2 ? argv[2] : NULL);
			struct pp_out out;

			if (wrong) {
				puts(wrong);
				return 2;
			}
			if (pp_out_open(&out, 1))
				return 4;
			if (*argv[1] != 'j')
				(*argv[1] == 'c' ? columns_csv_head : columns_head)(&out, &shown);
			for (size_t i = 0; i < n; i++) {
				if (*argv[1] == 'c')
					columns_csv(&out, &shown, &rows[i]);
				else if (*argv[1] == 't')
					columns_row(&out, &shown, &rows[i]);
				else {
					struct pp_json json = { .out = &out };

					pp_json_open(&json, NULL, '{');
					columns_json(&json, &shown, &rows[i]);
					pp_json_close(&json, '}');
					pp_out_char(&out, '\n');
				}
			}
			return pp_out_close(&out) ? 4 : 0;
		}
	END
	# shellcheck disable=SC2046
	"${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -I"$ROOT/libpipe/include" -I"$ROOT/tools" \
		-I"$BIN/include" -o table table.c "$BIN"/tools/cli/{table_columns,message,cures}.o "$BIN"/libperfpipe.a \
		$(pkg-config --libs libzstd libxxhash libelf libdw)
}

@test "columns are aligned as their widths say, by characters, and the last one ends the line" {
	./table text >got
	diff got - <<-'END'
		COMM      SAMPLES TIME     IP CPU
		a,b             3 1.500000000   0x1f -1
		say "x"  1152921504606846976 0.000000001    0x0 0
		näh\x0a         3 0.000000007    0x2 12
		               20 0.000000000    0x1 3
	END
}

@test "CSV has a header, CR LF, and quotes where RFC 4180 wants them" {
	./table csv comm,samples >got
	printf '%s\r\n' comm,samples '"a,b",3' '"say ""x""",1152921504606846976' 'näh\x0a,3' ,20 | diff got -
}

@test "JSON has members as their kinds are: large numbers and addresses are strings, absent is absent" {
	./table json >got
	diff got - <<-'END'
		{"comm":"a,b","samples":3,"time":1500000000,"ip":"0x1f","cpu":-1}
		{"comm":"say \"x\"","samples":"1152921504606846976","time":1,"ip":"0x0","cpu":0}
		{"comm":"näh\n","samples":3,"time":7,"ip":"0x2","cpu":12}
		{"samples":20,"time":0,"ip":"0x1","cpu":3}
	END
	jq -e .cpu <got >cpus
}

@test "columns are chosen by name, in the order given, and one that is none is refused" {
	[ "$(./table csv cpu,comm | head -1)" = $'cpu,comm\r' ]
	run -2 ./table csv cpu,nothing
	[ "$output" = "has a name that is not a column" ]
}
