/*
 * Any bytes as what the HTTP shim parses by hand: a target with its query, a Host, an Origin, a
 * Content-Type, a key file. What is let through must have the form that it is let through for, and
 * no byte outside the text is touched.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "http/hosts.h"
#include "http/keys.h"
#include "http/route.h"
#include "http/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static bool inside(struct rt_slice part, struct rt_slice text)
{
	return part.ptr >= text.ptr && part.ptr + part.len <= text.ptr + text.len;
}

static void try_query(struct rt_slice query)
{
	char *out = malloc(query.len ? query.len : 1);
	struct rt_slice value;

	if (!out)
		return;
	if (rt_target_parameter(query, "repo_id", out, &value) == RT_PARAMETER_FOUND) {
		check(value.ptr >= out && value.ptr + value.len <= out + query.len);
		for (size_t at = 0, len; at < value.len; at += len) {
			len = rt_utf8_length(value.ptr + at, value.len - at);
			check(len > 0 && value.ptr[at] != '\0');
		}
	}
	free(out);
}

static void try_target(struct rt_slice text)
{
	struct rt_target target;

	if (!rt_target_parse(text, &target))
		return;
	check(target.path.len > 0);
	check(!target.authority.ptr || inside(target.authority, text));
	for (size_t i = 0; i < target.path.len; i++)
		check(target.path.ptr[i] > ' ' && target.path.ptr[i] < 0x7F);
	if (rt_route_find(target.path))
		check(target.path.ptr[0] == '/' || target.path.ptr[0] == '%');
	if (target.query.ptr) {
		check(inside(target.query, text));
		try_query(target.query);
	}
}

static void try_headers(struct rt_slice text)
{
	struct rt_hosts hosts = {0};
	char name[64];
	struct rt_error err;

	if (rt_hosts_is_host(text)) {
		check(!memchr(text.ptr, '/', text.len) && !memchr(text.ptr, '@', text.len));
		if (text.len < sizeof(name)) {
			memcpy(name, text.ptr, text.len);
			name[text.len] = '\0';
			check(rt_hosts_allow(&hosts, name, 1, false, &err) == RT_OK);
			check(rt_hosts_has(&hosts, text));
		}
	}
	(void)rt_hosts_has_origin(&hosts, text);
	rt_hosts_release(&hosts);
	if (rt_route_is_json(text))
		check(strncasecmp(text.ptr, "application/json", 16) == 0);
}

static void try_keys(struct rt_slice text)
{
	struct rt_keys keys = {0};
	struct rt_error err;
	bool good = rt_keys_add_file(&keys, text, &err) == RT_OK;

	check(good || err.line > 0);
	for (size_t i = 0; i < keys.count; i++) {
		const struct rt_key *key = &keys.items[i];

		check(key->name[0] && strlen(key->name) <= RT_KEY_NAME_MAX);
		for (const char *at = key->name; *at; at++)
			check(isalnum((unsigned char)*at) || strchr("._@-", *at));
		check(rt_keys_find(&keys, key->digest) == key);
	}
	rt_keys_release(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of just this size: a sanitizer sees a byte too far. */
	char *copy = malloc(size ? size : 1);
	struct rt_slice text = {copy, size};

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	try_target(text);
	try_query(text);
	try_headers(text);
	try_keys(text);
	free(copy);
	return 0;
}
