/* pseudonym.c - texts and numbers by HMAC-SHA-256 of libnettle, which is loaded when it is needed. */
#include "scrub/pseudonym.h"

#include "base/array.h"
#include "base/byte_order.h"
#include "base/loaded_library.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<nettle/hmac.h>)

#include <nettle/hmac.h>
#include <pthread.h>

/* It stays for as long as the process. */
static struct {
	__typeof__(nettle_hmac_sha256_set_key) *set_key;
	__typeof__(nettle_hmac_sha256_update) *update;
	__typeof__(nettle_hmac_sha256_digest) *digest;
	bool failed;                  /* there was no memory to load it */
	char why[160];
} nettle;

static void load_nettle(void)
{
	const char *why = "it has not the functions of version 8";
	void *const library = pp_library_load("libnettle.so.8", &why);

	if (library && pp_library_find(library, "nettle_hmac_sha256_set_key", &nettle.set_key) &&
	    pp_library_find(library, "nettle_hmac_sha256_update", &nettle.update) &&
	    pp_library_find(library, "nettle_hmac_sha256_digest", &nettle.digest))
		return;
	nettle.failed = !library && pp_library_failed(why);
	(void)strncpy(nettle.why, why, sizeof(nettle.why) - 1);
	nettle.digest = NULL;
}

static int set_key(struct pp_pseudonyms *p, const void *key, size_t size, struct pp_error *error)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load_nettle);
	if (nettle.failed)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (!nettle.digest)
		return pp_fail(error, PP_E_IO, "pseudonyms need libnettle: %s", nettle.why);
	p->key = malloc(sizeof(struct hmac_sha256_ctx));
	if (!p->key)
		return pp_fail(error, PP_E_NOMEM, NULL);
	nettle.set_key(p->key, size, key);
	return 0;
}

static void code_of(struct pp_pseudonyms *p, enum pp_coded kind, const void *data, size_t size,
		    uint8_t mac[PP_PSEUDONYM_MAC])
{
	static const uint8_t domain[] = "perfpipe scrub 1";
	const uint8_t byte = (uint8_t)kind;

	memset(mac, 0, PP_PSEUDONYM_MAC); /* for who watches memory, but not the library */
	nettle.update(p->key, sizeof(domain), domain);
	nettle.update(p->key, 1, &byte);
	nettle.update(p->key, size, data);
	nettle.digest(p->key, PP_PSEUDONYM_MAC, mac);
}

#else

static int set_key(struct pp_pseudonyms *p, const void *key, size_t size, struct pp_error *error)
{
	(void)p;
	(void)key;
	(void)size;
	return pp_fail(error, PP_E_USE, "this was built without libnettle");
}

static void code_of(struct pp_pseudonyms *p, enum pp_coded kind, const void *data, size_t size,
		    uint8_t mac[PP_PSEUDONYM_MAC])
{
	(void)p;
	(void)kind;
	(void)data;
	(void)size;
	memset(mac, 0, PP_PSEUDONYM_MAC);
}

#endif

int pp_pseudonyms_open(struct pp_pseudonyms *p, const void *key, size_t size, struct pp_error *error)
{
	memset(p, 0, sizeof(*p));
	return set_key(p, key, size, error);
}

void pp_pseudonyms_close(struct pp_pseudonyms *p)
{
	pp_strings_close(&p->known);
	pp_idmap_close(&p->taken);
	free(p->macs);
	free(p->key);
	free(p->rounds);
}

/* The bits of a code that its pseudonym shows. */
static uint64_t shown_bits(const uint8_t *mac)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 7; i++)
		bits = bits << 8 | mac[i];
	return bits >> 6;
}

/* The code of a text of a kind; NULL and *error. */
static const uint8_t *known_code(struct pp_pseudonyms *p, enum pp_coded kind, const void *data, size_t size,
				 struct pp_error *error)
{
	const size_t known = p->known.n;
	uint32_t number;

	if (PP_GROW(&p->macs, &p->room, known + 1, error) ||
	    pp_strings_number(&p->known, data, size, kind, &number, error))
		return NULL;
	if (number < known)
		return p->macs[number];
	code_of(p, kind, data, size, p->macs[number]);
	if (kind == PP_CODED_TEXT && pp_idmap_has(&p->taken, shown_bits(p->macs[number]))) {
		(void)pp_fail(error, PP_E_VALUE, "two texts have one pseudonym: another key is needed");
		return NULL;
	}
	if (kind == PP_CODED_TEXT && pp_idmap_set(&p->taken, shown_bits(p->macs[number]), number)) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	return p->macs[number];
}

int pp_pseudonym_text(struct pp_pseudonyms *p, const char *text, size_t length,
		      char name[PP_PSEUDONYM_LENGTH + 1], struct pp_error *error)
{
	static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
	const uint8_t *const mac = known_code(p, PP_CODED_TEXT, text, length, error);
	uint64_t bits;

	if (!mac)
		return -1;
	bits = shown_bits(mac);
	name[0] = 'x';
	for (unsigned i = PP_PSEUDONYM_LENGTH - 1; i; i--, bits >>= 5)
		name[i] = letters[bits & 31];
	name[PP_PSEUDONYM_LENGTH] = 0;
	return 0;
}

int pp_pseudonym_number(struct pp_pseudonyms *p, uint64_t *number, unsigned width, struct pp_error *error)
{
	const uint8_t *mac;
	uint64_t code;

	if (!*number)
		return 0;
	mac = known_code(p, width == 4 ? PP_CODED_NUMBER4 : PP_CODED_NUMBER8, number, sizeof(*number), error);
	if (!mac)
		return -1;
	code = pp_load64(mac);
	if (width == 4)
		code &= UINT32_MAX;
	*number = code ? code : 1;
	return 0;
}

int pp_pseudonym_bytes(struct pp_pseudonyms *p, uint8_t *bytes, size_t size, struct pp_error *error)
{
	static const uint8_t zero[PP_PSEUDONYM_MAC];
	const uint8_t *mac;

	if (size > PP_PSEUDONYM_MAC)
		return pp_fail(error, PP_E_VALUE, NULL);
	if (!memcmp(bytes, zero, size))
		return 0;
	mac = known_code(p, PP_CODED_BYTES, bytes, size, error);
	if (mac)
		memcpy(bytes, mac, size);
	return mac ? 0 : -1;
}

uint64_t pp_pseudonym_page(struct pp_pseudonyms *p, uint64_t page)
{
	uint8_t mac[PP_PSEUDONYM_MAC];

	code_of(p, PP_CODED_NUMBER8, &page, sizeof(page), mac);
	return pp_load64(mac);
}

/* The input differs from that of all rounds. */
uint64_t pp_pseudonym_constant(struct pp_pseudonyms *p, uint8_t number)
{
	const uint8_t input[4] = { number, 0, 0, 1 };
	uint8_t mac[PP_PSEUDONYM_MAC];

	code_of(p, PP_CODED_ROUND, input, sizeof(input), mac);
	return pp_load64(mac);
}

/* ---- Process ids: a permutation of those that there can be, by four rounds ---- */

enum { FIRST_PID = 3, HALF_BITS = 11, HALF = 1 << HALF_BITS, PIDS = HALF * HALF, ROUNDS = 4 };

static int make_rounds(struct pp_pseudonyms *p, struct pp_error *error)
{
	uint8_t mac[PP_PSEUDONYM_MAC];

	p->rounds = malloc(sizeof(*p->rounds) * ROUNDS * HALF);
	if (!p->rounds)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < ROUNDS * HALF; i++) {
		const uint8_t input[4] = { (uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16), 0 };

		code_of(p, PP_CODED_ROUND, input, sizeof(input), mac);
		p->rounds[i] = (uint16_t)((mac[0] | mac[1] << 8) & (HALF - 1));
	}
	return 0;
}

int pp_pseudonym_pid(struct pp_pseudonyms *p, uint64_t *pid, struct pp_error *error)
{
	uint64_t at = *pid;

	if (at < FIRST_PID || at >= PIDS)
		return 0;
	if (!p->rounds && make_rounds(p, error))
		return -1;
	do {
		uint64_t left = at >> HALF_BITS, right = at & (HALF - 1);

		for (unsigned i = 0; i < ROUNDS; i++) {
			const uint64_t next = left ^ p->rounds[i * HALF + right];

			left = right;
			right = next;
		}
		at = left << HALF_BITS | right;
	} while (at < FIRST_PID);
	*pid = at;
	return 0;
}
