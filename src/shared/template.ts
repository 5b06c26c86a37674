/**
 * Returns a copy of a JSON value in which texts have values in place of placeholders, such as
 * `{name}`. A text that is nothing but a placeholder becomes the value itself, which may be an object;
 * without a value, it is left out of its object or list.
 */
export function filled<T>(template: unknown, values: Readonly<Record<string, unknown>>): T {
  return JSON.parse(JSON.stringify(template), (_key, value: unknown) => {
    // Items that are left out are holes.
    if (Array.isArray(value)) return Object.values(value);
    return typeof value === 'string' ? filledText(value, values) : value;
  }) as T;
}

function filledText(text: string, values: Readonly<Record<string, unknown>>): unknown {
  const [, only] = /^\{(\w+)\}$/.exec(text) ?? [];
  if (only !== undefined) return values[only];
  return text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values[name]));
}
