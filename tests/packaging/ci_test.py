#!/usr/bin/env python3
"""What other systems run: the steps of the GitHub action, the job for GitLab and the hooks of pre-commit.

usage: ci_test.py SOURCE_FOLDER DEEPPERF_BINARY
The services themselves are not there, so their part is played by this script: it fills in the expressions and runs the commands.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SLOW = "import tensorflow as tf\nds = tf.data.Dataset.list_files('*').map(lambda p: tf.io.read_file(p))\n"


class ContinuousIntegration(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()
        for name in ("bin", "project", "temp", "cache"):
            (self.folder / name).mkdir()
        (self.folder / "bin" / "deepperf").symlink_to(BINARY)
        self.project = self.folder / "project"
        (self.project / "slow.py").write_text(SLOW)
        self.environment = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder),
                            "XDG_CACHE_HOME": str(self.folder / "cache"), "RUNNER_TEMP": str(self.folder / "temp"), "LC_ALL": "C.UTF-8"}

    def act(self, **inputs):
        """Runs the action; what its steps printed, its outputs and whether it fails."""
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        values = {f"inputs.{name}": str(given.get("default", "")) for name, given in action["inputs"].items()}
        values.update({f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()})
        values["github.action_path"] = str(self.folder / "bin")  # a program beside the action
        used, printed, failed = [], "", False

        def filled(text):
            return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: values.get(match.group(1), ""), str(text))

        for step in action["runs"]["steps"]:
            name, _, wanted = step.get("if", "").partition(" == ")
            if failed or (name and values[name] != wanted.strip("'")):
                continue
            if "uses" in step:
                used.append((step["uses"].split("@")[0], {key: filled(value) for key, value in step["with"].items()}))
                continue
            self.assertEqual(step["shell"], "bash")
            outputs = self.folder / "outputs"
            outputs.write_text("")
            environment = {**self.environment, **{key: filled(value) for key, value in step.get("env", {}).items()},
                           "GITHUB_OUTPUT": str(outputs)}
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.project, env=environment,
                                  capture_output=True, text=True)
            printed += done.stdout + done.stderr
            failed = done.returncode != 0
            for line in outputs.read_text().splitlines():
                key, _, value = line.partition("=")
                values[f"steps.{step['id']}.outputs.{key}"] = value
        return printed, used, failed, {name: filled(output["value"]) for name, output in action["outputs"].items()}

    def test_github_action(self):
        printed, used, failed, outputs = self.act()
        self.assertTrue(failed)
        self.assertRegex(printed, r"::(warning|error) .*file=slow\.py")
        uploads = dict(used)["github/codeql-action/upload-sarif"]
        self.assertEqual(uploads["sarif_file"], outputs["sarif"])
        found = json.loads(pathlib.Path(outputs["sarif"]).read_text())["runs"][0]["results"]
        self.assertEqual([result["ruleId"] for result in found], ["DP101"])
        self.assertEqual(outputs["status"], "1")

    def test_github_action_with_options(self):
        _, used, failed, outputs = self.act(arguments="--ignore DP101", upload_sarif="false")
        self.assertFalse(failed)
        self.assertEqual(outputs["status"], "0")
        self.assertNotIn("github/codeql-action/upload-sarif", dict(used))
        self.assertFalse(self.act(fail="false")[2])
        self.assertTrue(self.act(paths="nowhere", fail="false")[2])  # a check that cannot be made always fails

    def test_gitlab(self):
        job = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text())["deepperf"]
        for command in job["script"]:
            done = subprocess.run(["sh", "-c", command], cwd=self.project, env={**self.environment, **job["variables"]})
        self.assertEqual(done.returncode, 1)
        report = json.loads((self.project / job["artifacts"]["reports"]["codequality"]).read_text())
        self.assertEqual([(found["check_name"], found["location"]["path"]) for found in report], [("DP101 sequential-map", "slow.py")])

    def test_hooks(self):
        hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
        self.assertEqual(set(hooks), {"deepperf", "deepperf-from-source"})
        for hook in hooks.values():
            command = [*hook["entry"].split(), "slow.py"]
            if hook["language"] == "script":  # a file of the repository
                self.assertTrue(os.access(ROOT / command[0], os.X_OK))
            done = subprocess.run(command, cwd=self.project, env=self.environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("DP101", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
