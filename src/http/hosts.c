/*
 * The list of hosts. Input: the listen address, names from the command line, values of Host and
 * Origin. Output: yes or no.
 * Refuses what has no form of a host; an empty Host, "null" and other origins are never on the
 * list.
 */
#include "http/hosts.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes: a name in DNS has 253 at most, and a port 6 with its colon. */
#define HOST_MAX 260u

void rt_hosts_release(struct rt_hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		free(hosts->hosts[i].name);
	free(hosts->hosts);
	*hosts = (struct rt_hosts){0};
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
	       c == '.' || c == '_';
}

static bool is_address_char(char c)
{
	return is_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') || c == ':' ||
	       c == '.';
}

/* Bytes of the name or of the address with its brackets; 0: there is neither. */
static size_t name_length(struct rt_slice text)
{
	size_t len = 0;

	if (text.len && text.ptr[0] == '[') {
		for (len = 1; len < text.len && is_address_char(text.ptr[len]);)
			len++;
		return len > 1 && len < text.len && text.ptr[len] == ']' ? len + 1 : 0;
	}
	while (len < text.len && is_name_char(text.ptr[len]))
		len++;
	return len;
}

bool rt_hosts_is_host(struct rt_slice text)
{
	size_t at = name_length(text);

	if (at == 0 || text.len > HOST_MAX)
		return false;
	if (at == text.len)
		return true;
	if (text.ptr[at++] != ':' || text.len - at > 5)
		return false;
	for (; at < text.len; at++) {
		if (!is_digit(text.ptr[at]))
			return false;
	}
	return true;
}

/* The entry of a host, or NULL; letters of either case are equal. */
static struct rt_host *find(const struct rt_hosts *hosts, struct rt_slice host)
{
	for (size_t i = 0; i < hosts->count; i++) {
		const char *name = hosts->hosts[i].name;

		if (strlen(name) == host.len && strncasecmp(name, host.ptr, host.len) == 0)
			return &hosts->hosts[i];
	}
	return NULL;
}

bool rt_hosts_has(const struct rt_hosts *hosts, struct rt_slice host)
{
	return find(hosts, host) != NULL;
}

static bool may_link(const struct rt_hosts *hosts, struct rt_slice host)
{
	const struct rt_host *entry = find(hosts, host);

	return entry && entry->may_link;
}

bool rt_hosts_has_origin(const struct rt_hosts *hosts, struct rt_slice origin)
{
	static const struct {
		struct rt_slice prefix;
		unsigned port;
	} schemes[] = {{{"http://", 7}, 80}, {{"https://", 8}, 443}};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t len = schemes[i].prefix.len;
		struct rt_slice host = {origin.ptr + len, origin.len - len};
		char with_port[HOST_MAX + 16];

		if (origin.len <= len || memcmp(origin.ptr, schemes[i].prefix.ptr, len) != 0)
			continue;
		if (may_link(hosts, host))
			return true;
		if (host.len > HOST_MAX || name_length(host) != host.len)
			return false;
		len = (size_t)snprintf(with_port, sizeof(with_port), "%.*s:%u", (int)host.len,
				       host.ptr, schemes[i].port);
		return may_link(hosts, rt_slice_make(with_port, len));
	}
	return false;
}

static enum rt_status hosts_add(struct rt_hosts *hosts, const char *name, bool may_link,
				struct rt_error *err)
{
	size_t capacity = hosts->capacity ? 2 * hosts->capacity : 8;
	struct rt_host *entry = find(hosts, rt_slice_make(name, strlen(name))), *grown;

	if (entry) {
		entry->may_link |= may_link;
		return RT_OK;
	}
	if (hosts->count == hosts->capacity) {
		grown = realloc(hosts->hosts, capacity * sizeof(*grown));
		if (!grown)
			return rt_error_nomem(err);
		hosts->hosts = grown;
		hosts->capacity = capacity;
	}
	entry = &hosts->hosts[hosts->count];
	*entry = (struct rt_host){strdup(name), may_link};
	if (!entry->name)
		return rt_error_nomem(err);
	hosts->count++;
	return RT_OK;
}

enum rt_status rt_hosts_allow(struct rt_hosts *hosts, const char *host, unsigned port, bool ours,
			      struct rt_error *err)
{
	struct rt_slice text = {host, strlen(host)};
	char with_port[HOST_MAX + 16];
	enum rt_status status;

	if (!rt_hosts_is_host(text))
		return rt_error_set(err, RT_E_USAGE,
				    "--allow-host: want a host such as example.org or "
				    "example.org:8080, have \"%s\"",
				    host);
	status = hosts_add(hosts, host, !ours, err);
	if (status != RT_OK || name_length(text) != text.len)
		return status;
	(void)snprintf(with_port, sizeof(with_port), "%s:%u", host, port);
	return hosts_add(hosts, with_port, true, err);
}
