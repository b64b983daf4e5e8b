#!/usr/bin/env python3
"""A real editor: Neovim without a window opens a file and uses its own client.

usage: neovim_test.py DEEPPERF_BINARY
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
NEOVIM = shutil.which("nvim")
PATIENCE = 300

LOSS = """import torch


def train(opt, loader):
    model = torch.nn.Linear(3, 1); total = 0
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss
    return total
"""

# What it finds goes to a file as JSON. `wait` looks again and again until something is there.
SCRIPT = r"""
local binary, folder, file, out = unpack(vim.split(vim.env.DEEPPERF_TEST, '\n'))
local patience = 200000
local found = {}
local function finish(problem)
  found.problem = problem
  local stream = io.open(out, 'w')
  stream:write(vim.fn.json_encode(found))
  stream:close()
  vim.cmd('qall!')
end
local function wait(what, condition)
  if not vim.wait(patience, condition, 20) then
    finish('no ' .. what)
    error('no ' .. what)
  end
end
local function run()
  vim.cmd('edit ' .. file)
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = 'deepperf', cmd = { binary, 'server', '--no-cache' }, root_dir = folder })
  vim.lsp.buf_attach_client(buffer, client)
  wait('diagnostics', function() return #vim.diagnostic.get(buffer) > 0 end)
  found.diagnostics = vim.tbl_map(function(d)
    return { d.lnum, d.col, d.user_data.lsp.code, d.severity, d.source }
  end, vim.diagnostic.get(buffer))
  local place = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = 10, character = 9 } }
  local hover = vim.lsp.buf_request_sync(buffer, 'textDocument/hover', place, patience)
  found.hover = hover[client].result.contents.value
  local range = { start = { line = 10, character = 0 }, ['end'] = { line = 10, character = 0 } }
  local actions = vim.lsp.buf_request_sync(buffer, 'textDocument/codeAction',
    { textDocument = place.textDocument, range = range, context = { diagnostics = {} } }, patience)
  found.titles = {}
  for _, action in ipairs(actions[client].result) do
    table.insert(found.titles, action.title)
    if action.title:find('ignore') then
      vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(client).offset_encoding)
    end
  end
  wait('end of the diagnostics', function() return #vim.diagnostic.get(buffer) == 0 end)
  found.line = vim.api.nvim_buf_get_lines(buffer, 10, 11, false)[1]
  -- Typed in insert mode, as a person would.
  vim.api.nvim_buf_set_lines(buffer, 10, 11, false, { '        é = "😀"; total += loss' })
  wait('new diagnostics', function() return #vim.diagnostic.get(buffer) > 0 end)
  found.column = vim.diagnostic.get(buffer)[1].col
  vim.lsp.stop_client(client)
  wait('end of the server', function() return vim.lsp.get_client_by_id(client) == nil end)
  finish(nil)
end
local is_good, problem = pcall(run)
if not is_good then finish(problem) end
"""


class Neovim(unittest.TestCase):
    def test_diagnostics_hover_and_actions(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(os.path.realpath(name))
            (folder / "loss.py").write_text(LOSS)
            (folder / "test.lua").write_text(SCRIPT)
            out = folder / "found.json"
            values = "\n".join(map(str, (BINARY, folder, folder / "loss.py", out)))
            state = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "cache")}
            run = subprocess.run([NEOVIM, "--clean", "--headless", "-c", f"luafile {folder / 'test.lua'}", "-c", "qall!"],
                                 env={**os.environ, **state, "DEEPPERF_TEST": values}, capture_output=True, text=True,
                                 timeout=PATIENCE)
            self.assertTrue(out.exists(), run.stdout + run.stderr)
            found = json.loads(out.read_text())
        self.assertIsNone(found.get("problem"), run.stderr)
        self.assertEqual(found["diagnostics"], [[10, 8, "DP230", 2, "deepperf"]])
        self.assertIn("graph", found["hover"])
        self.assertTrue(any("DP230: " in title and "ignore" not in title for title in found["titles"]), found["titles"])
        self.assertEqual(found["line"], "        total += loss  # deepperf: ignore[DP230]")
        self.assertEqual(found["column"], len('        é = "😀"; '.encode()))  # Neovim's columns are bytes


if __name__ == "__main__":
    if NEOVIM is None:
        print("skipped: nvim is not installed")
        sys.exit(77)
    unittest.main()
