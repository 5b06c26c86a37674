import type { Random } from '../support/time/random.ts';

/** Returns a JSON value with one change at a random depth. */
export function mutateJson(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15))
    return oddValue(value, random);
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    return value.toSpliced(
      at,
      random.below(2),
      ...(random.chance(0.7) ? [mutateJson(value[at], random)] : []),
    );
  }
  const keys = Object.keys(value);
  const key = keys[random.below(keys.length)] ?? 'objectClassName';
  const entries = Object.entries(value);
  const changed = mutateJson(Reflect.get(value, key), random);
  return random.pick([
    () =>
      Object.fromEntries(entries.map(([name, member]) => [name, name === key ? changed : member])),
    () => Object.fromEntries(entries.filter(([name]) => name !== key)),
    () =>
      JSON.parse(
        `{"${random.pick(['__proto__', 'constructor', 'LDHNAME', key])}":${JSON.stringify(changed ?? null)}}`,
      ),
    () =>
      Object.fromEntries(
        entries.map(([name, member]) => [name === key ? name.toUpperCase() : name, member]),
      ),
  ])();
}

/** Returns a value that the parser does not expect; it may contain the old value. */
function oddValue(value: unknown, random: Random): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => random.below(1e9) - 5e8,
    () => 1e308,
    () => '',
    () => 'x'.repeat(10_000),
    () => '\u202e\0\u001b[31m\ud800<script>',
    () => [value, value],
    () => [[[[value]]]],
    () => ({ '0': value, '1': value }),
    () => JSON.parse('{"toString":"x","length":-1,"then":"y"}'),
    () => true,
    () => '2024-13-45T99:99:99Z',
    () => JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`),
  ])();
}
