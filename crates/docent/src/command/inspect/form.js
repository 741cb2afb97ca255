// Fields for what servers ask: a flat schema of texts, numbers, truth values and choices.
"use strict";

/** What can be chosen, as pairs of value and words; nothing if everything can. */
function choices(schema) {
  if (Array.isArray(schema.enum)) return schema.enum.map((value, i) => [value, schema.enumNames?.[i] ?? value]);
  const ways = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(ways) || !ways.every((way) => way && "const" in way)) return null;
  return ways.map((way) => [way.const, way.title ?? way.const]);
}

function choice(pairs, chosen, properties) {
  const options = pairs.map(([value, words]) => {
    const option = el("option", { value }, String(words));
    option.selected = chosen.includes(value);
    return option;
  });
  return el("select", properties, ...options);
}

/** An element to fill in, and how to read it; nothing for a schema that is not flat. */
function field(schema, required) {
  const known = schema.default;
  const all = choices(schema.type === "array" ? schema.items ?? {} : schema);
  const values = all?.map(([value]) => value);
  if (schema.type === "array") {
    if (!all) return null;
    const size = Math.min(all.length, 6);
    const list = choice(all, Array.isArray(known) ? known : [], { multiple: "", size });
    return [list, () => [...list.selectedOptions].map((option) => values[option.index])];
  }
  if (all) {
    const none = required ? [] : [[undefined, ""]];
    const list = choice([...none, ...all], [known], {});
    return [list, () => [...none.map(() => undefined), ...values][list.selectedIndex]];
  }
  if (schema.type === "boolean") {
    const box = el("input", { type: "checkbox" });
    box.checked = known === true;
    return [box, () => box.checked];
  }
  const need = required ? "" : undefined;
  if (schema.type === "number" || schema.type === "integer") {
    const step = schema.type === "integer" ? 1 : "any";
    const number = el("input", { type: "number", step, min: schema.minimum, max: schema.maximum, required: need });
    number.value = known ?? "";
    return [number, () => (number.value === "" ? undefined : Number(number.value))];
  }
  if (schema.type !== "string") return null;
  const type = { email: "email", uri: "url", date: "date" }[schema.format] ?? "text";
  const text = el("input", { type, minlength: schema.minLength, maxlength: schema.maxLength, required: need,
    placeholder: schema.format === "date-time" ? "2026-01-31T12:00:00Z" : undefined });
  text.value = known ?? "";
  return [text, () => (text.value === "" && !required ? undefined : text.value)];
}

/** The fields of a form, and what is in them; nothing if one of them cannot be a field. */
function fields(schema) {
  const needed = Array.isArray(schema?.required) ? schema.required : [];
  const made = [];
  for (const [name, one] of Object.entries(schema?.properties ?? {})) {
    const found = one && typeof one === "object" ? field(one, needed.includes(name)) : null;
    if (!found) return null;
    made.push([name, one, ...found]);
  }
  const rows = made.map(([name, one, input]) => el("label", { class: "field" },
    el("span", {}, one.title ?? name, needed.includes(name) ? el("span", { class: "bad" }, " *") : null), input,
    one.description ? el("small", { class: "quiet" }, one.description) : null));
  const value = () => Object.fromEntries(made.map(([name, , , read]) => [name, read()]).filter(([, it]) => it !== undefined));
  return { rows, value };
}
