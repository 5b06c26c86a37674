type Values = Readonly<Record<string, unknown>>;

/**
 * Returns a copy of a JSON value in which texts have values in place of placeholders, such as
 * `{name}`. A text that is nothing but a placeholder becomes the value itself, which may be an object;
 * without a value, it is left out of a list, and undefined in an object.
 */
export function filled<T>(template: unknown, values: Values): T {
  return copyOf(template, values) as T;
}

function copyOf(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return value.includes('{') ? filledText(value, values) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((item) => copyOf(item, values)).filter((item) => item !== undefined);

  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) copy[key] = copyOf(member, values);
  return copy;
}

function filledText(text: string, values: Values): unknown {
  const [, only] = /^\{(\w+)\}$/.exec(text) ?? [];
  if (only !== undefined) return values[only];
  return text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values[name]));
}
