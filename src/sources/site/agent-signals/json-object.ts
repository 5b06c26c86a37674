import { isObject } from '../../../shapes.ts';

/** Returns the JSON object that a text is; undefined for anything else. */
export function jsonObjectIn(text: string): Record<string, unknown> | undefined {
  if (!/^\s{0,1000}\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
