"""Makes calls of a running server fail while it answers, each once and from then on.

For every kind of request and of call: the answer is the right one to its last byte, or a problem
document with 500 or 503, or the connection ends without one. The server never crashes, and goes
on after one allocation that failed; a journal that could not be written or flushed ends it with 3
and a last line that says so. After the fault everything is answered rightly, the journal
verifies, and has every update that was acknowledged.

Environment: FAULT_ALL=1 makes every call fail, instead of the first ones and a sample.
"""
import collections
import concurrent.futures
import os
import shutil
import sys
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from service import (ASKS, FULL, LEVELS, LIMIT, SECONDS, SEEN, SUMMARY, TORN, Ask,  # noqa: E402
                     Service, http, scenes)

KINDS = ["malloc", "open", "read", "write", "close", "map", "sync", "cut", "stat", "lock",
         "socket", "rename", "remove", "disk"]
ENTRY_KINDS = ["malloc", "read", "write", "open", "close", "sync", "cut", "attribute", "stat",
               "remove", "disk"]
START_KINDS = ["malloc", "read", "write", "open", "close", "map", "fork", "stat", "lock",
               "folder", "random"]
DENSE = 20  # every call up to this one is made to fail, then one in a tenth of those so far
ALL = os.environ.get("FAULT_ALL") == "1"
WORKERS = 4  # they mostly wait


def often(sticky):
    return "from then on" if sticky else "once"


def points():
    """The numbers of calls to fail."""
    at = 1
    while True:
        yield at
        at += 1 if ALL or at < DENSE else at // 10


@unittest.skipUnless(http.HAS_SHIM, "built without the HTTP shim")
@unittest.skipIf(http.SANITIZED, "a sanitizer and a preloaded library do not go together")
class ServeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Learn the right answers."""
        with scenes.scratch() as folder:
            service = Service(folder).start()
            for ask in ASKS:
                Service.right[ask.name] = cls.learn(service, ask)
            for level in (None, *LEVELS):
                if level:
                    assert service.ask(service.update()).status == 200
                for ask in ASKS:
                    if SUMMARY in ask.target:
                        Service.right[ask.name, level] = cls.learn(service, ask)
            wrong = service.judge_stop()
            assert not wrong, wrong

            limited = Service(folder, *LIMIT, before=service).start()
            Service.right[FULL.name] = cls.learn(limited, FULL)
            assert Service.right[FULL.name][0] == 422
            wrong = limited.judge_stop()
            assert not wrong, wrong

    @staticmethod
    def learn(service, ask):
        answer = service.ask(ask)
        return answer.status, answer.headers, answer.body

    def setUp(self):
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.top = holder.name
        self.faults = collections.Counter()

    def folder(self, name):
        path = os.path.join(self.top, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def together(self, function, jobs):
        """Run jobs, a few at a time, and check that none of them complains."""
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(lambda job: function(*job), jobs))
        print(", ".join(f"{what} {count}" for what, count in self.faults.items()))
        complaints = [text for texts in results for text in texts]
        self.assertFalse(complaints, "\n".join(["", *complaints]))

    def sweep(self, service, make, kind, sticky):
        """One request with each of its calls failing."""
        complaints = []
        for at in points():
            ask = make()
            reached, wrong = service.point(ask, kind, at, sticky)
            if wrong:
                complaints.append(f"{ask}: {kind} {at} {often(sticky)}: {wrong}")
            if not reached or len(complaints) > 2:
                return complaints
            self.faults[kind] += 1

    def all_of(self, kind, sticky, *arguments, asks=ASKS, updates=True):
        """All requests to one server."""
        service = Service(self.folder(f"{kind}-{sticky}"), *arguments).start()
        # Out of descriptors it takes no connection for a second: one such request is enough.
        makers = [lambda ask=ask: ask for ask in asks if not (ask.fresh and kind == "open")]
        if updates:
            makers += [service.update, lambda: service.update(fresh=True)]
        complaints = []
        try:
            for make in makers:
                complaints += self.sweep(service, make, kind, sticky)
            wrong = service.judge_stop()
            complaints += [f"{kind} {often(sticky)}, end: {wrong}"] if wrong else []
        finally:
            service.remove()
        return complaints

    def test_answers(self):
        self.together(self.all_of, pairs(KINDS))
        for kind in ("malloc", "read", "write", "open", "sync", "stat", "socket"):
            self.assertGreater(self.faults[kind], 0, kind)

    def test_full_record(self):
        """A rule that is broken after the queue."""
        self.together(lambda kind, sticky: self.all_of(kind, sticky, *LIMIT, asks=[FULL],
                                                       updates=False), pairs(["malloc", "read"]))
        self.assertGreater(self.faults["malloc"], 20)

    def each_alone(self, kind, sticky, template, before, judge):
        """A server of its own for each fault. judge(service, kind, at, sticky) returns whether it
        was reached, and what is wrong."""
        complaints = []
        for at in points():
            folder = self.folder(f"{kind}-{sticky}")
            if template:
                shutil.copytree(template, folder, dirs_exist_ok=True)
            service = Service(folder, before=before)
            try:
                reached, wrong = judge(service, kind, at, sticky)
            finally:
                service.remove()
            if wrong:
                complaints.append(f"{kind} {at} {often(sticky)}: {wrong}")
            if not reached or len(complaints) > 2:
                break
            self.faults[kind] += 1
        return complaints

    def used(self):
        """A folder with a journal that has an entry, and the service that has made it."""
        service = Service(self.folder("template")).start()
        self.update(service)
        self.assertIsNone(service.judge_stop())
        return service.folder, service

    def update(self, service):
        ask = service.update()
        answer = service.ask(ask)
        self.assertEqual(answer.status, 200)
        self.assertIsNone(service.judge_answer(ask, answer))

    def update_once(self, service, kind, at, sticky):
        service.start()
        reached, wrong = service.point(service.update(), kind, at, sticky)
        return reached, wrong or service.judge_stop()

    def test_first_entry(self):
        self.together(lambda *job: self.each_alone(*job, None, None, self.update_once),
                      pairs(ENTRY_KINDS))
        for kind in ("malloc", "write", "open", "sync", "stat", "disk"):
            self.assertGreater(self.faults[kind], 0, kind)

    def test_torn_tail(self):
        template, before = self.used()
        with open(before.shim.journal, "ab") as file:
            file.write(TORN)

        def judge(service, kind, at, sticky):
            reached, wrong = self.update_once(service, kind, at, sticky)
            kept = [scenes.read(os.path.join(service.folder, name))
                    for name in os.listdir(service.folder) if name.startswith("journal.jsonl")]
            if not wrong and not any(text.endswith(TORN) for text in kept):
                wrong = "the torn tail is lost"
            return reached, wrong

        self.together(lambda *job: self.each_alone(*job, template, before, judge),
                      pairs(ENTRY_KINDS))
        for kind in ("malloc", "read", "write", "open", "sync", "stat", "disk"):
            self.assertGreater(self.faults[kind], 0, kind)

    def start_once(self, service, kind, at, sticky):
        """It answers rightly after a start with a fault, or ends."""
        wrong = None
        service.start_failing(kind, at, sticky)
        try:
            answer = service.ask(Ask("summary", "GET", SUMMARY, fresh=True))
            wrong = service.judge_answer(SEEN, answer)
        except OSError:
            pass  # it may have ended before there was a connection
        except ValueError as err:
            wrong = str(err)
        service.arm.clear()
        reached = service.arm.failed() > 0
        if wrong:
            return reached, wrong
        try:
            return reached, service.judge_next(service.update(), kind) or service.judge_stop()
        except OSError:
            return reached, service.judge_end()

    def test_first_start(self):
        self.together(lambda *job: self.each_alone(*job, None, None, self.start_once),
                      pairs(["read", "open", "stat", "lock"]))

    def test_start(self):
        template, before = self.used()
        self.together(lambda *job: self.each_alone(*job, template, before, self.start_once),
                      pairs(START_KINDS))
        for kind in START_KINDS:
            if kind not in ("write", "map", "folder"):
                self.assertGreater(self.faults[kind], 0, kind)

    def test_together(self):
        """Updates of several clients, of which one meets the fault."""
        def round_of(service, kind, at, sticky):
            asks = [service.update() for _ in range(4)]
            socks = [service.shim.connect(SECONDS) for _ in asks]
            service.arm.set(kind, at, sticky)
            with concurrent.futures.ThreadPoolExecutor(len(asks)) as pool:
                answers = list(pool.map(service.exchange, asks, socks))
            service.arm.clear()
            for sock in socks:
                sock.close()
            wrong = [service.judge_answer(ask, answer) for ask, answer in zip(asks, answers)]
            wrong = next(filter(None, wrong), None)
            reached = service.arm.failed() > 0
            if reached and not wrong:
                wrong = service.judge_behind(asks[0], kind, sticky, False)
            return reached, wrong or service.judge_stop()

        self.together(lambda *job: self.each_alone(
            *job, None, None, lambda service, *point: round_of(service.start(), *point)),
            pairs(["malloc", "sync", "write"]))
        self.assertGreater(self.faults["malloc"], 10)

    def test_stop(self):
        """It ends when it is told to, whatever fails then."""
        for kind in KINDS:
            with self.subTest(kind):
                service = Service(self.folder(kind)).start()
                self.addCleanup(service.remove)
                self.update(service)
                # The first write is how the signal's handler tells of it, and cannot fail.
                service.arm.set(kind, 2 if kind in ("write", "disk") else 1, True)
                self.assertIsNone(service.judge_stop(0, 3))


def pairs(kinds):
    return [(kind, sticky) for kind in kinds for sticky in (False, True)]


if __name__ == "__main__":
    unittest.main()
