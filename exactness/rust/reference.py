"""What rustdoc says of a crate, one JSON object for each public name.

    reference.py PACKAGE

Public is what rustdoc has a page or a section for: items, the methods, constants and types of their own
`impl` blocks, fields, variants, and what a trait asks for and provides. What a type has by implementing a
trait is documented with the trait and not counted again. Pages that only lead elsewhere are left out.

The pages of the standard library come with the compiler (the component `rust-docs`). Its processors'
instructions, tens of thousands of functions below `core::arch`, are left out, and so are keywords.
"""
import html, json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUNDLED = ("std", "core", "alloc")
KINDS = "struct enum union trait traitalias fn constant static type macro derive attr primitive".split()
PAGE = re.compile(r"(%s)\.(.+)\.html$" % "|".join(KINDS))
# What follows is there by implementing traits.
END = re.compile(r'id="(trait-implementations|deref-methods-[^"]*|synthetic-implementations|blanket-implementations|foreign-impls|implementors|aliased-type)"')
MEMBER = re.compile(
    r'<section id="(method|tymethod|associatedconstant|associatedtype|variant)\.([^"]+?)(?:-\d+)?" class="[^"]*">'
    r'(.*?)<h[34] class="code-header">(.*?)</h[34]>', re.S)
FIELD = re.compile(r'<span id="structfield\.([^"]+)" class="structfield[^"]*">.*?<code>(.*?)</code>', re.S)


def text(markup):
    markup = re.sub(r"<summary.*?</summary>", "", markup, flags=re.S)
    markup = re.sub(r'<(?:div|span) class="code-attribute">.*?</(?:div|span)>', "", markup, flags=re.S)
    markup = re.sub(r"<br\s*/?>", "\n", markup)
    # A mark that leads to what else there is to know of a returned type.
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).replace("ⓘ", "").strip()


def row(module, path, kind, signature):
    # Of what macros have made, rustdoc sometimes prints the macro's variables.
    known = [signature] if kind == "macro" or "$" not in signature else []
    row = {"module": module, "path": path, "also": [], "kind": kind, "signatures": known,
           "parameters": None, "required": True}
    print(json.dumps(row, ensure_ascii=False))


def page(module, kind, name, markup):
    declared = re.search(r'<pre class="rust item-decl"><code>(.*?)</code></pre>', markup, re.S)
    if not declared and kind != "primitive":
        return
    row(module, name, kind, text(declared.group(1)) if declared else name)
    end = END.search(markup)
    markup = markup[: end.start()] if end else markup
    if kind in ("struct", "union"):
        for field, declared in FIELD.findall(markup):
            # The fields of a tuple have numbers for names, which nobody looks up.
            if not field.isdigit():
                row(module, f"{name}.{field}", "field", text(declared))
    seen = {}
    for what, member, _, declared in MEMBER.findall(markup):
        if what == "variant" and "." in member:
            continue
        seen.setdefault((what, member), []).append(text(declared))
    for (what, member), signatures in seen.items():
        row(module, f"{name}.{member}", what, "\n".join(dict.fromkeys(signatures)))


def pages(package):
    """The folder that has the pages of a crate, written now if nobody has."""
    if package in BUNDLED:
        command = ["rustc", "--print", "sysroot"]
        sysroot = subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True)
        return os.path.join(sysroot.stdout.strip(), "share", "doc", "rust", "html")
    target = os.path.join(HERE, "..", "..", "target", "exactness", "rustdoc")
    command = ["cargo", "doc", "--quiet", "--locked", "--no-deps", "--package", package, "--target-dir", target]
    subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.DEVNULL)
    return os.path.join(target, "doc")


def main(package):
    root = pages(package)
    for folder, folders, files in os.walk(os.path.join(root, package.replace("-", "_"))):
        folders.sort()
        module = os.path.relpath(folder, root).replace(os.sep, "::")
        if package in BUNDLED and module.split("::")[1:2] in (["arch"], ["core_arch"]):
            continue
        for file in sorted(files):
            found = PAGE.match(file)
            if not found:
                continue
            with open(os.path.join(folder, file), encoding="utf-8") as page_file:
                markup = page_file.read()
            if 'http-equiv="refresh"' not in markup:
                page(module, found.group(1), found.group(2), markup)


if __name__ == "__main__":
    main(sys.argv[1])
