-- wrk: bulk updates of one issue each. Environment: BENCH_IDS, a file of ids, one a line, of plain
-- characters. Each thread draws from a seed of its own, so that runs ask for the same things.
local threads = 0
local ids = {}

function setup(thread)
	threads = threads + 1
	thread:set("seed", threads)
end

function init()
	math.randomseed(seed)
	for id in io.lines(os.getenv("BENCH_IDS")) do
		ids[#ids + 1] = id
	end
	wrk.method = "PATCH"
	wrk.headers["Content-Type"] = "application/json"
	wrk.headers["X-API-Key"] = os.getenv("RETRIAGE_API_KEY")
end

function request()
	local flag = math.random(2) == 1 and "true" or "false"
	local body = '{"issue_ids":["' .. ids[math.random(#ids)] .. '"],"false_positive":' .. flag ..
		',"notes":"load"}'

	return wrk.format(nil, "/api/issues/bulk", nil, body)
end
