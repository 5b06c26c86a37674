import { hash } from 'node:crypto';
import type { FieldLookup } from '../lookup/lookup-plan.ts';
import type { DomainRow } from '../lookup/row.ts';
import type { Operation } from './operation.ts';

/**
 * The rows of a stream that its client has. The id of an event contains them, so that any node can go
 * on with a stream that was cut. A client that claims rows which it does not have gets fewer rows, and
 * pays for fewer.
 */
export class Resumption {
  /** Identifies the operation with its rows: ids of other streams are ignored. */
  readonly stream: string;
  /** The lookup of all rows. */
  readonly field: FieldLookup;
  readonly #positions: ReadonlyMap<string, number>;
  /** One bit per row, in request order. */
  readonly #delivered: Uint8Array;
  /** The rows that the client had when this stream started. */
  readonly #had: Uint8Array;

  /** `lastEventId`: what the client sent as `Last-Event-ID`. */
  constructor(
    { document, operationName, variableValues }: Operation,
    field: FieldLookup,
    lastEventId: string,
  ) {
    this.field = field;
    const domains = field.names.map(({ domain }) => domain);
    const query = document.loc?.source.body;
    const identity = JSON.stringify([query, operationName, variableValues, domains]);
    this.stream = hash('sha256', identity, 'base64url').slice(0, 16);
    this.#positions = new Map(domains.map((domain, index) => [domain, index]));
    this.#delivered = new Uint8Array(Math.ceil(domains.length / 8));

    const [stream, rows = ''] = lastEventId.split('.');
    if (stream === this.stream)
      this.#delivered.set(Buffer.from(rows, 'base64url').subarray(0, this.#delivered.length));
    this.#had = this.#delivered.slice();
  }

  /** The id of the event with the row that was added last. */
  get eventId(): string {
    return `${this.stream}.${Buffer.from(this.#delivered).toString('base64url')}`;
  }

  /** The lookup without the rows that the client has: they are not looked up again. */
  get remaining(): FieldLookup {
    return { ...this.field, names: this.field.names.filter(({ domain }) => !this.had(domain)) };
  }

  /** Yields rows, and records them. */
  async *recorded(rows: AsyncIterable<DomainRow>): AsyncGenerator<DomainRow, void, void> {
    for await (const row of rows) {
      const position = this.#positions.get(row.domain);
      if (position !== undefined)
        this.#delivered[position >> 3] = (this.#delivered[position >> 3] ?? 0) | bitOf(position);
      yield row;
    }
  }

  /** Returns whether the client had the row of a name. */
  had(domain: string): boolean {
    const position = this.#positions.get(domain) ?? 0;
    return ((this.#had[position >> 3] ?? 0) & bitOf(position)) !== 0;
  }
}

const bitOf = (position: number) => 1 << (position & 7);
