import type { Attributes } from './html-tokens.ts';

/** The types of scripts that a browser runs. */
const scriptType = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/;

/** Returns what the text of a script is; undefined for data other than JSON-LD. */
export function scriptKind(attributes: Attributes): 'script' | 'json-ld' | undefined {
  const type = attributes.get('type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/ld+json') return 'json-ld';
  return !type || scriptType.test(type) ? 'script' : undefined;
}
