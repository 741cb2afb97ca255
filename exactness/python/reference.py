"""What Python itself says the public API of an installed distribution is, as JSON lines on stdout.

    python reference.py DISTRIBUTION

Run it in a throw-away environment: it imports every public module of the distribution. The lines are
those of ../npm/reference.mjs. The rules:

* Modules are those without a leading underscore in any part of their name, except tests and
  `__main__`, as far as they can be imported.
* Names are `__all__`; without it, what `dir()` lists without an underscore and what is defined in
  the module, or, in a package's `__init__`, anywhere in the distribution. What a plain module imports
  for its own use is optional, and so are loggers and type variables.
* Members are what a class and its bases have without an underscore, and its annotated attributes,
  inherited ones too. What comes from the standard library (`Exception.args`) is optional.
* `inspect.signature` says which parameters there are. Where the source is at hand and has the same
  parameters, its text is used, since a value's `repr` is not what the author wrote; overloads that
  `typing.get_overloads` knows count as well.
* With a stub file beside the module, or without a source, the text is the stub's and no concern of the
  interpreter's: only the names of the parameters are given then, as far as a call can use them. What
  `*args` and `**kwargs` are called, and what can only be given by position, nobody has to know; stubs
  spell out what such parameters stand for.
* Overloads are also read from the source: a decorator that gives a function another `__module__` hides
  them from `typing.get_overloads`.
"""

import ast
import contextlib
import enum
import importlib
import importlib.metadata
import inspect
import io
import json
import logging
import os
import pkgutil
import sys
import types
import typing
import warnings

warnings.simplefilter("ignore")
OUT = sys.stdout
SKIPPED = {"tests", "test", "conftest", "__main__"}
DISTRIBUTION = importlib.metadata.distribution(sys.argv[1])


def top_level():
    """The importable names that the distribution installs."""
    found = set()
    for file in DISTRIBUTION.files or []:
        first = file.parts[0]
        if first.endswith((".dist-info", ".data", ".pth")) or first in ("..", "__pycache__"):
            continue
        if len(file.parts) > 1 or first.endswith((".py", ".so", ".pyd")):
            found.add(first.split(".")[0])
    return sorted(name for name in found if name.isidentifier() and not name.startswith("_"))


TOPS = top_level()


def is_own(module):
    return (module or "").split(".")[0] in TOPS


def is_standard(module):
    top = (module or "builtins").split(".")[0]
    return top in sys.stdlib_module_names or top == "builtins"


def public_modules():
    found = []
    pending = list(TOPS)
    while pending:
        name = pending.pop(0)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                module = importlib.import_module(name)
            except BaseException as error:  # it may ask for what is not installed, or exit
                sys.__stderr__.write(f"{name}: {type(error).__name__}: {error}\n")
                continue
        found.append((name, module))
        for inner in pkgutil.iter_modules(getattr(module, "__path__", [])):
            if not inner.name.startswith(("_", "test_")) and inner.name not in SKIPPED:
                pending.append(f"{name}.{inner.name}")
    return found


class Source:
    """The syntax of one file, for the texts of its signatures."""

    cache = {}

    def __init__(self, file):
        with open(file, encoding="utf-8") as opened:
            self.text = opened.read()
        self.tree = ast.parse(self.text)
        # `ast.get_source_segment` splits the text anew each time.
        self.lines = [line.encode() for line in self.text.splitlines(keepends=True)]
        self.definitions = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first = min([node.lineno] + [one.lineno for one in node.decorator_list])
                self.definitions.setdefault((node.name, first), node)
        self.overloads = {}  # of a definition, those right before it
        for outer in ast.walk(self.tree):
            pending = []
            body = getattr(outer, "body", [])
            for node in body if isinstance(body, list) else []:
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                pending = [one for one in pending if one.name == node.name]
                if any(last_name(one) == "overload" for one in node.decorator_list):
                    pending.append(node)
                else:
                    self.overloads[id(node)], pending = pending, []
        self.classes = {}
        pending = [(self.tree, "")]
        while pending:
            outer, prefix = pending.pop()
            for node in ast.iter_child_nodes(outer):
                name = f"{prefix}{node.name}" if hasattr(node, "name") and hasattr(node, "body") else ""
                if isinstance(node, ast.ClassDef):
                    self.classes.setdefault(name, []).append(node)
                inner = f"{name}." if isinstance(node, ast.ClassDef) else f"{name}.<locals>." if name else prefix
                pending.append((node, inner))

    @classmethod
    def of(cls, file):
        if file not in cls.cache:
            try:
                cls.cache[file] = cls(file)
            except (OSError, SyntaxError, ValueError, TypeError):
                cls.cache[file] = None
        return cls.cache[file]

    def segment(self, node):
        first, last = node.lineno - 1, node.end_lineno - 1
        if first == last:
            return self.lines[first][node.col_offset : node.end_col_offset].decode()
        parts = [self.lines[first][node.col_offset :], *self.lines[first + 1 : last]]
        parts.append(self.lines[last][: node.end_col_offset])
        # Comments between the lines are not part of a signature, and each signature is a line.
        if any(b"#" in part for part in parts):
            return ast.unparse(node)
        return " ".join(part.decode().strip() for part in parts)

    def parameters(self, node):
        """The parameters as written, and their names."""
        arguments = node.args
        parts, names = [], []
        positional = arguments.posonlyargs + arguments.args
        defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults

        def one(argument, default, prefix=""):
            text = prefix + argument.arg
            if argument.annotation is not None:
                text += ": " + self.annotation(argument.annotation)
            if default is not None:
                text += " = " + self.segment(default)
            names.append(argument.arg)
            parts.append(text)

        for at, (argument, default) in enumerate(zip(positional, defaults)):
            one(argument, default)
            if arguments.posonlyargs and at == len(arguments.posonlyargs) - 1:
                parts.append("/")
        if arguments.vararg:
            one(arguments.vararg, None, "*")
        elif arguments.kwonlyargs:
            parts.append("*")
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            one(argument, default)
        if arguments.kwarg:
            one(arguments.kwarg, None, "**")
        return ", ".join(parts), names

    def annotation(self, node):
        """An annotation without the documentation in it: `Annotated[T, Doc("…")]` is `T`."""
        if isinstance(node, ast.Subscript) and last_name(node.value) == "Annotated":
            elements = getattr(node.slice, "elts", [])
            is_doc = lambda one: isinstance(one, ast.Call) and last_name(one.func) in ("Doc", "deprecated")
            kept = [element for element in elements if not is_doc(element)]
            if len(kept) < len(elements):
                texts = [self.segment(element) for element in kept]
                return texts[0] if len(texts) == 1 else f"{self.segment(node.value)}[{', '.join(texts)}]"
        return self.segment(node)

    def function(self, node):
        prefix = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        generics = ""
        if getattr(node, "type_params", None):
            generics = "[" + ", ".join(self.segment(one) for one in node.type_params) + "]"
        text = f"{prefix} {node.name}{generics}({self.parameters(node)[0]})"
        return text + (f" -> {self.annotation(node.returns)}" if node.returns is not None else "")


def last_name(node):
    return ast.unparse(node).split(".")[-1]


def definition(thing):
    """The syntax of a function or class, and its file."""
    try:
        file = inspect.getsourcefile(thing)
        source = Source.of(file) if file else None
        if source is None:
            return None, None
        if inspect.isclass(thing):
            # Not `inspect.getsourcelines`: it parses the file anew for each class.
            found = source.classes.get(thing.__qualname__, [])
            return (source, found[0]) if len(found) == 1 else class_by_methods(thing)
        first = thing.__code__.co_firstlineno
    except (OSError, TypeError, AttributeError):
        return class_by_methods(thing) if inspect.isclass(thing) else (None, None)
    return source, source.definitions.get((thing.__name__, first))


def class_by_methods(cls):
    """The syntax of a class whose `__module__` is not where it was written: its methods know."""
    for value in vars(cls).values():
        value = getattr(value, "fget", None) or getattr(value, "__func__", value)
        if inspect.isfunction(value) and value.__qualname__ == f"{cls.__qualname__}.{value.__name__}":
            source = Source.of(value.__code__.co_filename)
            found = [node for (name, _), node in source.definitions.items() if name == cls.__name__] if source else []
            if len(found) == 1 and isinstance(found[0], ast.ClassDef):
                return source, found[0]
    return None, None


def has_stub(module_name):
    file = getattr(sys.modules.get(module_name or ""), "__file__", None)
    if not file:
        return False
    folder, base = os.path.split(file)
    return os.path.exists(os.path.join(folder, base.split(".")[0] + ".pyi"))


def is_stubbed(module_name, thing):
    return has_stub(module_name) or has_stub(getattr(thing, "__module__", None))


def signatures_of(function, owner_module):
    """Each way to write its signature that counts as right, and the names of its parameters."""
    try:
        runtime = inspect.signature(function)
    except (ValueError, TypeError):
        return [], None
    names = [one.name for one in runtime.parameters.values()]
    hidden = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    usable = [one.name for one in runtime.parameters.values() if one.kind not in hidden]
    plain = inspect.unwrap(function)
    plain = getattr(plain, "__func__", plain)
    if is_stubbed(owner_module, plain) or not hasattr(plain, "__code__"):
        return [], usable
    told = f"def {getattr(function, '__name__', '')}{runtime}"
    source, node = definition(plain)
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [told], names
    implementation = source.function(node)
    written = source.parameters(node)[1]
    if names not in (written, written[1:]):
        # A decorator gives it other parameters than its source has.
        return [told, implementation], names
    found = [implementation]
    overloads = []
    for overload in typing.get_overloads(plain):
        overload_source, overload_node = definition(overload)
        if overload_node is not None:
            overloads.append(overload_source.function(overload_node))
    overloads = overloads or [source.function(one) for one in source.overloads.get(id(node), [])]
    if overloads:
        found = ["\n".join(overloads), implementation, "\n".join([*overloads, implementation])]
    return found, names


def line(module, path, kind, signatures=(), required=True, parameters=None):
    row = {"module": module, "path": path, "also": [], "kind": kind, "signatures": list(signatures)}
    row["required"] = required
    if parameters is not None and not signatures:
        row["parameters"] = parameters
    OUT.write(json.dumps(row) + "\n")


def describe(module_name, name, thing, required):
    if inspect.isclass(thing):
        describe_class(module_name, name, thing, required)
    elif inspect.isroutine(thing) or (callable(thing) and hasattr(thing, "__wrapped__")):
        signatures, parameters = signatures_of(thing, module_name)
        if name != getattr(thing, "__name__", name):
            # Another name for a function, or one that was made: no source has a text of that name.
            signatures, parameters = [], None
        line(module_name, name, "function", signatures, required, parameters)
    elif isinstance(thing, types.ModuleType):
        line(module_name, name, "module", (), False)
    else:
        line(module_name, name, "value", (), required)


DESCRIBED = set()


def describe_class(module_name, name, cls, required):
    source, node = definition(cls)
    signatures = []
    if isinstance(node, ast.ClassDef) and name == cls.__name__ and not is_stubbed(module_name, cls):
        bases = [source.segment(one) for one in node.bases]
        bases += [f"{one.arg}={source.segment(one.value)}" for one in node.keywords if one.arg]
        signatures = [f"class {name}" + (f"({', '.join(bases)})" if bases else "")]
    line(module_name, name, "class", signatures, required)
    # Under its other names they are there as well, and nobody would miss them.
    is_first = (module_name, cls) not in DESCRIBED
    if required:
        DESCRIBED.add((module_name, cls))
    members(module_name, name, cls, required and is_first)


def members(module_name, name, cls, required):
    seen = set()
    # Not `dir()`: a metaclass may have its own idea of it, as that of enumerations has.
    for member in sorted({member for owner in cls.__mro__ for member in vars(owner)}):
        if member.startswith("_") and member != "__init__":
            continue
        owner = next((one for one in cls.__mro__ if member in vars(one)), None)
        if owner is None:
            continue  # of the metaclass, or made up by `__dir__`
        value = vars(owner)[member]
        wanted = required and not is_standard(owner.__module__)
        path = f"{name}.{member}"
        seen.add(member)
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if member == "__init__":
            # One that was inherited belongs to its own class; one that was generated has no text.
            if owner is cls and inspect.isfunction(value) and is_written(value):
                signatures, parameters = signatures_of(value, module_name)
                line(module_name, path, "constructor", signatures, required, parameters)
        elif isinstance(value, property):
            signatures = property_signatures(member, value, module_name)
            line(module_name, path, "property", signatures + typed(cls, member), wanted)
        elif inspect.isroutine(value):
            signatures, parameters = signatures_of(value, module_name)
            if member != getattr(value, "__name__", member):
                signatures, parameters = [], None
            line(module_name, path, "method", signatures + typed(cls, member), wanted, parameters)
        elif inspect.isclass(value):
            line(module_name, path, "class", (), wanted)
        else:
            # What an enumeration is given after it was made is not among its members.
            is_late = issubclass(cls, enum.Enum) and not isinstance(value, cls)
            line(module_name, path, "attribute", (), wanted and not is_late)
    for member in for_types(cls):
        if not member.startswith("_") and member not in seen:
            seen.add(member)
            line(module_name, f"{name}.{member}", "method", typed(cls, member), False)
    for owner in cls.__mro__:
        if is_standard(owner.__module__):
            continue
        for member in [*inspect.get_annotations(owner), *slots(owner)]:
            if not member.startswith("_") and member not in seen:
                seen.add(member)
                line(module_name, f"{name}.{member}", "attribute", (), required)


def typed(cls, member):
    text = for_types(cls).get(member)
    return [] if text is None else [text]


def is_written(function):
    """Whether somebody wrote it for its class: not generated, and not `typing`'s for protocols."""
    return os.path.exists(function.__code__.co_filename) and not is_standard(function.__module__)


def for_types(cls):
    """The methods that a class and its bases declare under `if TYPE_CHECKING:`, nearest first.

    They are there to say more than the ones that run, so they are right as well.
    """
    if cls not in FOR_TYPES:
        found = {}
        for owner in cls.__mro__:
            source, node = definition(owner)
            for branch in getattr(node, "body", []):
                if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.unparse(branch.test):
                    own = {}
                    for inner in branch.body:
                        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                            own.setdefault(inner.name, []).append(source.function(inner))
                    for name, texts in own.items():
                        found.setdefault(name, "\n".join(texts))
        FOR_TYPES[cls] = found
    return FOR_TYPES[cls]


FOR_TYPES = {}


def property_signatures(name, value, module_name):
    """The getter; the setter and the deleter may be shown with it."""
    texts = []
    for function in (value.fget, value.fset, value.fdel):
        if function is not None:
            found = signatures_of(function, module_name)[0]
            if not found or getattr(function, "__name__", "") != name:
                break
            texts.append(found[0])
    return ["\n".join(texts[:count]) for count in range(1, len(texts) + 1)]


def slots(cls):
    found = vars(cls).get("__slots__", ())
    return [found] if isinstance(found, str) else list(found)


def bound_names(module):
    """The names that a module's own statements bind; nothing without a source.

    Imports are left out, unless they say `X as X`, which is how a name is published; and so is what
    an exception handler binds in the place of one.
    """
    source = Source.of(getattr(module, "__file__", None))
    if source is None:
        return None
    found = set()
    pending = list(source.tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                found.update(one.id for one in ast.walk(target) if isinstance(one, ast.Name))
        elif isinstance(node, ast.ImportFrom):
            found.update(one.name for one in node.names if one.asname == one.name)
        for field in ("body", "orelse", "finalbody") if isinstance(node, (ast.If, ast.Try, ast.With)) else ():
            pending.extend(getattr(node, field, []))
    return found


def is_noise(thing):
    """Whether a public name is only public because nobody gave it an underscore."""
    return issubclass(type(thing), logging.Logger) or type(thing).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple")


def owner_of(thing):
    try:
        return getattr(thing, "__module__", None)
    except Exception:  # a proxy that answers nothing outside of its context
        return type(thing).__module__


def called(thing):
    try:
        return getattr(thing, "__name__", None)
    except Exception:  # a proxy that answers nothing outside of its context
        return None


def describe_module(module_name, module):
    line(module_name, "", "module", (), False)
    listed = getattr(module, "__all__", None)
    bound = bound_names(module)
    names = listed if listed is not None else [one for one in dir(module) if not one.startswith("_")]
    things = []
    for name in dict.fromkeys(names):
        if name == "__doc__":
            continue  # every module has it
        try:
            things.append((name, getattr(module, name)))
        except Exception:  # listed and not there, or not without another package
            continue
    # What has several names comes under its own first; some lists are made of sets.
    for name, thing in sorted(things, key=lambda one: (one[0] != called(one[1]), one[0])):
        is_module = issubclass(type(thing), types.ModuleType)
        required = not is_module and not is_noise(thing)
        if listed is None:
            where = None if is_module else owner_of(thing)
            if bound is None:
                here = where == module_name  # compiled
            else:
                here = name in bound or (hasattr(module, "__path__") and is_own(where))
            if not here and not is_own(where):
                continue
            required = required and here
        try:
            describe(module_name, name, thing, required)
        except Exception:  # a proxy that answers nothing outside of its context
            line(module_name, name, "value", (), required)


for module_name, module in public_modules():
    describe_module(module_name, module)
