/*
 * Peer: the levels of a SARIF log's results by simdjson's on-demand reader, and nothing else.
 *
 * Input: a file that holds one log. Output: {"error":N,"warning":N,"note":N,"none":N} as one line.
 * The whole file is loaded; each result is passed over once. On-demand checks only what it touches.
 */
#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>

#include <simdjson.h>

namespace od = simdjson::ondemand;

static const std::string_view levels[] = {"error", "warning", "note", "none"};

static int run(const char *path)
{
	simdjson::padded_string text = simdjson::padded_string::load(path);
	od::parser parser;
	od::document document = parser.iterate(text);
	std::map<std::string_view, uint64_t> counts;
	const char *comma = "{";

	for (auto one : document["runs"].get_array()) {
		for (auto result : one["results"].get_array()) {
			std::string_view level;

			if (result["level"].get_string().get(level))
				level = "warning";
			for (auto name : levels)
				if (name == level)
					counts[name]++;
		}
	}
	for (auto name : levels) {
		printf("%s\"%.*s\":%llu", comma, static_cast<int>(name.size()), name.data(),
		       static_cast<unsigned long long>(counts[name]));
		comma = ",";
	}
	printf("}\n");
	return fflush(stdout) == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: peer_levels FILE\n", stderr);
		return 2;
	}
	try {
		return run(argv[1]);
	} catch (const simdjson::simdjson_error &error) {
		fprintf(stderr, "peer_levels: %s: %s\n", argv[1], error.what());
		return 2;
	}
}
