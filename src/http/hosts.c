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
		free(hosts->names[i]);
	free(hosts->names);
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

bool rt_hosts_has(const struct rt_hosts *hosts, struct rt_slice host)
{
	for (size_t i = 0; i < hosts->count; i++) {
		if (strlen(hosts->names[i]) == host.len &&
		    strncasecmp(hosts->names[i], host.ptr, host.len) == 0)
			return true;
	}
	return false;
}

bool rt_hosts_has_origin(const struct rt_hosts *hosts, struct rt_slice origin)
{
	static const char *const schemes[] = {"http://", "https://"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t len = strlen(schemes[i]);

		if (origin.len > len && memcmp(origin.ptr, schemes[i], len) == 0)
			return rt_hosts_has(hosts,
					    rt_slice_make(origin.ptr + len, origin.len - len));
	}
	return false;
}

static enum rt_status hosts_add(struct rt_hosts *hosts, const char *name, struct rt_error *err)
{
	size_t capacity = hosts->capacity ? 2 * hosts->capacity : 8;
	char **names;

	if (rt_hosts_has(hosts, rt_slice_make(name, strlen(name))))
		return RT_OK;
	if (hosts->count == hosts->capacity) {
		names = realloc(hosts->names, capacity * sizeof(*names));
		if (!names)
			return rt_error_nomem(err);
		hosts->names = names;
		hosts->capacity = capacity;
	}
	hosts->names[hosts->count] = strdup(name);
	if (!hosts->names[hosts->count])
		return rt_error_nomem(err);
	hosts->count++;
	return RT_OK;
}

enum rt_status rt_hosts_allow(struct rt_hosts *hosts, const char *host, unsigned port,
			      struct rt_error *err)
{
	struct rt_slice text = {host, strlen(host)};
	char with_port[HOST_MAX + 16];
	enum rt_status status;

	if (!rt_hosts_is_host(text))
		return rt_error_set(err, RT_E_USAGE,
				    "want a host such as example.org:8080, have \"%s\"", host);
	status = hosts_add(hosts, host, err);
	if (status != RT_OK || name_length(text) != text.len)
		return status;
	(void)snprintf(with_port, sizeof(with_port), "%s:%u", host, port);
	return hosts_add(hosts, with_port, err);
}
