import type { Cost } from '../../accounts/account.ts';
import type { NextTurn } from '../../lookup/batch-scheduler.ts';
import { JsonText } from '../../execution/json-form.ts';
import { maxResponseCharacters, responseTooLarge } from '../../lookup/value-limit.ts';

/** Values that are serialized at once: about 0.5 ms. */
const maxValuesAtOnce = 5000;

/**
 * Serializes a result like `JSON.stringify`, but without the last brace, in several turns of the
 * event loop, and stops soon after the limit. Throws `query_too_large` above `maxResponseCharacters`.
 */
export async function responseJson(
  result: { readonly data?: unknown },
  nextTurn: NextTurn,
): Promise<string> {
  const { data, ...rest } = result;
  if (data instanceof JsonText) {
    const others = JSON.stringify(rest).slice(1, -1);
    return `{"data":${data.text}${others === '' ? '' : `,${others}`}`;
  }

  const writer = new JsonWriter(nextTurn);
  await writer.write(result);
  return writer.text.slice(0, -1);
}

/** Closes the JSON of a result, which has at least one member, after its cost. */
export function withCost(openText: string, cost: Cost | undefined): string {
  return cost ? `${openText},"extensions":${JSON.stringify({ cost })}}` : `${openText}}`;
}

class JsonWriter {
  readonly #nextTurn: NextTurn;
  readonly #texts: string[] = [];
  #length = 0;
  /** Since the last turn. */
  #values = 0;

  constructor(nextTurn: NextTurn) {
    this.#nextTurn = nextTurn;
  }

  get text(): string {
    return this.#texts.join('');
  }

  async write(value: object): Promise<void> {
    if (countValues(value, maxValuesAtOnce) < maxValuesAtOnce) return this.#add(jsonOf(value));

    const isList = Array.isArray(value);
    let separator = isList ? '[' : '{';

    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;

      const start = isList ? separator : `${separator}${JSON.stringify(key)}:`;
      const count = countValues(member, maxValuesAtOnce);
      separator = ',';

      if (count < maxValuesAtOnce) this.#add(start + jsonOf(member));
      else {
        this.#add(start);
        await this.write(member);
      }

      this.#values += count;
      if (this.#values < maxValuesAtOnce) continue;

      this.#values = 0;
      await this.#nextTurn();
    }

    this.#add(isList ? ']' : '}');
  }

  #add(text: string): void {
    this.#length += text.length;
    if (this.#length > maxResponseCharacters) throw responseTooLarge();
    this.#texts.push(text);
  }
}

/** Counts a value and those inside it, up to about `limit`. */
function countValues(value: unknown, limit: number): number {
  let count = 1;
  if (Array.isArray(value)) {
    for (const member of value) {
      if (count >= limit) break;
      count += countValues(member, limit - count);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      if (count >= limit) break;
      count += countValues((value as Record<string, unknown>)[key], limit - count);
    }
  }

  return count;
}

/** Throws `query_too_large` if the JSON is longer than a string can be. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw error instanceof RangeError ? responseTooLarge() : error;
  }
}
