import type { JsonObject } from '../../domain/registration.ts';

/** Reads an object. If `read` throws, calls `onParserError` and returns `fallback`. */
export function readSafely<T>(
  read: (object: JsonObject) => T,
  object: JsonObject,
  fallback: T,
  onParserError: ((error: unknown) => void) | undefined,
): T {
  try {
    return read(object);
  } catch (error) {
    // No registry response may crash the process, even if our parser fails.
    onParserError?.(error);
    return fallback;
  }
}
