#!/usr/bin/env python3
"""Dumps, stores and models with flipped, cut, doubled and foreign bytes, and such that were made to keep us busy: they are read, or
refused with a reason, and the reason is reported.

usage: damaged_test.py DEEPPERF_BINARY [--count N] [--seed S] [UNITTEST_ARGUMENT...]
"""

import bz2
import gzip
import json
import lzma
import os
import random
import resource
import sqlite3
import sys
import zipfile

from posts import RECIPE, dump, many, question
from support import Folder, limited, main, memory, run

COUNT = 25  # of each kind; by hand more
SEED = 1


def damaged(generator, whole):
    """The bytes with one thing wrong."""
    bytes_ = bytearray(whole)
    at = generator.randrange(len(bytes_))
    match generator.randrange(7):
        case 0:
            bytes_[at] ^= 1 << generator.randrange(8)
        case 1:
            return bytes(bytes_[:at])
        case 2:
            bytes_[at:at] = generator.randbytes(generator.randrange(1, 30))
        case 3:
            del bytes_[at:at + generator.randrange(1, 300)]
        case 4:
            bytes_[at:at + 8] = bytes(8)
        case 5:
            bytes_[at:at + 4] = b"\xff\xff\xff\xff"
        case 6:
            other = generator.randrange(len(bytes_))
            bytes_[at:at + 200] = bytes_[other:other + 200]
    return bytes(bytes_)


class Damaged(Folder):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.write("all.toml", RECIPE)
        self.plain = many(40).encode()

    def select(self, name, *more):
        return run("study", "select", name, "--recipe", "all.toml", "-o", "out.sqlite", "--force", "--format", "json", *more,
                   cwd=self.folder, before=memory(2 << 30))

    def store(self):
        self.write("posts.xml", self.plain)
        self.assertEqual(self.select("posts.xml").returncode, 0)
        (self.folder / "out.sqlite").rename(self.folder / "store.sqlite")
        return self.folder / "store.sqlite"

    def assert_told(self, result, what):
        """An end by itself, and a reason if it did not go well."""
        self.assertIn(result.returncode, (0, 1, 2), (what, result.stderr[-500:]))
        if result.returncode == 2:
            self.assertTrue(result.stderr.startswith(b"deepperf: "), (what, result.stderr))
        self.assertEqual([name for name in os.listdir(self.folder) if ".partial" in name], [], what)

    def test_dumps(self):
        packed = {"xml": self.plain, "gz": gzip.compress(self.plain), "xz": lzma.compress(self.plain),
                  "bz2": bz2.compress(self.plain)}
        with zipfile.ZipFile(self.folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("Posts.xml", self.plain)
        packed["zip"] = (self.folder / "a.zip").read_bytes()
        for ending, whole in packed.items():
            for i in range(COUNT):
                self.write(f"posts.{ending}", damaged(self.random, whole))
                self.assert_told(self.select(f"posts.{ending}"), (ending, i))

    def test_a_flipped_bit_in_a_gz_is_told(self):
        """In every byte behind the first ten, which hold a time and the like."""
        whole = gzip.compress(self.plain, mtime=0)
        self.write("posts.gz", whole)
        self.assertEqual(self.select("posts.gz").returncode, 0)
        places = sorted(self.random.sample(range(10, len(whole)), min(COUNT, len(whole) - 10)))
        for at in [*places, *range(len(whole) - 8, len(whole))]:
            changed = bytearray(whole)
            changed[at] ^= 1 << self.random.randrange(8)
            self.write("posts.gz", bytes(changed))
            result = self.select("posts.gz")
            self.assertIn(result.returncode, (1, 2), at)
            self.assertTrue(result.stderr, at)

    def test_a_dump_that_is_a_device(self):
        for device in ("/dev/zero", "/dev/urandom", "/dev/full", "/dev/null"):
            result = self.select(device)
            self.assertEqual(result.returncode, 2, device)
            self.assertIn(b"device", result.stderr)

    def test_several_gz_in_one(self):
        middle = len(self.plain) // 2
        parts = gzip.compress(self.plain[:middle]) + gzip.compress(self.plain[middle:]) + bytes(512)
        self.write("posts.gz", parts)
        result = self.select("posts.gz")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["questions"], 40)
        self.write("posts.gz", gzip.compress(self.plain) + b"and more")
        self.assertIn(self.select("posts.gz").returncode, (1, 2))

    def test_numbers_that_are_none(self):
        rows = [question(2), question(4, score=None), question(6, score="many"), question(8, score=""), question(10, score="-3"),
                question(12).replace('ViewCount="10"', 'ViewCount="x"'), question(14, more=' AcceptedAnswerId="1e3"')]
        self.write("posts.xml", dump(rows))
        result = self.select("posts.xml")
        self.assertEqual(result.returncode, 1)
        report = json.loads(result.stdout)
        self.assertEqual(report["faults"]["broken_row"], 5)
        self.assertEqual(report["stored"], 2)
        scores = sqlite3.connect(self.folder / "out.sqlite").execute("SELECT id, score FROM posts ORDER BY id").fetchall()
        self.assertEqual(scores, [(2, 3), (10, -3)])

    def test_zero_bytes(self):
        rows = [question(2), question(4, title="how \0 to"), question(6)]
        self.write("posts.xml", dump(rows))
        result = self.select("posts.xml")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout)["faults"]["broken_row"], 1)
        self.assertIn(b"broken row", result.stderr)

    def test_stores(self):
        store = self.store()
        whole = store.read_bytes()
        for i in range(COUNT):
            store.write_bytes(damaged(self.random, whole))
            for arguments in (["stats", "store.sqlite"], ["label", "store.sqlite", "-o", "l.csv"],
                              ["keywords", "store.sqlite"]):
                self.assert_told(run("study", *arguments, cwd=self.folder, before=memory(2 << 30)), (arguments, i))

    def refuse(self, statements, text=b"those of `deepperf study`"):
        store = self.store()
        database = sqlite3.connect(store)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        before = sorted(os.listdir(self.folder))
        for command in (["stats"], ["label"], ["keywords"]):
            result = run("study", *command, "store.sqlite", cwd=self.folder, before=limited(resource.RLIMIT_CPU, 60))
            self.assertEqual(result.returncode, 2, command)
            self.assertIn(text, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_view_without_end(self):
        self.refuse(["DROP TABLE posts",
                     "CREATE VIEW posts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                     "SELECT i AS id, 'a' AS title, 'b' AS body, '' AS tags, '2019-01-01' AS created, 0 AS score, 0 AS views, "
                     "0 AS answers, 0 AS favourites, 0 AS accepted_id, '' AS accepted, '' AS closed FROM n"])

    def test_a_trigger(self):
        self.refuse(["CREATE TRIGGER t AFTER INSERT ON labels BEGIN DELETE FROM posts; END"])

    def test_a_store_that_is_written_beside(self):
        self.refuse(["PRAGMA journal_mode = WAL"], b"WAL")

    def test_a_tree_that_names_the_same_page_again_and_again(self):
        """Inner pages of the table that all lead to the same one below: as many rows as there are atoms."""
        self.plain = many(2000).encode()
        store = self.store()
        database = sqlite3.connect(store)
        root, size = database.execute("SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master "
                                      "WHERE name = 'posts'").fetchone()
        database.close()
        bytes_ = bytearray(store.read_bytes())
        page = (root - 1) * size
        self.assertEqual(bytes_[page], 5, "the root is no inner page")
        cells = int.from_bytes(bytes_[page + 3:page + 5], "big")
        first = int.from_bytes(bytes_[page + 12:page + 14], "big")
        child = bytes_[page + first:page + first + 4]
        for i in range(cells):
            at = page + int.from_bytes(bytes_[page + 12 + 2 * i:page + 14 + 2 * i], "big")
            bytes_[at:at + 4] = child
        store.write_bytes(bytes(bytes_))
        for command in (["stats"], ["label", "-o", "l.csv"]):
            result = run("study", *command, "store.sqlite", cwd=self.folder, before=limited(resource.RLIMIT_CPU, 120))
            self.assertEqual(result.returncode, 2, result.stdout[-300:])
            self.assertIn(b"damaged", result.stderr)

    def test_models(self):
        rows = "".join(f"{i},how to train {'slow' if i % 2 else 'wrong'} model {i},{'a' if i % 2 else 'b'}\n" for i in range(60))
        self.write("posts.csv", "id,title,kind\n" + rows)
        trained = run("study", "train", "posts.csv", "--label", "kind", "--text", "title", "-o", "m.model", cwd=self.folder)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        model = self.folder / "m.model"
        whole = model.read_bytes()
        for i in range(COUNT):
            model.write_bytes(damaged(self.random, whole))
            self.assert_told(run("study", "classify", "m.model", "posts.csv", cwd=self.folder, before=memory(2 << 30)), i)

    def test_caches(self):
        """Of a check: what is damaged is not used, and the answer is the same."""
        for i in range(5):
            self.write(f"src/a{i}.py", "import numpy as np\nx = np.float(3)\n")
        arguments = ["check", "--cache-dir", self.folder / "cache", "--format", "json", "src"]
        right = run(*arguments, cwd=self.folder).stdout
        [file] = (self.folder / "cache").glob("*.cache")
        whole = file.read_bytes()
        for i in range(COUNT):
            file.write_bytes(damaged(self.random, whole))
            result = run(*arguments, cwd=self.folder)
            self.assertEqual(result.stdout, right, i)

    def test_tables(self):
        whole = ("id,title,verb\n" + "".join(f'{i},"how to, {i}",train\n' for i in range(50))).encode()
        for i in range(COUNT):
            self.write("t.csv", damaged(self.random, whole))
            for arguments in (["stats", "t.csv"], ["label", "t.csv"], ["agree", "t.csv", "t.csv", "--label", "verb"]):
                self.assert_told(run("study", *arguments, cwd=self.folder, before=memory(2 << 30)), (arguments, i))


if __name__ == "__main__":
    for option in ("--count", "--seed"):
        if option in sys.argv:
            at = sys.argv.index(option)
            value = int(sys.argv[at + 1])
            del sys.argv[at:at + 2]
            if option == "--count":
                COUNT = value
            else:
                SEED = value
    main(sys.argv)
