/* parse.h - what parse.c shares with operands.c: the parser's state, and its steps. */
#ifndef PARSE_H
#define PARSE_H

#include "query/query.h"

/* What a comparison asks for. */
struct pp_query_operand {
	const char *name;
	struct pp_query_path *path;
	enum pp_query_kind kind;
	uint8_t field;
	size_t at;
};

struct pp_query_parser {
	const char *text;
	size_t at;                    /* after `token` */
	size_t end;                   /* after the one before it */
	struct pp_query_token token;  /* the next one */
	size_t tests, depth;
	struct pp_query_tree *tree;
	struct pp_error *error;
};

int pp_query_advance(struct pp_query_parser *);
int pp_query_no_memory(const struct pp_query_parser *);
/* "WHAT is expected here, not 'foo'" */
int pp_query_unexpected(const struct pp_query_parser *, const char *what);

/* A node that joins two; `right` does not count where one needs none. */
int pp_query_join_nodes(struct pp_query_parser *, enum pp_node_kind, uint32_t left, uint32_t right,
			uint32_t *index);
/* A node that owns what the test owns; on failure it is freed. */
int pp_query_add_test(struct pp_query_parser *, struct pp_query_test *, uint32_t *index);

/* FIELD OP NUMBER, the number being next.  These all take the test over. */
int pp_query_compare_number(struct pp_query_parser *, const struct pp_query_operand *,
			    enum pp_token_kind op, struct pp_query_test, uint32_t *index);
/* What is between braces; without them one range. */
int pp_query_number_set(struct pp_query_parser *, const struct pp_query_operand *,
			struct pp_query_test, bool braces, uint32_t *index);
int pp_query_text_set(struct pp_query_parser *, struct pp_query_test *, bool braces,
		      uint32_t *index);
/* A regular expression or a glob. */
int pp_query_take_pattern(struct pp_query_parser *, struct pp_query_test *, uint32_t *index);

#endif
