//! Docstrings of each style, and the Markdown they become.

use super::read;

fn check(raw: &str, expected: &str) {
    assert_eq!(read(raw).text, expected, "{raw}");
}

#[test]
fn indentation_is_that_of_the_source_and_goes() {
    check("First.\n\n    Second\n      more.\n    ", "First.\n\nSecond\n  more.");
    check("\n    Only.\n    ", "Only.");
    check("\n\tTab.\n\t\tMore.\n", "Tab.\n        More.");
    check("Ünï\n  ç\n   é", "Ünï\nç\n é");
}

#[test]
fn google_sections_become_lists() {
    check(
        "Adds.\n\n    Args:\n        one (int): The first\n            of two.\n        **rest: All others.\n\n    Returns:\n        The sum.\n\n    More text.\n",
        "Adds.\n\n**Parameters**\n\n- `one` (int): The first\n  of two.\n- `**rest`: All others.\n\n**Returns**\n\nThe sum.\n\nMore text.",
    );
}

#[test]
fn numpy_sections_become_lists() {
    check(
        "Adds.\n\n    Parameters\n    ----------\n    one : int, optional\n        The first.\n\n        Really.\n    other\n        Another.\n\n    Returns\n    -------\n    int\n        The sum.\n\n    Notes\n    -----\n    Slow.\n",
        "Adds.\n\n**Parameters**\n\n- `one` (int, optional): The first.\n\n  Really.\n- `other`: Another.\n\n**Returns**\n\n- int: The sum.\n\n**Notes**\n\nSlow.",
    );
}

#[test]
fn fields_become_lists() {
    check(
        "Asks.\n\n    :param text: the question\n        in full.\n    :param int times: how often\n    :type text: str\n    :rtype: bool\n    :return: the answer\n    :raises Abort: if not\n\n    Afterwards.\n",
        "Asks.\n\nAfterwards.\n\n**Parameters**\n\n- `text` (str): the question\n  in full.\n- `times` (int): how often\n\n**Returns**\n\n- bool: the answer\n\n**Raises**\n\n- `Abort`: if not",
    );
}

#[test]
fn doctests_become_code() {
    check(
        "Adds.\n\n    >>> add(1, 2)\n    3\n\n    >>> add(2, 2)\n    4\n\n    Done.",
        "Adds.\n\n```pycon\n>>> add(1, 2)\n3\n\n>>> add(2, 2)\n4\n```\n\nDone.",
    );
}

#[test]
fn a_deprecation_is_taken_out() {
    let docs =
        read("Old.\n\n    .. deprecated:: 1.2\n        Use `new`\n        instead.\n\n    More.");
    assert_eq!(docs.deprecated.as_deref(), Some("since 1.2: Use `new` instead."));
    assert_eq!(docs.text, "Old.\n\nMore.");
}

#[test]
fn nothing_breaks_on_odd_input() {
    for raw in [
        "",
        "\n",
        "Args:",
        "Args:\n",
        "----\n----",
        "Parameters\n-----",
        ":param",
        "::",
        ">>>",
        "é\n é\n  é",
    ] {
        let _ = read(raw).text.len();
    }
    assert_eq!(read("Args:").text, "Args:");
}
