import { randomBytes, randomUUID } from 'node:crypto';
import { workMs } from '../accounts/work-limit.ts';
import type { Clock } from '../clock.ts';
import type { Directory } from '../domain/directory.ts';
import { splitName, tldOf, type DomainName } from '../domain/names/domain-name.ts';
import type { ExtensionOperation } from '../domain/extension.ts';
import { parseEntry } from '../domain/names/parsed-name.ts';
import { missingParameter, Problem, resultOrProblem } from '../domain/problems.ts';
import type { Log } from '../log.ts';
import type { SqlDatabase } from '../shared/sql-database.ts';
import { signJws } from './jws.ts';
import { receiptFormat, type Judgment, type Payload } from './payload.ts';
import { SigningKeys } from './signing-keys.ts';

/** A receipt, with the keys and values of REST. */
export interface Receipt {
  /** Secret: whoever has it can read the receipt. */
  readonly id: string;
  readonly domain: string;
  readonly verdict: string;
  readonly rule: string;
  readonly created_at: string;
  readonly jws: string;
  /** URL of the page that shows it. */
  readonly url: string;
}

/** What a lookup has shown, without the verdict. */
export type Recording = Pick<Payload, 'facts' | 'seed' | 'started_at' | 'exchanges'>;

export interface ReceiptsOptions {
  /** Undefined if the store does not survive the process. */
  readonly database: SqlDatabase | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: Directory;
  readonly software: string;
  readonly baseUrl: () => string;
  /** How many days receipts are stored. */
  readonly days: number;
  /** Looks a name up afresh, and records all that it sees. Calls `onSent` before each request. */
  readonly record: (
    domain: DomainName,
    request: ReturnType<ExtensionOperation['request']>,
    onSent: () => void,
  ) => Promise<Recording & { readonly seen: Judgment }>;
  /** Derives what follows from a recording, as `verify` does. */
  readonly derive: (payload: Payload) => Promise<Judgment>;
}

/** The price of a receipt with a verdict, in credits. */
export const receiptPrice = 5;

const dayMs = 24 * 60 * 60 * 1000;
const idBytes = 20;
const cleanupMs = 60 * 60 * 1000;

const disconnected = () =>
  new Problem('request_timeout', 'The client has disconnected, so there is no receipt.');

/** How a repeated request finds the receipt of the first one. */
export interface Repeatable {
  /** A hash of the key. */
  readonly key: string;
  /** Called when nothing can reject the request any more. */
  bind(): Promise<void>;
  /** Adds the price of this request. Returns how much of it is not charged yet. */
  addCharge(price: number): Promise<number>;
}

interface CreateOptions {
  readonly repeatable?: Repeatable | undefined;
  /** The operation has reserved the price before it ran. */
  readonly isReserved?: boolean;
}

/** Signed records of lookups. */
export class Receipts {
  readonly #options: ReceiptsOptions;
  #cancelCleanup: (() => void) | undefined;

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  /**
   * Looks a name up and returns a receipt. Rejects with a `Problem`, also if the operation cannot pay.
   * Without a verdict, and for names of the sandbox, it is free.
   */
  async create(
    entry: string,
    { payer, meter, request, spendFree, onFree }: ExtensionOperation,
    { repeatable, isReserved = false }: CreateOptions = {},
  ): Promise<Receipt> {
    const { database, record } = this.#options;
    spendFree(workMs.names(1));
    const domain = this.read(entry);
    const store = requireStore(database);
    const price = this.priceOf(domain);
    if (price === 0 || !meter) spendFree(workMs.freeReceipt);

    const refusal = price > 0 && !isReserved ? await meter?.reserve(price) : undefined;
    if (refusal) throw refusal;

    await repeatable?.bind();

    const charge = `receipt ${randomUUID()}`;
    const requested = request();
    if (requested.signal.aborted) throw disconnected();
    let isSent = false;
    const onSent = () => {
      isSent = true;
      meter?.recordSent(charge, price);
    };

    try {
      const { seen, ...recording } = await record(domain, requested, onSent);
      if (requested.signal.aborted && seen.verdict === 'unknown') throw disconnected();
      const receipt = await this.#sign(domain, recording, seen);
      const { id, created_at: createdAt } = receipt;

      await store.query(
        'INSERT INTO receipts (id, account, repeat_key, created_at, body) VALUES ($1, $2, $3, $4, $5)',
        [id, payer ?? '', repeatable?.key ?? null, Date.parse(createdAt), JSON.stringify(receipt)],
      );

      if (receipt.verdict === 'unknown') {
        meter?.recordFailed(charge);
        onFree(workMs.freeReceipt);
      } else {
        const due = (await repeatable?.addCharge(price)) ?? price;
        meter?.recordSent(charge, due);
        meter?.recordAnswered(charge, due);
      }

      return receipt;
    } catch (error) {
      // A client that disconnects has paid for what was sent, and not for its next attempt.
      if (requested.signal.aborted && isSent) await repeatable?.addCharge(price);
      else meter?.recordFailed(charge);
      throw error;
    }
  }

  /** Returns the price of a receipt with a verdict: 0 for an entry that is refused. */
  priceOf(entry: string): number {
    const domain = resultOrProblem(() => this.read(entry));
    return domain instanceof Problem || tldOf(domain) === 'test' ? 0 : receiptPrice;
  }

  /** Returns a receipt; undefined if there is none any more. */
  async get(id: string): Promise<Receipt | undefined> {
    const { database } = this.#options;
    if (!database || !/^[\w-]{1,100}$/.test(id)) return undefined;
    return this.#first('id = $2', [id]);
  }

  /** Returns the receipt of an earlier request with a key. */
  async repeated(payer: string | undefined, key: string, since: number) {
    return this.#first('account = $2 AND repeat_key = $3 AND created_at >= $4', [
      payer ?? '',
      key,
      since,
    ]);
  }

  /** Deletes a receipt of an account. Returns whether there was one. */
  async delete(id: string, payer: string | undefined): Promise<boolean> {
    const { query } = requireStore(this.#options.database);
    const sql = 'DELETE FROM receipts WHERE id = $1 AND account = $2 RETURNING id';
    return (await query(sql, [id, payer ?? ''])).length > 0;
  }

  /** Returns the public keys of all receipts; none if there cannot be any. */
  async keys() {
    const { database, clock } = this.#options;
    return { keys: database ? await new SigningKeys(database, clock).publicKeys() : [] };
  }

  /** Deletes expired receipts now and every hour, until it is stopped. */
  readonly start = async (): Promise<void> => {
    const { database, clock, log } = this.#options;
    if (!database) return;

    this.#cancelCleanup = clock.after(cleanupMs, () => void this.start());
    try {
      await database.query('DELETE FROM receipts WHERE created_at < $1', [this.#oldest()]);
    } catch (error) {
      log.error({ err: error }, 'Failed to delete expired receipts. Check the store.');
    }
  };

  stop(): void {
    this.#cancelCleanup?.();
  }

  #oldest(): number {
    return this.#options.clock.now() - this.#options.days * dayMs;
  }

  async #first(condition: string, params: readonly (string | number)[]) {
    const { query } = requireStore(this.#options.database);
    const [row] = await query<{ body: string }>(
      `SELECT body FROM receipts WHERE created_at >= $1 AND ${condition}`,
      [this.#oldest(), ...params],
    );
    return row && (JSON.parse(row.body) as Receipt);
  }

  /** Returns the name of an entry. Throws the problem of one that cannot be looked up. */
  read(entry: string): DomainName {
    if (entry.trim() === '') throw missingParameter('domain');
    const parsed = parseEntry(entry);
    const resolved =
      'problem' in parsed ? parsed : this.#options.directory.resolve(splitName(parsed.domain));
    if (!('problem' in resolved)) return parsed.domain as DomainName;
    throw new Problem(resolved.problem.code, resolved.problem.message, { param: 'domain' });
  }

  async #sign(domain: DomainName, recording: Recording, seen: Judgment): Promise<Receipt> {
    const { database, clock, derive, software, baseUrl } = this.#options;
    const id = randomBytes(idBytes).toString('base64url');
    const createdAt = new Date(clock.now()).toISOString();
    const payload = JSON.parse(
      JSON.stringify({
        format: receiptFormat,
        id,
        issuer: baseUrl(),
        software,
        domain,
        created_at: createdAt,
        ...seen,
        ...recording,
      }),
    ) as Payload;

    // A receipt must not say more than its bytes do.
    const derived = await derive(payload);
    if (!isSameJudgment(derived, payload))
      throw new Problem(
        'untrusted_answer',
        'The recorded answers do not lead to the same verdict as the lookup. Try again.',
      );

    const { kid, privateJwk } = await new SigningKeys(requireStore(database), clock).current();
    const jws = signJws(payload, kid, privateJwk);
    const { verdict, rule } = payload;

    return { id, domain, verdict, rule, created_at: createdAt, jws, url: urlOf(payload) };
  }
}

/** Returns the address of the page of a receipt. */
export function urlOf({ issuer, id }: Pick<Payload, 'issuer' | 'id'>): string {
  return `${issuer}/receipts/${id}`;
}

/** Returns whether a judgment is the one that a payload states. */
export function isSameJudgment(derived: Judgment, stated: Judgment): boolean {
  return JSON.stringify(partsOf(derived)) === JSON.stringify(partsOf(stated));
}

function partsOf({ verdict, rule, certainty, reason, answers }: Judgment) {
  const said = answers.map(({ source, answer }) => [source, answer]);
  return [verdict, rule, certainty, reason?.code, said];
}

function requireStore(database: SqlDatabase | undefined): SqlDatabase {
  if (database) return database;
  const detail =
    'This gateway keeps no signing keys, because its store is in memory. The operator must set STORE_URL to a database.';
  throw new Problem('not_implemented', detail);
}
