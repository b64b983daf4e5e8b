"""Applies edits to a program, and keeps track of where every character came from."""

import bisect
from dataclasses import dataclass

from .source import Source


@dataclass(frozen=True)
class Edit:
    """Replaces text[start:end] of a file by its parts: new text (str), or Spans of the original program. Other edits apply
    inside a Span of the replaced text, while a Span from elsewhere is copied as it was. A file that the program does not
    have is created."""
    path: str
    start: int
    end: int
    parts: tuple


@dataclass(frozen=True)
class Site:
    """One place where a transformation applies: edits that only keep the meaning if all of them are made."""
    edits: tuple


def replace(source, start, end, *parts):
    return Edit(source.path, start, end, parts)


def insert(source, offset, *parts):
    return Edit(source.path, offset, offset, parts)


class Overlap(Exception):
    pass


class Renderer:
    def __init__(self, program, edits):
        self.program = program
        self.edits = {}
        for edit in edits:
            self.edits.setdefault(edit.path, []).append(edit)
        for path_edits in self.edits.values():
            # What is inserted before a replaced text first, then outer edits before inner ones. The sort is stable.
            path_edits.sort(key=lambda edit: (edit.start, edit.start < edit.end, -edit.end))

    def file(self, path):
        """The new text, and [(offset in it, original path or None for new text, original offset)] in ascending order."""
        source = self.program.sources.get(path)
        self.pieces = []
        self.render(path, 0, len(source.text) if source else 0, self.edits.get(path, []))
        text, origins, length = [], [], 0
        for piece, origin_path, origin in self.pieces:
            origins.append((length, origin_path, origin))
            text.append(piece)
            length += len(piece)
        return "".join(text), origins

    def render(self, path, start, end, edits):
        position = start
        index = 0
        while index < len(edits):
            edit = edits[index]
            inside = index + 1
            while inside < len(edits) and edits[inside].start < edit.end:
                inside += 1
            if edit.start < position or edit.end > end:
                raise Overlap(edit)
            self.copy(path, position, edit.start)
            self.render_parts(edit, edits[index + 1:inside])
            position = edit.end
            index = inside
        self.copy(path, position, end)

    def render_parts(self, edit, inner):
        placed = 0
        for part in edit.parts:
            if isinstance(part, str):
                self.pieces.append((part, None, 0))
            elif part.path == edit.path and edit.start <= part.start and part.end <= edit.end:
                nested = [other for other in inner if part.start <= other.start and other.end <= part.end]
                placed += len(nested)
                self.render(part.path, part.start, part.end, nested)
            else:
                self.copy(part.path, part.start, part.end)
        if placed != len(inner):
            raise Overlap(edit)

    def copy(self, path, start, end):
        if start < end:
            self.pieces.append((self.program.sources[path].text[start:end], path, start))


class Variant:
    """A program after edits, with the way back to the original."""

    def __init__(self, program, sites):
        self.original = program
        edits = [edit for site in sites for edit in site.edits]
        renderer = Renderer(program, edits)
        self.sources, self.origins = {}, {}
        for path in [*program.sources, *sorted({edit.path for edit in edits} - set(program.sources))]:
            text, self.origins[path] = renderer.file(path)
            self.sources[path] = Source(path, text)

    def original_line(self, path, line, column):
        """(path, line) of the original for a line and column (in characters, from 1) of this variant; the line is 0 for
        text that the transformation added."""
        source, origins = self.sources[path], self.origins[path]
        offset = source.line_starts[line - 1] + column - 1
        index = max(0, bisect.bisect_right(origins, offset, key=lambda origin: origin[0]) - 1)
        if origins and origins[index][1] is not None:
            start, origin_path, origin = origins[index]
            return origin_path, self.original.sources[origin_path].line_number(origin + offset - start)
        # `name_ = f(x)` with a new `name_` stands for the line that f(x) came from.
        for start, origin_path, origin in origins[index + 1:]:
            if start >= source.next_line_start(offset):
                break
            if origin_path is not None:
                return origin_path, self.original.sources[origin_path].line_number(origin)
        return path, 0


def combine(program, sites):
    """A variant with as many of the sites as fit together, or None if there is none: a site that overlaps with one before
    it is left out."""
    try:
        return Variant(program, sites) if sites else None
    except Overlap:
        pass
    chosen = []
    for site in sites:
        try:
            Variant(program, [*chosen, site])
            chosen.append(site)
        except Overlap:
            pass
    return Variant(program, chosen) if chosen else None
