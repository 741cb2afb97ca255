//! reStructuredText and the Markdown that it must become.

use super::*;

#[track_caller]
fn check(rest: &str, expected: &str) {
    assert_eq!(to_markdown(rest), expected, "\n{rest}");
}

#[test]
fn titles_nest_in_order_of_appearance() {
    check(
        "=====\nTitle\n=====\n\nOne\n---\n\ntext\n\nTwo\n---\n\nDeep\n~~~~",
        "# Title\n\n## One\n\ntext\n\n## Two\n\n### Deep",
    );
    check("a\n\n----\n\nb", "a\n\nb");
    check("A longer title\n====", "# A longer title");
}

#[test]
fn code_in_all_its_forms() {
    check("Use it::\n\n    x = 1\n\n      y\n\nrest", "Use it:\n\n```\nx = 1\n\n  y\n```\n\nrest");
    check("::\n\n    $ pip install x", "```console\n$ pip install x\n```");
    check(
        ".. code-block:: js\n   :linenos:\n\n   f()\n\n.. code:: python\n\n   g()",
        "```js\nf()\n```\n\n```python\ng()\n```",
    );
    check(">>> f()\n1\n\n>>> g()\n2\n\nrest", "```python\n>>> f()\n1\n\n>>> g()\n2\n```\n\nrest");
    check(".. highlight:: c\n\nx::\n\n  int y;", "x:\n\n```c\nint y;\n```");
}

#[test]
fn lists() {
    check("* a\n  b\n\n  c\n* d\n\n  - e", "- a\n  b\n\n  c\n- d\n\n  - e");
    check("1. a\n2) b\n#. c", "1. a\n2. b\n1. c");
    check("- a::\n\n    x\n\n- b", "- a:\n\n  ```\n  x\n  ```\n\n- b");
    check(
        "term\n    what it is\n    and does\n\n``other``\n    more",
        "- **term**\n  what it is\n  and does\n\n- `other`\n  more",
    );
    check("a\n\n    quoted\n\nb", "a\n\nquoted\n\nb");
}

#[test]
fn fields() {
    check(
        ":param x: the x\n    of it\n:type x: int\n:param str y: the y\n:returns: all\n:rtype: :class:`~a.B`\n:raises ValueError: if not",
        "- `x` (int): the x\n  of it\n- `y` (str): the y\n- Returns (B): all\n- Raises `ValueError`: if not",
    );
    check(":type x: int\n:rtype: str", "- `x`: int\n- Returns: str");
    check(":Author: Somebody", "- **Author:** Somebody");
    check(":param x:\n    below\n\nafter", "- `x`: below\n\nafter");
}

#[test]
fn notes() {
    check(
        ".. note:: Take\n   care.\n\n   More.\n\nrest",
        "> **Note:** Take\n> care.\n\n> More.\n\nrest",
    );
    check(".. warning::\n\n   Careful::\n\n     x", "> **Warning:** Careful:\n\n> ```\n> x\n> ```");
    check(
        ".. versionadded:: 2.1\n\n.. deprecated:: 3.0 Use y.",
        "> **Added in 2.1:**\n\n> **Deprecated since 3.0:** Use y.",
    );
    check(".. admonition:: Mind\n\n   this", "> **Mind:** this");
}

#[test]
fn directives_that_say_nothing_go() {
    check(
        ".. image:: x.png\n   :alt: y\n\n.. comment\n   more\n\n..\n   hidden\n\n.. _t: https://x.example\n.. |b| image:: y\n\nkept",
        "kept",
    );
    check(
        ".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\n.. automodule:: x\n   :members:\n\nkept",
        "kept",
    );
    check(
        ".. function:: f(x, y=1)\n   :module: z\n\n   Does it.\n\nrest",
        "**`f(x, y=1)`**\n\nDoes it.\n\nrest",
    );
    check(".. rubric:: Also\n\nx", "**Also**\n\nx");
    check(".. only:: html\n\n   x", "x");
}

#[test]
fn tables() {
    check(
        "===  ===\na    b\n===  ===\n1    ``x``\n     y\n2    z\n===  ===",
        "| a | b |\n| --- | --- |\n| 1 | `x` y |\n| 2 | z |",
    );
    check(
        "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n|   | 3 |\n+---+---+",
        "| a | b |\n| --- | --- |\n| 1 | 2 3 |",
    );
    check(
        ".. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n   * - ``1``\n     - 2\n       3",
        "**T**\n\n| a | b |\n| --- | --- |\n| `1` | 2 3 |",
    );
    check("+---+---+\n| a     |\n+---+---+", "```text\n+---+---+\n| a     |\n+---+---+\n```");
}

#[test]
fn lines_know_where_they_came_from() {
    let found = convert(&Lined::of("AA\n==\n\n.. x\n\ntext\n\nBB\n==\n", 5));
    let origins: Vec<(&str, u32)> = found.lines().filter(|row| !row.0.is_empty()).collect();
    assert_eq!(origins, [("# AA", 5), ("text", 10), ("# BB", 12)]);
}

#[test]
fn the_format_of_a_text_is_guessed() {
    assert!(is_likely("Title\n=====\n\nUse ``x``::\n\n   x\n"));
    assert!(!is_likely("# Title\n\n```js\nx\n```\n"));
    assert!(!is_likely("Only words here."));
}
