// What TypeScript says the public API of an installed package is, as JSON lines on stdout.
//
//   node reference.mjs PACKAGE
//
// One line for each public name: module (what a user imports), path (inside it, dotted), kind,
// signatures (each way to write the declaration that counts as right; empty if it has no text of its
// own), required (whether a reader of the package would miss it) and also (other roots for a path
// that begins with `default`). The rules:
//
// * Modules are the package and the subpaths in its `exports` that TypeScript can resolve; a pattern
//   such as `./*` is not expanded, since only its author knows what it is for.
// * Names are what `import { … }` accepts, namespaces included, and the members of classes and
//   interfaces, inherited ones too. Private members are not public; protected ones are optional, and
//   so are those with a leading underscore, which says the same.
// * What comes from TypeScript's own library or from Node (`Error.message`, `EventEmitter.on`) is
//   the platform's, hence optional, and what is tagged `@internal` is not for readers. So are members of a variable's type or of a type alias: they
//   are reachable, but they are documented where the type is.
// * Members are listed once for each module, under the shortest path of what they belong to.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const NAMESPACES_DEEP = 4;

const here = dirname(fileURLToPath(import.meta.url));
const name = process.argv[2];
const manifest = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
const { checker, modules } = load(entries());
const published = new Map(); // symbol → its public names in the whole package
for (const phase of ["collect", "print"]) {
  for (const [module, symbol] of modules) describe(module, symbol, phase === "print");
}

/** The specifiers that a user may import. */
function entries() {
  const exports = manifest.exports;
  if (typeof exports !== "object" || exports === null) return [name];
  const keys = Object.keys(exports).filter((key) => key.startsWith("."));
  if (keys.length === 0) return [name];
  const subpaths = keys.filter((key) => !key.includes("*") && !key.endsWith(".json"));
  return subpaths.filter((key) => exports[key] !== null).map((key) => name + key.slice(1));
}

/** A program that imports each specifier, and the symbols of those that have types. */
function load(specifiers) {
  const file = join(here, "imports.ts");
  const text = specifiers.map((specifier, at) => `import * as m${at} from "${specifier}";`).join("\n");
  const options = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ESNext,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    jsx: ts.JsxEmit.Preserve,
  };
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, text, options.target, true) : getSourceFile(path, ...rest);
  host.fileExists = (path) => path === file || fileExists(path);
  host.getCurrentDirectory = () => here;
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const found = new Map();
  for (const statement of program.getSourceFile(file).statements) {
    const symbol = checker.getSymbolAtLocation(statement.moduleSpecifier);
    if (symbol) found.set(statement.moduleSpecifier.text, symbol);
    else process.stderr.write(`${statement.moduleSpecifier.text}: no types\n`);
  }
  return { checker, modules: found };
}

/** Prints all that a module has, or only notes what it publishes. */
function describe(module, moduleSymbol, isPrinted) {
  const whole = checker.resolveExternalModuleSymbol(moduleSymbol);
  const isAssigned = whole !== moduleSymbol;
  const found = []; // [path, symbol], breadth first, so that the shortest path comes first
  const ways = new Map(); // symbol → its public names in this module
  const note = (path, symbol) => {
    found.push([path, symbol]);
    const last = path.split(".").pop();
    if (last === "default") return;
    for (const map of [ways, published]) map.set(symbol, (map.get(symbol) ?? new Set()).add(last));
  };
  if (isAssigned) note("default", resolved(whole));
  let open = [["", moduleSymbol, 0]];
  const entered = new Set([moduleSymbol]);
  while (open.length > 0) {
    const next = [];
    for (const [prefix, symbol, deep] of open) {
      // Properties of what is assigned to the module can be imported by name, too.
      const members =
        prefix === "" ? checker.getExportsAndPropertiesOfModule(symbol) : checker.getExportsOfModule(symbol);
      for (const member of members) {
        const target = resolved(member);
        const last = member.escapedName === "default" ? "default" : printed(member);
        if (last === "prototype" && target.flags & ts.SymbolFlags.Prototype) continue;
        if (last === "default" && (isAssigned || prefix !== "")) continue;
        note(prefix + last, target);
        const isNamespace = target.flags & (ts.SymbolFlags.ValueModule | ts.SymbolFlags.NamespaceModule);
        if (isNamespace && deep < NAMESPACES_DEEP && last !== "default" && !entered.has(target)) {
          entered.add(target);
          next.push([`${prefix}${last}.`, target, deep + 1]);
        }
      }
    }
    open = next;
  }
  if (!isPrinted) return;
  const seen = new Set();
  const isNamed = new Set(found.filter(([path]) => path !== "default").map(([, symbol]) => symbol));
  for (const [path, symbol] of found) {
    const also = path === "default" ? rootNames(symbol) : [];
    print({ module, path, also, symbol, ways, required: !isInternal(symbol) });
    if (seen.has(symbol) || (path === "default" && isNamed.has(symbol))) continue;
    seen.add(symbol);
    // What is assigned to the module has its properties listed as exports already.
    if (isAssigned && path === "default" && !(symbol.flags & ts.SymbolFlags.Class)) continue;
    members(module, path, also, symbol, ways);
  }
}

/** Whether its author says that it is not for others, with the tag that `stripInternal` goes by. */
function isInternal(symbol) {
  return symbol.getJsDocTags(checker).some((tag) => tag.name === "internal");
}

function rootNames(symbol) {
  const own = symbol.declarations?.map((declaration) => declaration.name?.text).filter(Boolean) ?? [];
  return [...new Set(["", ...own])];
}

/** Prints the members of a class, interface, enumeration, variable or type. */
function members(module, path, also, symbol, ways) {
  const seen = new Set();
  const isOwn = !isInternal(symbol);
  const one = (member, required) => {
    required &&= isOwn;
    const last = printed(member);
    if (last === undefined || seen.has(last)) return;
    seen.add(last);
    const access = accessibility(member);
    if (access === "private") return;
    required &&= access !== "protected" && origin(member) !== "platform" && !isInternal(member);
    // Behind a symbol that is not the platform's there is nothing that a reader could write.
    required &&= !last.startsWith("[") || last.startsWith("[Symbol.");
    required &&= !last.startsWith("_");
    print({ module, path: `${path}.${last}`, also, symbol: member, ways, required });
  };
  const { flags } = symbol;
  if (flags & ts.SymbolFlags.Enum) {
    for (const member of checker.getExportsOfModule(symbol)) one(member, true);
    return;
  }
  const isType = flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface);
  if (isType) {
    for (const member of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))) one(member, true);
  }
  if (flags & ts.SymbolFlags.Class) {
    for (const declaration of symbol.declarations.filter(ts.isClassDeclaration)) {
      const constructors = declaration.members.filter(ts.isConstructorDeclaration);
      const visible = constructors.filter((one) => access(one) === undefined);
      if (visible.length > 0) {
        const signatures = [visible.map((one) => text(one, undefined, undefined)).join("\n")];
        line({ module, path: `${path}.constructor`, also, kind: "constructor", signatures, required: isOwn });
      }
    }
    for (const member of checker.getPropertiesOfType(checker.getTypeOfSymbol(symbol))) {
      if (member.escapedName !== "prototype") one(member, !(member.flags & ts.SymbolFlags.Namespace));
    }
  }
  if (flags & ts.SymbolFlags.Variable && symbol.valueDeclaration) {
    const type = checker.getTypeOfSymbol(symbol);
    for (const member of checker.getPropertiesOfType(type)) one(member, false);
  }
  if (flags & ts.SymbolFlags.TypeAlias) {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) {
      for (const member of checker.getPropertiesOfType(type)) one(member, false);
    }
  }
}

function resolved(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** A member's name as a user writes it, or nothing for one that cannot be written. */
function printed(symbol) {
  const escaped = String(symbol.escapedName);
  if (escaped.startsWith("__#")) return undefined;
  if (escaped.startsWith("__@")) return symbol.declarations?.[0]?.name?.getText();
  return ts.unescapeLeadingUnderscores(symbol.escapedName);
}

function access(declaration) {
  const flags = ts.getCombinedModifierFlags(declaration);
  if (flags & ts.ModifierFlags.Private) return "private";
  return flags & ts.ModifierFlags.Protected ? "protected" : undefined;
}

function accessibility(symbol) {
  for (const declaration of symbol.declarations ?? []) {
    const found = access(declaration);
    if (found) return found;
  }
  return undefined;
}

function origin(symbol) {
  const files = (symbol.declarations ?? []).map((declaration) => declaration.getSourceFile().fileName);
  const isPlatform = (file) => /\/node_modules\/(typescript\/lib|@types\/node|undici-types)\//.test(file);
  return files.length > 0 && files.every(isPlatform) ? "platform" : "package";
}

function print({ module, path, also, symbol, ways, required }) {
  const declarations = symbol.declarations ?? [];
  const last = path.split(".").pop();
  // The declared name is right, too, and so is each other name it is published under.
  const names = new Set([last, undefined, ...(ways.get(symbol) ?? [])]);
  names.delete("default");
  const signatures = new Set();
  for (const publicName of names) {
    for (const renames of [ways, published, undefined]) {
      const texts = declarations.map((declaration) => text(declaration, publicName, renames));
      const lines = [...new Set(texts.filter((found) => found !== undefined))];
      if (lines.length > 0) signatures.add(lines.join("\n"));
    }
  }
  line({ module, path, also, kind: kind(symbol), signatures: [...signatures], required });
}

function line({ module, path, also, kind, signatures, required }) {
  process.stdout.write(`${JSON.stringify({ module, path, also, kind, signatures, required })}\n`);
}

function kind(symbol) {
  const { flags } = symbol;
  const kinds = [
    [ts.SymbolFlags.Class, "class"],
    [ts.SymbolFlags.Interface, "interface"],
    [ts.SymbolFlags.Enum, "enum"],
    [ts.SymbolFlags.Function, "function"],
    [ts.SymbolFlags.TypeAlias, "type"],
    [ts.SymbolFlags.Variable, "variable"],
    [ts.SymbolFlags.Method, "method"],
    [ts.SymbolFlags.Accessor | ts.SymbolFlags.Property, "property"],
    [ts.SymbolFlags.EnumMember, "variant"],
    [ts.SymbolFlags.Namespace, "namespace"],
  ];
  return kinds.find(([flag]) => flags & flag)?.[1] ?? "other";
}

/** A declaration without body, comments and what says how it is exported; its tokens with spaces. */
function text(declaration, publicName, renames) {
  const tokens = [];
  const write = (node) => node && tokens.push(...leaves(node, declaration, publicName, renames));
  const writeAll = (nodes, before, after) => {
    if (!nodes || nodes.length === 0) return;
    tokens.push(before);
    nodes.forEach((node, at) => (at > 0 && tokens.push(","), write(node)));
    tokens.push(after);
  };
  const word = (kind) => ts.tokenToString(kind);
  const modifiers = () => {
    const hidden = ["export", "declare", "default", "public"];
    for (const modifier of ts.canHaveModifiers(declaration) ? (ts.getModifiers(declaration) ?? []) : []) {
      if (!hidden.includes(word(modifier.kind))) tokens.push(word(modifier.kind));
    }
  };
  const head = (keyword) => {
    modifiers();
    tokens.push(keyword);
    write(declaration.name);
    writeAll(declaration.typeParameters, "<", ">");
    declaration.heritageClauses?.forEach(write);
  };
  if (ts.isSourceFile(declaration) || ts.isExportAssignment(declaration)) return undefined;
  if (ts.isClassDeclaration(declaration)) head("class");
  else if (ts.isInterfaceDeclaration(declaration)) head("interface");
  else if (ts.isEnumDeclaration(declaration)) head("enum");
  else if (ts.isModuleDeclaration(declaration)) {
    // A namespace that only adds to something else is not a declaration a user reads.
    if (ts.isStringLiteral(declaration.name)) return undefined;
    head("namespace");
  } else if (ts.isVariableDeclaration(declaration)) {
    const list = declaration.parent;
    tokens.push(list.flags & ts.NodeFlags.Const ? "const" : list.flags & ts.NodeFlags.Let ? "let" : "var");
    write(declaration.name);
    if (declaration.type) tokens.push(":"), write(declaration.type);
    else if (declaration.initializer) tokens.push("="), write(declaration.initializer);
  } else if (ts.isBindingElement(declaration)) return undefined;
  else {
    for (const child of declaration.getChildren()) {
      if (child === declaration.body || ts.isJSDoc(child)) continue;
      const isModifiers = child.kind === ts.SyntaxKind.SyntaxList && child.pos === declaration.modifiers?.pos;
      if (isModifiers && declaration.modifiers?.length) modifiers();
      else write(child);
    }
  }
  while (tokens.length > 0 && [";", ","].includes(tokens.at(-1))) tokens.pop();
  return tokens.join(" ");
}

/** The tokens of a node, with names as the module publishes them. */
function leaves(node, declaration, publicName, renames) {
  const found = [];
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren();
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const token = node.getText();
    if (token === "") return;
    if (publicName !== undefined && node === declaration.name && ts.isIdentifier(node)) found.push(publicName);
    else found.push(renames && ts.isIdentifier(node) ? renamed(node, token, renames) : token);
  };
  visit(node);
  return found;
}

function renamed(node, token, renames) {
  const { parent } = node;
  // A name behind a dot is looked up there, and the name of a member is its own.
  if (ts.isQualifiedName(parent) && parent.right === node) return token;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return token;
  if (parent.name === node) return token;
  const symbol = checker.getSymbolAtLocation(node);
  if (!symbol) return token;
  const names = renames.get(resolved(symbol));
  return names && !names.has(token) ? [...names][0] : token;
}
