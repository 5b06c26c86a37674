import { Problem } from '../../domain/problems.ts';

/**
 * The maximum length of a response, or of one part of it: about 500 records of 64,000 characters. A
 * record from a hostile registry may have a million, and a document may select it 50 times.
 */
const maxResponseCharacters = 32_000_000;

/**
 * Serializes a result like `JSON.stringify`, but row by row, so that it stops soon after the limit.
 * Throws `query_too_large` above `maxResponseCharacters`.
 */
export function responseJson(result: object): string {
  let length = 0;
  const stringify = (value: unknown): string | undefined => {
    const json = jsonOf(value);
    length += json?.length ?? 0;
    if (length > maxResponseCharacters) throw responseTooLarge();
    return json;
  };
  const stringifyRows = (value: unknown) =>
    Array.isArray(value)
      ? `[${value.map((row) => stringify(row) ?? 'null').join(',')}]`
      : stringify(value);
  return stringifyMembers(result, (value, key) =>
    key === 'data' && isObject(value)
      ? stringifyMembers(value, stringifyRows)
      : stringifyRows(value),
  );
}

function stringifyMembers(
  object: object,
  stringify: (value: unknown, key: string) => string | undefined,
): string {
  const entries: string[] = [];
  for (const [key, value] of Object.entries(object)) {
    const json = stringify(value, key);
    if (json !== undefined) entries.push(`${JSON.stringify(key)}:${json}`);
  }
  return `{${entries.join(',')}}`;
}

/** Throws `query_too_large` if the JSON is longer than a string can be. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch (error) {
    throw error instanceof RangeError ? responseTooLarge() : error;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function responseTooLarge(): Problem {
  const detail = `The response would have more than ${maxResponseCharacters} characters. Request fewer names or fields, or use a subscription or @defer, which send records one at a time.`;
  return new Problem('query_too_large', detail);
}
