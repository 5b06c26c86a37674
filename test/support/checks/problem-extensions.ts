import { expect } from 'vitest';

/** Matches the `extensions` of a GraphQL error with a problem code and these other members. */
export function problemExtensions(
  code: string,
  members: Readonly<Record<string, unknown>> = {},
): unknown {
  return { code, type: expect.stringMatching(`^http.*/docs/errors#${code}$`), ...members };
}
