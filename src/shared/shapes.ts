import * as v from 'valibot';

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a shape for any JSON object; valibot's object shapes accept arrays. */
export function objectShape(message?: string) {
  return v.custom<Record<string, unknown>>(isObject, message);
}

/** Returns the value of a JSON text; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
