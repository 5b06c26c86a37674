import * as v from 'valibot';

/** An object as JSON has them. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The shape of any; valibot's own shapes of objects take an array for one. */
export function objectShape(message?: string) {
  return v.custom<Record<string, unknown>>(isObject, message);
}
