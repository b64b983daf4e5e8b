#!/usr/bin/env python3
"""`deepperf bench` as a user runs it, on small pairs that need nothing but Python. Nothing here depends on how fast the
machine is: what is asked is whether programs run, fail and end as they should, and whether reports are complete.

usage: bench_test.py DEEPPERF_BINARY
"""

import html.parser
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))

BUGGY = """
N = 2000
values = []
for i in range(N):
    values = values + [i]
result = {"sum": sum(values), "few": values[:3]}
"""
FIXED = """
N = 2000
values = []
for i in range(N):
    values.append(i)
result = {"sum": sum(values), "few": (0, 1, 2)}
"""


class Benchmark(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.scratch = self.folder / "tmp"
        self.scratch.mkdir()
        self.pairs = self.folder / "benchmark"
        self.pairs.mkdir()

    def tearDown(self):
        self.assertEqual(list(self.scratch.iterdir()), [], "temporary files are left behind")

    def pair(self, name, buggy=BUGGY, fixed=FIXED, knobs="N = 2000", quick="", **keys):
        folder = self.pairs / name
        folder.mkdir()
        (folder / "buggy.py").write_text(textwrap.dedent(buggy))
        (folder / "fixed.py").write_text(textwrap.dedent(fixed))
        facts = {"id": name, "title": f"The pair {name}", "library": "python", "root_cause": "API: inefficient API usage",
                 "symptoms": ["Time: slow execution time"], "measure": "time", **keys}
        lines = [f"{key} = {json.dumps(value)}" for key, value in facts.items()]
        lines += ["[knobs]", knobs, "[quick]", quick]
        (folder / "pp.toml").write_text("\n".join(lines) + "\n")
        return folder

    def environment(self, **more):
        return {**os.environ, "TMPDIR": str(self.scratch), "XDG_CACHE_HOME": os.devnull, **more}

    def run_bench(self, *arguments, code=0, **more):
        result = subprocess.run([BINARY, "bench", *arguments], cwd=self.folder, capture_output=True, encoding="utf-8",
                                timeout=120, env=self.environment(**more))
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def outcome(self, name, *arguments, code=0, **more):
        """The only pair of a run, as JSON."""
        result = self.run_bench("run", name, "--format", "json", "--python", sys.executable, *arguments, code=code, **more)
        pairs = json.loads(result.stdout)["pairs"]
        self.assertEqual(len(pairs), 1)
        return pairs[0]

    # ---- Measuring

    def test_a_pair_is_measured(self):
        self.pair("list-plus")
        found = self.outcome("list-plus")
        self.assertIn(found["status"], ("shown", "not shown here"))
        for side in ("buggy", "fixed"):
            self.assertEqual(len(found[side]), 7)
            for sample in found[side]:
                self.assertGreater(sample["wall_seconds"], 0)
                self.assertGreaterEqual(sample["cpu_seconds"], 0)
                self.assertGreaterEqual(sample["peak_bytes"], sample["used_bytes"] - (1 << 20))
        self.assertLessEqual(found["low"], found["ratio"])
        self.assertGreaterEqual(found["high"], found["ratio"])
        self.assertEqual(found["ratio"], found["wall"]["ratio"])
        self.assertEqual(found["knobs"], {"N": 2000})

    def test_an_effect_that_cannot_be_missed_is_shown(self):
        # Not a question of speed: one program waits, the other does not.
        self.pair("wait", buggy="import time\nN = 1\ntime.sleep(0.2)\nresult = 1\n",
                  fixed="import time\nN = 1\nresult = 1\n", knobs="N = 1")
        found = self.outcome("wait")
        self.assertEqual(found["status"], "shown")
        self.assertGreater(found["low"], 1.2)
        self.assertLess(found["cpu"]["ratio"], found["wall"]["ratio"])

    def test_memory(self):
        self.pair("hold", buggy="N = 60\nheld = [bytearray(1 << 20) for _ in range(N)]\nresult = len(held)\n",
                  fixed="N = 60\ncount = sum(1 for _ in range(N) if bytearray(1 << 20))\nresult = count\n",
                  knobs="N = 60", measure="memory", symptoms=["Memory: out of memory"])
        found = self.outcome("hold")
        self.assertEqual(found["status"], "shown")
        self.assertGreater(found["ratio"], 10)
        self.assertEqual(found["ratio"], found["memory"]["ratio"])

    def test_growth(self):
        self.pair("leak", buggy="STEPS = 10\nheld = [bytearray(1 << 20) for _ in range(STEPS)]\nresult = 1\n",
                  fixed="STEPS = 10\nheld = [bytearray(1 << 20)]\nresult = 1\n", knobs="STEPS = 10",
                  measure="growth", growth_knob="STEPS", symptoms=["Memory: memory leak"])
        found = self.outcome("leak")
        self.assertEqual(found["status"], "shown")
        self.assertEqual(found["growth"]["sizes"], [10, 20, 40])
        self.assertEqual(found["growth"]["metric"], "memory")
        self.assertEqual([len(samples) for samples in found["growth"]["buggy"]["samples"]], [7, 7, 7])
        self.assertGreater(found["growth"]["buggy"]["factor"], 2)
        self.assertLess(found["growth"]["fixed"]["factor"], 2)
        self.assertGreater(found["growth"]["buggy"]["per_step"], 1 << 19)

    def test_what_is_measured(self):
        before = "import os\nN = 1\nopen(os.environ['LOG'], 'a').write('x')\n"
        for name, program in (("mark", "import time\nN = 1\ntime.sleep(0.3)\n# measured from here\nresult = 1\n"),
                              ("late-import", "N = 1\nimport time\ntime.sleep(0.0)\nresult = 1\n"),
                              ("guard", before + "if __name__ == '__main__':\n    result = __file__.endswith('.py')\n")):
            self.pair(name, buggy=program, fixed=program, knobs="N = 1")
        self.assertLess(self.outcome("mark")["buggy"][0]["wall_seconds"], 0.3)
        self.assertEqual(self.outcome("late-import", "--quick")["status"], "ran")
        log = self.folder / "log"
        self.assertEqual(self.outcome("guard", "--rounds", "8", LOG=str(log))["rounds"], 8)
        self.assertEqual(log.read_text(), "x" * 18)  # a warm-up and eight rounds of both

    def test_sizes(self):
        program = "N: int = 3\nNAME = 'x'\nRATE = 0.5\nresult = [N, NAME, RATE]\nN = 0\n"
        self.pair("sizes", buggy=program, fixed=program.replace("N = 0", "assert N in (5, 7, 9)"),
                  knobs="N = 5\nNAME = 'ü'\nRATE = 0.25", quick="N = 7")
        self.assertEqual(self.outcome("sizes", "--quick")["knobs"], {"N": 7, "NAME": "ü", "RATE": 0.25})
        self.assertEqual(self.outcome("sizes", "--quick", "--set", "N=9", "--set", "NAME=y")["knobs"]["N"], 9)
        self.assertIn("none of the pairs has the knob M", self.run_bench("run", "sizes", "--set", "M=1", code=2).stderr)
        self.pair("no-such-size", knobs="M = 1")
        found = self.outcome("no-such-size", "--quick", code=1)
        self.assertEqual(found["reason"], "buggy.py has no constant M at its top level")

    def test_programs_have_a_folder_of_their_own(self):
        program = ("import os, tempfile\nN = 1\nassert os.listdir('.') == []\nopen('checkpoint', 'w').close()\n"
                   "assert tempfile.gettempdir() == os.getcwd()\nresult = 1\n")
        self.pair("files", buggy=program, fixed=program, knobs="N = 1")
        self.assertEqual(self.outcome("files", "--quick")["status"], "ran")

    # ---- Programs that are not as they should be

    def failure(self, program, *arguments, **more):
        name = f"pair-{len(list(self.pairs.iterdir()))}"
        self.pair(name, buggy=program, fixed="result = 1\n", knobs="")
        found = self.outcome(name, "--quick", *arguments, code=1, **more)
        self.assertEqual(found["status"], "failed")
        return found["reason"]

    def test_exceptions(self):
        self.assertEqual(self.failure("x = 1\ndef f():\n    return {}['a']\nresult = f()\n"),
                         "buggy.py failed at line 3: KeyError: 'a'")
        self.assertIn("buggy.py failed at line 1: SyntaxError", self.failure("result = = 1\n"))
        self.assertEqual(self.failure("import sys\nsys.exit(3)\n"), "buggy.py failed at line 2: SystemExit: 3")
        self.assertEqual(self.failure("x = 1\n"), "buggy.py sets no variable `result` at its top level")
        self.assertIn("cannot be compared", self.failure("result = object()\n"))
        self.assertIn("nothing to measure", self.failure("import os\n"))

    def test_crashes(self):
        self.assertIn("crashed: Aborted", self.failure("import os\nos.abort()\n"))
        self.assertIn("exit code 4; it wrote last: the end",
                      self.failure("import os\nprint('the end', flush=True)\nos._exit(4)\n"))

    def is_alive(self, pid):
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state not in "ZX"

    HANG = """
        import os, time
        if os.fork() == 0:
            open(os.environ["PIDS"], "a").write(f"{os.getpid()}\\n")
            time.sleep(1000)
        open(os.environ["PIDS"], "a").write(f"{os.getpid()}\\n")
        while True:
            time.sleep(0.01)
        """

    def assert_all_gone(self, pids):
        for pid in pids.read_text().split():
            for _ in range(100):  # the kernel takes its time
                if not self.is_alive(pid):
                    break
                time.sleep(0.05)
            self.assertFalse(self.is_alive(pid), "a process was left behind")

    def test_a_program_that_hangs(self):
        pids = self.folder / "pids"
        reason = self.failure(self.HANG, "--time-limit", "3", PIDS=str(pids))
        self.assertEqual(reason, "buggy.py did not finish within 3 s (--time-limit)")
        self.assertEqual(len(pids.read_text().split()), 2)
        self.assert_all_gone(pids)

    def test_an_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            pids = self.folder / f"pids-{int(number)}"
            name = f"hang-{int(number)}"
            self.pair(name, buggy=self.HANG, knobs="")
            with subprocess.Popen([BINARY, "bench", "run", name], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, encoding="utf-8",
                                  env=self.environment(PIDS=str(pids))) as process:
                for _ in range(600):
                    if pids.exists() and len(pids.read_text().split()) == 2:
                        break
                    time.sleep(0.05)
                process.send_signal(number)
                output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, output + errors)
            self.assertIn("interrupted", errors)
            self.assert_all_gone(pids)

    def test_a_program_that_needs_too_much_memory(self):
        self.assertEqual(self.failure("x = bytearray(1 << 30)\nresult = 1\n", "--memory-limit", "0.5"),
                         "buggy.py needed more than 0.5 GB of memory (--memory-limit) at line 1")

    def test_imports_have_limits_too(self):
        libraries = self.folder / "libraries"
        libraries.mkdir()
        for name, text in (("large", "kept = bytearray(300 << 20)\n"), ("aborts", "import os\nos.abort()\n"),
                           ("leaves", "raise SystemExit('no licence')\n"), ("broken", "raise RuntimeError('two\\nlines')\n")):
            (libraries / f"{name}.py").write_text(text)
        path = {"PYTHONPATH": str(libraries)}
        self.assertRegex(self.failure("import large\nresult = 1\n", "--memory-limit", "0.1", **path),
                         r"buggy.py needs 0\.\d+ GB of memory for its imports alone, more than the limit of 0.1 GB")
        self.assertEqual(self.failure("def f():\n    import large\n    return 1\nresult = f()\n", "--memory-limit", "0.1", **path),
                         "buggy.py needed more than 0.1 GB of memory (--memory-limit) at line 2")
        self.assertIn("buggy.py crashed: Aborted", self.failure("import aborts\nresult = 1\n", **path))
        self.assertIn("no licence", self.failure("import leaves\nresult = 1\n", **path))
        # What a pair names as its library is asked for first, and is "not there" only if it is not there.
        for library, reason in (("broken", "cannot import broken: RuntimeError: two"), ("aborts", "the import crashed: Aborted")):
            self.pair(library, library=library)
            found = self.outcome(library, **path)
            self.assertEqual(found["status"], "not runnable here")
            self.assertIn(reason, found["reason"])

    def test_results_that_differ(self):
        self.pair("differs", fixed=FIXED.replace("(0, 1, 2)", "[0, 1, 2.5]"))
        found = self.outcome("differs", code=1)
        self.assertEqual(found["status"], "results differ")
        self.assertIn("result['few'][2] is 2 in buggy.py and 2.5 in fixed.py", found["reason"])
        self.assertNotIn("ratio", found)
        self.pair("near", fixed=FIXED.replace("(0, 1, 2)", "[0, 1, 2.5]"), tolerance=0.5)
        self.assertEqual(self.outcome("near", "--quick")["status"], "ran")
        self.pair("not-compared", fixed="N = 3\n", compare=False, compare_reason="there is nothing to compare")
        self.assertEqual(self.outcome("not-compared", "--quick")["status"], "ran")

    # ---- What is not there

    def test_a_missing_framework_is_not_a_pass(self):
        self.pair("missing", library="no_such_framework")
        self.pair("imports", buggy="import no_such_framework\nresult = 1\n", knobs="")
        self.pair("says-so", runnable=False, reason="it needs eight GPUs")
        self.pair("too-old", library="json", versions=">=99")
        self.assertIn("has no no_such_framework", self.outcome("missing")["reason"])
        self.assertIn("No module named 'no_such_framework'", self.outcome("imports")["reason"])
        self.assertEqual(self.outcome("says-so")["reason"], "it needs eight GPUs")
        self.assertIn("it needs json >=99", self.outcome("too-old")["reason"])
        result = self.run_bench("run")
        self.assertIn("4 pairs: 4 not runnable here", result.stdout)
        self.assertNotIn("shown", result.stdout)

    def test_wrong_descriptions(self):
        folder = self.pair("wrong")
        (folder / "pp.toml").write_text("id = 'wrong'\nmeasure = 'speed'\n")
        errors = self.run_bench("run", code=2).stderr
        self.assertIn("benchmark/wrong/pp.toml:2: 'measure' must be", errors)
        self.assertIn("benchmark/wrong/pp.toml: 'title' is missing", errors)
        (folder / "pp.toml").write_text("id = \n")
        self.assertIn("benchmark/wrong/pp.toml:1: not valid TOML", self.run_bench("list", code=2).stderr)
        self.pair("no-program")
        (self.pairs / "no-program" / "fixed.py").unlink()
        self.assertIn("fixed.py: this file is missing", self.run_bench("list", "no-program", code=2).stderr)
        self.pair("no-rule", rules=["DP9999"])
        self.assertIn("there is no rule with the code 'DP9999'", self.run_bench("list", "no-rule").stderr)
        # Others are not held up by them, but the exit code says that not all was done.
        result = self.run_bench("run", "--quick", "--python", sys.executable, code=2)
        self.assertIn("2 of 3 pairs are skipped", result.stderr)
        self.assertIn("1 pair: 1 ran", result.stdout)
        self.assertIn("1 pair\n", self.run_bench("list", code=2).stdout)
        self.run_bench("assess", code=2)

    def test_a_set_of_ones_own(self):
        # Another folder, and pairs that name no rules: then what is reported where the fix changes something counts.
        self.pairs = self.folder / "holdout"
        self.pairs.mkdir()
        self.pair("a", self.LOOP, self.STACK, library="numpy", knobs="N = 5000")
        self.pair("b", self.STACK, self.STACK, library="numpy", knobs="N = 5000")
        self.assertIn("2 pairs\n", self.run_bench("list", "--folder", "holdout").stdout)
        self.assertIn("2 pairs\n", self.run_bench("list", "holdout").stdout)
        (self.folder / "nothing").mkdir()
        self.assertIn("nothing/ has no pp.toml, and no folders with one", self.run_bench("list", "nothing/", code=2).stderr)
        found = self.assessment("--folder", "holdout")
        self.assertEqual({pair["id"]: (pair["found"], pair["found_by_place"]) for pair in found["pairs"]},
                         {"a": (True, True), "b": (False, False)})
        text = self.run_bench("assess", "--folder", "holdout").stdout
        self.assertIn("found at most", text)
        self.assertIn("  a: DP138\n", text)
        self.assertIn("b: no rule expected", text)

    def test_arguments(self):
        self.pair("list-plus")
        self.assertIn("did you mean 'list-plus'?", self.run_bench("run", "list-plsu", code=2).stderr)
        self.assertIn("cannot run", self.run_bench("run", "--python", "/no/such/python", code=2).stderr)
        self.run_bench("run", "--rounds", "3", code=2)
        self.assertIn("1 pair\n", self.run_bench("list", "list-*").stdout)
        self.assertIn("1 pair\n", self.run_bench("list", "benchmark/list-plus").stdout)
        self.assertEqual(json.loads(self.run_bench("list", "--format", "json").stdout)["pairs"][0]["id"], "list-plus")
        self.assertIn("no folder", self.run_bench("list", "--folder", "nowhere", code=2).stderr)

    # ---- Reports

    def test_text_and_html(self):
        self.pair("list-plus", title="<script>alert(1)</script> & more")
        self.pair("missing", library="no_such_framework")
        text = self.run_bench("run", "--python", sys.executable).stdout
        self.assertIn("buggy    ", text)
        self.assertIn("█", text)
        self.assertIn("results equal", text)
        self.assertIn("2 pairs: ", text)
        self.run_bench("run", "--format", "html", "--output", "page.html", "--python", sys.executable)
        page = (self.folder / "page.html").read_text()
        self.assertNotIn("<script", page)
        self.assertIn("&lt;script&gt;", page)
        self.assertNotIn("http", page.replace("http-equiv", ""))
        self.assert_well_formed(page)

    def assert_well_formed(self, page):
        stack = []

        class Parser(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                if tag not in ("meta",):
                    stack.append(tag)

            def handle_endtag(self, tag):
                assert stack.pop() == tag

        Parser().feed(page)
        self.assertEqual(stack, [])

    def test_recording(self):
        self.pair("first", rules=["DP138"])
        self.pair("second", rules=["DP138"])
        self.pair("missing", library="no_such_framework")
        python = ("--python", sys.executable)
        self.assertIn("cannot be used with --quick", self.run_bench("run", "--record", "--quick", code=2).stderr)
        self.assertIn("recorded 2 measurements", self.run_bench("run", "--record", *python).stderr)
        evidence = json.loads((self.pairs / "evidence.json").read_text())
        self.assertEqual([one["pair"] for one in evidence["measurements"]], ["first", "second"])
        self.assertEqual(evidence["rules"], {"DP138": ["first", "second"]})
        one = evidence["measurements"][0]
        self.assertEqual(one["knobs"], {"N": 2000})
        self.assertEqual(one["rounds"], 7)
        self.assertRegex(one["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertGreaterEqual(one["cores"], 1)
        # A second recording replaces what it measures, keeps the rest, and forgets pairs that are gone.
        for program in (self.pairs / "second").iterdir():
            program.unlink()
        (self.pairs / "second").rmdir()
        self.pair("third")
        self.run_bench("run", "third", "--record", *python)
        again = json.loads((self.pairs / "evidence.json").read_text())
        self.assertEqual([one["pair"] for one in again["measurements"]], ["first", "third"])
        self.assertEqual(again["measurements"][0], one)
        # A file that is no evidence is not overwritten.
        (self.pairs / "evidence.json").write_text("{}")
        self.run_bench("run", "third", "--record", *python, code=2)
        self.assertEqual((self.pairs / "evidence.json").read_text(), "{}")

    # ---- Assessing

    LOOP = """
        import numpy as np
        import torch
        N = 5000
        features = np.empty((0, 3))
        for i in range(N):
            features = np.append(features, [[i, i, i]], axis=0)
        result = features.sum()
        """
    STACK = """
        import numpy as np
        import torch
        N = 5000
        rows = []
        for i in range(N):
            rows.append([i, i, i])
        result = np.array(rows).sum()
        """

    def assessment(self, *arguments):
        return json.loads(self.run_bench("assess", "--format", "json", *arguments).stdout)

    def test_assess(self):
        common = {"library": "numpy", "rules": ["DP138"], "introducing_stage": "data preparation", "knobs": "N = 5000"}
        self.pair("found", self.LOOP, self.STACK, **common)
        self.pair("missed", self.STACK, self.STACK, **common)
        self.pair("alarm", self.LOOP, self.LOOP, **common)
        self.pair("12345", self.STACK, self.STACK, static=False, static_reason="a bug of the library", **common)
        found = self.assessment()
        verdicts = {pair["id"]: pair["verdict"] for pair in found["pairs"]}
        self.assertEqual(verdicts, {"found": "found", "missed": "missed", "alarm": "found", "12345": "not counted"})
        self.assertEqual({key: found["all"][key] for key in ("pairs", "in_scope", "found", "missed", "false_alarms")},
                         {"pairs": 4, "in_scope": 3, "found": 2, "missed": 1, "false_alarms": 1})
        self.assertEqual({row["name"]: row["pairs"] for row in found["sets"]}, {"numpy": 3, "DLPerf study": 1})
        self.assertEqual(found["introducing_stages"][0]["name"], "data preparation")
        self.assertEqual([(tool["helped"], tool["applied"]) for tool in found["study"]], [(2, 15), (4, 24)])
        text = self.run_bench("assess").stdout
        self.assertIn("missed: DP138 expected", text)
        self.assertIn("benchmark/alarm/fixed.py:7: DP138", text)
        self.assertIn("2 of 15", text)
        page = self.run_bench("assess", "--format", "html").stdout
        self.assert_well_formed(page)
        self.assertIn("found; false alarm", page)
        self.assertIn('<td class="text failed">missed</td>', page)
        self.assertIn("2 of 3", page)

    def test_other_tools(self):
        common = {"library": "numpy", "rules": ["DP138"], "knobs": "N = 5000"}
        self.pair("one", self.LOOP, self.STACK, **common)
        self.pair("two", self.LOOP, self.STACK, **common)
        location = {"physicalLocation": {"artifactLocation": {"uri": "x/one/buggy.py"}, "region": {"startLine": 7}}}
        sarif = {"runs": [{"tool": {"driver": {"name": "Other"}}, "results": [{"ruleId": "slow", "locations": [location]}]}]}
        pylint = [{"path": "/y/two/buggy.py", "line": 6, "symbol": "style", "message-id": "C1"},  # not what the fix changes
                  {"path": "/y/two/buggy.py", "line": 8, "symbol": "both", "message-id": "C2"},
                  {"path": "/y/two/fixed.py", "line": 8, "symbol": "both", "message-id": "C2"}]
        ast_grep = [{"file": "two/buggy.py", "range": {"start": {"line": 6, "column": 0}}, "ruleId": "append"}]
        for name, report in (("other.sarif", sarif), ("pylint.json", pylint), ("ast-grep.json", ast_grep)):
            (self.folder / name).write_text(json.dumps(report))
        found = self.assessment("--tool", "other.sarif", "--tool", "pylint.json", "--tool", "ast-grep.json")
        self.assertEqual({tool["tool"]: [pair["id"] for pair in tool["found_at_most"]] for tool in found["tools"]},
                         {"Other": ["one"], "pylint": [], "ast-grep": ["two"]})
        self.assertEqual(found["all"]["found_by_tools"], {"Other": 1, "pylint": 0, "ast-grep": 1})
        self.assertIn("Other", self.run_bench("assess", "--tool", "other.sarif").stdout)
        (self.folder / "bad.json").write_text('{"a": 1}')
        self.assertIn("neither SARIF nor", self.run_bench("assess", "--tool", "bad.json", code=2).stderr)

    # ---- A user's own

    def own(self, text, *arguments, code=0):
        (self.folder / "mine.py").write_text(textwrap.dedent(text))
        return self.run_bench("new", "mine.py", "--python", sys.executable, *arguments, code=code)

    FUNCTIONS = '''
        """Joins words."""
        N = 500

        def words():
            return ["x"] * N

        def before():
            text = ""
            for word in words():
                text = text + word
            return text

        def after():
            return "".join(words())

        if __name__ == "__main__":
            print(before() == after(), 1 / 0)
        '''

    def test_functions(self):
        result = self.own(self.FUNCTIONS, "--keep", "pairs/joined", "--format", "json")
        found = json.loads(result.stdout)["pairs"][0]
        self.assertEqual((found["id"], found["title"], found["knobs"]), ("joined", "Joins words.", {"N": 500}))
        self.assertIn(found["status"], ("shown", "not shown here"))
        self.assertTrue(found["results_compared"])
        folder = self.folder / "pairs" / "joined"
        self.assertIn("result = before()", (folder / "buggy.py").read_text())
        self.assertNotIn("def after", (folder / "buggy.py").read_text())
        self.assertNotIn("1 / 0", (folder / "fixed.py").read_text())
        self.run_bench("run", "pairs/joined", "--quick", "--python", sys.executable)
        self.assertIn("is not empty", self.own(self.FUNCTIONS, "--keep", "pairs/joined", code=2).stderr)
        renamed = self.FUNCTIONS.replace("before()", "slow()").replace("after()", "fast()")
        self.assertIn("results equal", self.own(renamed, "--before", "slow", "--after", "fast").stdout)

    def test_sections(self):
        text = """
            N = 100
            # before
            values = []
            for i in range(N):
                values = values + [i]
            # after
            values = list(range(N))
            # end
            text = '''
            # before
            '''
            result = sum(values), text
            """
        self.assertIn("results equal", self.own(text).stdout)
        without = self.own("# Before:\nx = 1\n# After:\nx = 2\n")
        self.assertIn("results are not compared", without.stderr)
        self.assertIn("results not compared", without.stdout)

    def test_what_cannot_be_split(self):
        for text, message in (("x = 1\n", "mine.py: nothing to compare: write two functions before() and after(),"),
                              ("def before(): pass\n", "(there is before(), but no after())"),
                              ("# before\nx = 1\n", "mine.py:1: the section '# before' has no '# after'"),
                              ("# before\nx = 1\n# end\n", "mine.py:3: the section '# before' of line 1 has no '# after'"),
                              ("x = 1\n# after\n# before\n# after\n", "mine.py:2: '# after' needs a '# before' above it"),
                              ("x = (\n", "syntax error"),
                              ("def before(n): pass\ndef after(): pass\n", "mine.py:1: before() is called without arguments"),
                              ("# before\n# after\ndef before(): pass\ndef after(): pass\n", "remove one of the two")):
            errors = self.own(text, code=2).stderr
            self.assertIn(message, errors)
        self.assertIn("--growth-knob", self.own("x = 1\n", "--measure", "growth", code=2).stderr)
        self.assertIn("mine.py has no constant M that is set to a number at its top level; it has N",
                      self.own(self.FUNCTIONS, "--measure", "growth", "--growth-knob", "M", code=2).stderr)
        self.assertIn("--no-run needs --keep", self.own(self.FUNCTIONS, "--no-run", code=2).stderr)

    def test_what_goes_wrong_is_told_in_the_users_words(self):
        text = "if __name__ == '__main__':\n    print(1)\n\ndef before():\n    {}\n\ndef after():\n    {}\n"
        for before, after, message in (
                ("raise ValueError('no data\\nfound')", "return 1", "before() failed at line 5: ValueError: no data\n"),
                ("return 1", "return [][1]", "after() failed at line 8: IndexError: list index out of range\n"),
                ("return 1", "return 2", "result is 1 in before() and 2 in after()"),
                ("while True: pass", "return 1", "before() did not finish within 0.5 s (--time-limit)"),
                ("return bytearray(1 << 30)", "return 1", "before() needed more than 0.25 GB of memory (--memory-limit) at line 5")):
            result = self.own(text.format(before, after), "--time-limit", "0.5", "--memory-limit", "0.25", code=1)
            self.assertIn(message, result.stdout)
        result = self.own("# before\nx = 1\n# after\nx = 1 / 0\n# end\nresult = x\n", code=1)
        self.assertIn("the section '# after' failed at line 4: ZeroDivisionError", result.stdout)
        # Nothing was measured, and that is not a success.
        result = self.own("import tensorflow\n" + text.format("return 1", "return 1"), code=2)
        self.assertIn("not runnable here", result.stdout)
        self.assertIn("    before   █", self.own(self.FUNCTIONS).stdout)

    def test_check_is_asked_what_it_finds(self):
        loop = textwrap.indent(textwrap.dedent(self.LOOP).replace("result = ", "return "), "    ")
        stack = textwrap.indent(textwrap.dedent(self.STACK).replace("result = ", "return "), "    ")
        result = self.own(f"import torch\nimport numpy\ndef before():\n{loop}\ndef after():\n{stack}\n", "--no-run", "--keep", "kept")
        self.assertIn("`check` reports DP138 in the code before", result.stderr)
        self.assertIn('rules = ["DP138"]', (self.folder / "kept" / "pp.toml").read_text())


if __name__ == "__main__":
    unittest.main()
