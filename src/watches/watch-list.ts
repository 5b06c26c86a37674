import { monthOf, type Month } from '../accounts/account.ts';
import type { LookupMeter } from '../domain/extension.ts';
import type { Directory } from '../domain/directory.ts';
import { splitName, tldOf, type DomainName } from '../domain/names/domain-name.ts';
import { parseEntry } from '../domain/names/parsed-name.ts';
import { Problem } from '../domain/problems.ts';
import type { ChangeLog } from './change-log.ts';
import { newState } from './name-state.ts';
import { free, metered, Payments, type PaymentOptions } from './payments.ts';
import type { ListPage, Watch, Watcher } from './types.ts';
import { creditsPerMonth, selectWatches, unwatched, watchOf, type Watched } from './watch-rows.ts';

export interface WatchListOptions extends PaymentOptions {
  readonly directory: Directory;
  readonly changeLog: ChangeLog;
}

/** Names that callers without a key watch together, and names of the sandbox that a key watches. */
export const maxFreeNames = 100;

/** The names that accounts watch, and what they have paid for them. */
export class WatchList {
  readonly payments: Payments;
  readonly #options: WatchListOptions;

  constructor(options: WatchListOptions) {
    this.#options = options;
    this.payments = new Payments(options);
  }

  /**
   * Watches names, or sets the label of those that are watched. Returns one row for each entry, in
   * order. Rejects with `insufficient_credits`, or `too_many_watches`: then nothing is watched.
   */
  async watch(
    watcher: Watcher,
    entries: readonly string[],
    label?: string,
    meter?: LookupMeter,
  ): Promise<readonly Watch[]> {
    const parsed = entries.map((entry) => this.#parse(entry));
    const names = [...new Set(parsed.flatMap((each) => ('problem' in each ? [] : [each.domain])))];
    const month = monthOf(this.#options.clock.now());
    const unpaid = names.filter((name) => isPriced(watcher, name));
    const paid = await this.#paid(watcher.id, unpaid, month);
    const price = (unpaid.length - paid.size) * creditsPerMonth;
    const write = () => this.#write(watcher, names, label ?? null, month);

    if (meter && price > 0) await metered(meter, price, write);
    else await this.payments.charge(watcher.id, price, write);
    return this.#rowsOf(watcher.id, parsed);
  }

  /** Ends watches. Returns one row for each entry, in order. */
  async unwatch(watcher: Watcher, entries: readonly string[]): Promise<readonly Watch[]> {
    const parsed = entries.map(parseEntry);
    const names = parsed.flatMap((each) => ('problem' in each ? [] : [each.domain]));
    await this.#end(`account = $1 AND name IN (SELECT value FROM ${this.#each('$2')})`, [
      watcher.id,
      JSON.stringify(names),
    ]);

    return this.#rowsOf(watcher.id, parsed);
  }

  /** Ends everything that an account has here: its keys were revoked. */
  async endAccount(account: string): Promise<void> {
    await this.#end('account = $1', [account]);
    for (const table of ['webhooks', 'feeds'])
      await this.#options.database.query(`DELETE FROM ${table} WHERE account = $1`, [account]);
  }

  /** Returns the accounts that watch names. */
  async accounts(): Promise<readonly string[]> {
    const { query } = this.#options.database;
    const rows = await query<{ account: string }>(
      'SELECT account FROM watches WHERE ended = 0 UNION SELECT account FROM webhooks UNION SELECT account FROM feeds',
    );
    return rows.map(({ account }) => account);
  }

  /** Returns the watches of an account in alphabetical order, after the name `after`. */
  async list(
    watcher: Watcher,
    { label, after = '', limit }: { label?: string | undefined; after?: string; limit: number },
  ): Promise<ListPage<Watch>> {
    const rows = await this.#options.database.query<Watched>(
      `${selectWatches} AND watches.name > $2 AND ($3 = '' OR label = $3) ORDER BY watches.name LIMIT $4`,
      [watcher.id, after, label ?? '', limit + 1],
    );
    return { items: rows.slice(0, limit).map(watchOf), hasNext: rows.length > limit };
  }

  #parse(entry: string) {
    const parsed = parseEntry(entry);
    if ('problem' in parsed) return parsed;
    const resolved = this.#options.directory.resolve(splitName(parsed.domain));
    return 'problem' in resolved ? { ...parsed, problem: resolved.problem } : parsed;
  }

  /** Returns those of the names that an account has paid this month, or the next one at another node. */
  async #paid(account: string, names: readonly string[], month: Month): Promise<Set<string>> {
    const rows = await this.#options.database.query<{ name: string }>(
      `SELECT name FROM watches WHERE account = $1 AND paid_month >= $2
       AND name IN (SELECT value FROM ${this.#each('$3')})`,
      [account, month, JSON.stringify(names)],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** Returns the credits that are due for it. */
  #write(
    watcher: Watcher,
    names: readonly DomainName[],
    label: string | null,
    month: Month,
  ): Promise<number> {
    const now = this.#options.clock.now();
    return this.#options.database.transaction(async (query) => {
      const seq = await this.#options.changeLog.headSeq(query);
      let due = 0;
      for (const name of names) {
        const paidMonth = isPriced(watcher, name) ? month : free;
        await query(
          'INSERT INTO watched_names (name, next_look, state) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
          [name, now, JSON.stringify(newState(now))],
        );

        const [before] = await query<{ paidMonth: string }>(
          'SELECT paid_month AS "paidMonth" FROM watches WHERE account = $1 AND name = $2',
          [watcher.id, name],
        );
        if (paidMonth === month && (before?.paidMonth ?? free) < month) due += creditsPerMonth;

        await query(
          `INSERT INTO watches (account, name, label, started_at, since_seq, paid_month, verdict_month, ended)
           VALUES ($1, $2, $3, $4, $5, $6, '', 0) ON CONFLICT (account, name) DO UPDATE SET
           label = coalesce(excluded.label, watches.label),
           paid_month = CASE WHEN watches.paid_month > excluded.paid_month THEN watches.paid_month ELSE excluded.paid_month END,
           problem = NULL, ended = 0,
           started_at = CASE watches.ended WHEN 0 THEN watches.started_at ELSE excluded.started_at END,
           since_seq = CASE watches.ended WHEN 0 THEN watches.since_seq ELSE excluded.since_seq END`,
          [watcher.id, name, label, now, seq, paidMonth],
        );
      }

      const [count] = await query<{ count: number }>(
        `SELECT count(*) AS count FROM watches WHERE account = $1 AND ended = 0 AND paid_month = ''`,
        [watcher.id],
      );
      if ((count?.count ?? 0) <= maxFreeNames) return due;

      const whose = watcher.isMetered
        ? 'Of the sandbox, a key watches'
        : 'Callers without a key watch';

      throw new Problem('too_many_watches', `${whose} at most ${maxFreeNames} names.`);
    });
  }

  async #end(condition: string, params: readonly string[]): Promise<void> {
    await this.#options.database.transaction(async (query) => {
      await query(`UPDATE watches SET ended = 1 WHERE ended = 0 AND ${condition}`, params);
      await query(
        `DELETE FROM watched_names WHERE name IN (SELECT name FROM watches WHERE ${condition})
         AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.name = watched_names.name AND ended = 0)`,
        params,
      );
    });
  }

  async #rowsOf(
    account: string,
    entries: readonly ReturnType<typeof parseEntry>[],
  ): Promise<readonly Watch[]> {
    // PostgreSQL rejects NUL and half characters, which A-labels do not have.
    const named = entries.map(({ domain }) => domain).filter((domain) => /^[\w.-]+$/.test(domain));
    const names = JSON.stringify(named);
    const rows = await this.#options.database.query<Watched>(
      `${selectWatches} AND watches.name IN (SELECT value FROM ${this.#each('$2')})`,
      [account, names],
    );
    const watches = new Map(rows.map((row) => [String(row.name), watchOf(row)]));

    return entries.map((entry) => ({
      ...(watches.get(entry.domain) ?? { ...unwatched, domain: entry.domain }),
      ...('problem' in entry && { problem: entry.problem }),
    }));
  }

  #each(parameter: string): string {
    return this.#options.database.dialect.each(parameter);
  }
}

/** Names of the sandbox are free. */
function isPriced({ isMetered }: Watcher, name: DomainName): boolean {
  return isMetered && tldOf(name) !== 'test';
}
