import { isObject } from '../../shared/shapes.ts';

/** Parses a text that is a JSON object. Returns undefined for anything else. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  if (!/^\s{0,1000}\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
