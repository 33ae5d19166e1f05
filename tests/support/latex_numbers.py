r"""The value of a formula as it is printed: a reader of the LaTeX that derivations are written in.

Vectors are columns, (n, 1). A product is read before a cross product: `\omega \times I \omega` is omega x (I omega).
What a letter stands for is asked of `look(name, subscript, bindings)`; sums run over `children(number)`.
"""

import re

import numpy as np

TOKEN = re.compile(r"\\[a-zA-Z]+|\\[\\,;{} ]|\d+\.\d+|\d+|[a-zA-Z]|\S")
ACCENTS = {r"\dot", r"\ddot", r"\tilde", r"\hat", r"\bar", r"\b", r"\g", r"\mathit"}
SPACES = {r"\,", r"\;", r"\ ", r"\qquad", r"\textstyle"}
OPENING = {"(": ")", "[": "]"}
END = {")", "]", "}", ",", ";", "&", r"\\", "=", r"\right", r"\bigr", r"\end", r"\quad", r"\le", ">", "<"}


def cross(v):
    x, y, z = v[:, 0]
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def plain(value):
    """A 1 x 1 matrix is a number."""
    value = np.asarray(value, dtype=float)
    return float(value.reshape(())) if value.size == 1 else value


def product(a, b):
    scalar = np.ndim(a) == 0 or np.ndim(b) == 0
    return plain(a * b if scalar else a @ b)


def statements(rows):
    """The equations of a block: lines that go on are joined, and each `a = b = c` is cut into its sides."""
    joined = []
    for row in rows:
        if row.startswith(r"\qquad {}"):
            joined[-1] += row.removeprefix(r"\qquad {}")
        else:
            joined.append(row)
    for row in joined:
        for part in re.split(r"[,;]? *\\quad", row):
            if part.strip() and not part.strip().startswith(r"\text"):
                yield part.strip()


def sides(statement):
    """Split at the equals signs that are in no bracket or matrix."""
    found, depth, current = [], 0, ""
    for token in re.findall(
        r"\\begin\{\w+\}|\\end\{\w+\}|\\left|\\right|\\bigl|\\bigr|[{}()=]|[^{}()=\\]+|\\", statement
    ):
        if token.startswith(r"\begin") or token in ("{", "("):
            depth += 1
        if token.startswith(r"\end") or token in ("}", ")"):
            depth -= 1
        if token == "=" and depth == 0:
            found.append(current)
            current = ""
        else:
            current += token
    return [*found, current]


class Reader:
    def __init__(self, look, children, bindings=None):
        self.look, self.children, self.bindings = look, children, dict(bindings or {})

    def value(self, latex):
        self.tokens = [t for t in TOKEN.findall(latex) if t not in SPACES]
        self.at = 0
        found = self.sum()
        assert self.at == len(self.tokens), (latex, self.tokens[self.at :])
        return found

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else r"\end"

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *wanted):
        found = self.next()
        assert found in wanted, (found, wanted, self.tokens)
        return found

    def sum(self):
        sign = -1.0 if self.peek() == "-" else 1.0
        if self.peek() in "+-":
            self.next()
        total = plain(sign * self.term())
        while self.peek() in ("+", "-"):
            sign = 1.0 if self.next() == "+" else -1.0
            total = plain(total + sign * self.term())
        return total

    def term(self):
        if self.peek() == r"\sum":
            return self.over_children()
        total = self.chain()
        while self.peek() in (r"\times", r"\cdot"):
            self.next()
            other = self.chain()
            total = product(total, other) if np.ndim(total) == 0 else cross(total) @ other
        return plain(total)

    def over_children(self):
        self.next()
        self.take("_")
        letter, _, owner = re.fullmatch(r"(\w)(\\in\\xi_)(\w+)", self.raw_group()).groups()
        start = self.at
        total, found = 0.0, False
        before = self.bindings.get(letter)
        for child in self.children(self.index(owner)):
            self.at, self.bindings[letter] = start, child
            total, found = total + self.term(), True
        if not found:  # read past it
            self.at, self.bindings[letter] = start, 0
            total = 0.0 * self.term()
        self.bindings.pop(letter)
        if before is not None:
            self.bindings[letter] = before
        return plain(total)

    def chain(self):
        total = self.factor()
        while self.peek() not in END and self.peek() not in ("+", "-", r"\times", r"\cdot", r"\text"):
            if self.peek() == "/":
                self.next()
                total = plain(total / self.factor())
            else:
                total = product(total, self.factor())
        return total

    def raw_group(self):
        """The text of {...} or of one token."""
        if self.peek() != "{":
            return self.next()
        depth, text = 0, ""
        while True:
            token = self.next()
            depth += {"{": 1, "}": -1}.get(token, 0)
            if depth == 0:
                return text[1:]
            text += token

    def group(self):
        self.take("{")
        found = self.sum()
        self.take("}")
        return found

    def factor(self):
        token = self.peek()
        if re.fullmatch(r"\d+(\.\d+)?", token):
            self.next()
            return self.marked(float(token))
        if token in (r"\frac", r"\tfrac"):
            self.next()
            above = self.group()
            return plain(above / self.group())
        if token == r"\sqrt":
            self.next()
            return plain(np.sqrt(self.group()))
        if token in (r"\left", r"\bigl", "(", "["):
            return self.marked(self.bracket())
        if token == r"\begin":
            return self.marked(self.matrix())
        if token in (r"\sin", r"\cos"):
            return self.trigonometry()
        if token == r"\arccos":
            self.next()
            return float(np.arccos(self.bracket()))
        if token == r"\mathrm":
            self.next()
            function = self.raw_group()
            if function == "atan2":
                return float(np.arctan2(*np.ravel(self.bracket(listed=True))))
            assert function == "diag"
            return np.diag(np.ravel(self.bracket(listed=True)))
        return self.named()

    def bracket(self, listed=False):
        left = self.next()
        if left in (r"\left", r"\bigl"):
            left = self.next()
        entries, between = [self.sum()], ","
        while self.peek() in (",", ";"):
            between = self.next()
            entries.append(self.sum())
        if self.peek() in (r"\right", r"\bigr"):
            self.next()
        self.take(OPENING[left])
        if len(entries) == 1 and not listed:
            return entries[0]
        if listed and self.peek() == "^":
            self.next()
            self.raw_group()
        return np.vstack(entries) if between == ";" else np.array([entries])

    def matrix(self):
        self.next()
        assert self.raw_group() == "bmatrix"
        rows = [[self.sum()]]
        while self.peek() != r"\end":
            if self.next() == r"\\":
                rows.append([])
            rows[-1].append(self.sum())
        self.next()
        self.raw_group()
        return plain(np.block([[np.atleast_2d(x) for x in row] for row in rows]))

    def trigonometry(self):
        function = {r"\sin": np.sin, r"\cos": np.cos}[self.next()]
        power = 1
        if self.peek() == "^":
            self.next()
            power = int(self.raw_group())
        angle = self.bracket() if self.peek() in (r"\left", "(") else self.factor()
        return float(function(angle)) ** power

    def name(self):
        token = self.next()
        if token in ACCENTS:
            inner = self.raw_group()
            return f"{token[1:]} {inner.replace(chr(92), '').replace('{', ' ').replace('}', '').strip()}"
        return token.removeprefix("\\")

    def named(self):
        name, subscript, powers = self.name(), "", []
        while self.peek() in ("_", "^", "'"):
            mark = self.next()
            if mark == "'":
                name += "'"
            elif mark == "_":
                subscript = self.raw_group()
            else:
                power = self.raw_group()
                if re.fullmatch(r"T|-?\d+", power):
                    powers.append(power)
                else:
                    name += f"^{power}"
        value = self.look(name, subscript, self)
        for power in powers:
            value = raised(value, power)
        return plain(value)

    def marked(self, value):
        """Exponents and components of a bracket."""
        while self.peek() in ("_", "^"):
            mark, what = self.next(), self.raw_group()
            if mark == "^":
                value = raised(value, what)
            elif what in ("x", "y", "z"):
                value = plain(value[("xyz".index(what), 0)])
            else:
                row, column = self.indices(what)
                value = plain(np.atleast_2d(value)[row - 1, column - 1])
        return plain(value)

    def index(self, text):
        number = re.fullmatch(r"(\d+|[ijk])([+-]\d+)?", text)
        first = self.bindings[number[1]] if number[1] in self.bindings else int(number[1])
        return first + int(number[2] or 0)

    def indices(self, subscript):
        parts = subscript.split(",") if "," in subscript else re.findall(r"[ijk\d](?:[+-]\d+)?", subscript)
        return [self.index(part) for part in parts]


def raised(value, power):
    if power == "T":
        return value if np.ndim(value) == 0 else value.T
    if int(power) < 0 and np.ndim(value):
        return np.linalg.inv(value)
    return value ** int(power)
