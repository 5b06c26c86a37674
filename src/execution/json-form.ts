import { maxResponseCharacters, responseTooLarge } from '../lookup/value-limit.ts';
import type { PreparedObject } from './prepared-fields.ts';

/** Makes a result from completed values. Null stays null, as does what it has no function for. */
export interface ResultForm {
  object(prepared: PreparedObject, values: readonly unknown[]): unknown;
  leaf?(value: unknown): unknown;
  list?(items: readonly unknown[]): unknown;
  /** Returns the data of the result. Throws why it has none. */
  data?(completed: unknown): unknown;
  /** Returns what was kept of an object that never changes. */
  kept?(prepared: PreparedObject, source: object): unknown;
  /** Keeps what was made of an object that never changes. */
  keep?(prepared: PreparedObject, source: object, completed: unknown): void;
}

export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of an object that never changes, as it was selected last. */
interface KeptJson {
  readonly object: PreparedObject;
  readonly text: string;
}

/** Longer ones are rare. The objects themselves are kept by the cache of answers. */
const maxKeptCharacters = 32_768;
const keptJson = new WeakMap<object, KeptJson>();

/** Makes JSON without an object tree. */
export class JsonForm implements ResultForm {
  #length = 0;
  #failure: unknown;

  /** Throws `query_too_large` if the JSON is too long, and why a value has no JSON. */
  data(completed: unknown): JsonText {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#length > maxResponseCharacters) throw responseTooLarge();
    return new JsonText(String(completed));
  }

  leaf(value: unknown): string {
    try {
      return this.#counted(JSON.stringify(value) ?? 'null');
    } catch (error) {
      this.#failure ??= error;
      return 'null';
    }
  }

  list(items: readonly unknown[]): string {
    let text = '[';
    for (let index = 0; index < items.length; index++)
      text += (index === 0 ? '' : ',') + String(items[index]);
    return `${text}]`;
  }

  object({ fields }: PreparedObject, values: readonly unknown[]): string {
    let text = '{';
    for (let index = 0; index < fields.length; index++) {
      const key = fields[index]?.key ?? '';
      this.#length += key.length;
      text += `${index === 0 ? '"' : ',"'}${key}":${String(values[index])}`;
    }
    return `${text}}`;
  }

  /** Returns the JSON of an object that never changes; undefined if it was not kept. */
  kept(object: PreparedObject, source: object): string | undefined {
    const kept = keptJson.get(source);
    return kept?.object === object ? this.#counted(kept.text) : undefined;
  }

  keep(object: PreparedObject, source: object, text: string): void {
    if (text.length > maxKeptCharacters) return;
    // V8 would keep the pieces, and copy each of them into each response.
    keptJson.set(source, { object, text: Buffer.from(text).toString() });
  }

  /** What exceeds the limit is left out, because the response will be refused. */
  #counted(text: string): string {
    this.#length += text.length;
    return this.#length > maxResponseCharacters ? 'null' : text;
  }
}
