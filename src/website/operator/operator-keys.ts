import { randomUUID } from 'node:crypto';
import { stateOf, type Account } from '../../accounts/account.ts';
import { createKey } from '../../accounts/create-key.ts';
import { InvalidPlanError, readPlan, readPlanChange } from '../../accounts/plan-text.ts';
import {
  LedgerUnavailableError,
  type AccountStore,
  type AccountUsage,
} from '../../accounts/store.ts';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { Log } from '../../log.ts';
import { html, type Html } from '../docs/html.ts';
import { createFormToken, isFormToken } from '../form-token.ts';
import { alert, pagePart, section, share, timeOf, type Cell } from './operator-html.ts';
import texts from './operator-texts.json' with { type: 'json' };

export interface OperatorKeyOptions {
  readonly accounts: AccountStore;
  /** Signs the tokens of forms, on all nodes. */
  readonly formSecret: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a form leads to. A relative location also works if a proxy serves the gateway under a prefix. */
interface Outcome {
  readonly status: number;
  readonly main: Html;
  readonly location?: string;
}

/** The fields of a form as they were typed. */
type Fields = Readonly<Record<string, string>>;

/** The page stays small and quick with 10,000 accounts. */
const maxRows = 100;
const maxChanges = 20;

const actions = ['create', 'change', 'revoke'] as const;
type Action = (typeof actions)[number];

const templates = {
  create: pagePart('operator/operator-create.html'),
  change: pagePart('operator/operator-change.html'),
  limits: pagePart('operator/operator-limits.html'),
  revoke: pagePart('operator/operator-revoke.html'),
  created: pagePart('operator/operator-created.html'),
  account: pagePart('operator/operator-account.html'),
};

/** The part of the operator page that shows keys, and creates, limits and revokes them. */
export class OperatorKeys {
  readonly #options: OperatorKeyOptions;
  /** The rows of the latest changes, newest first. */
  #changes: readonly (readonly Cell[])[] = [];

  constructor(options: OperatorKeyOptions) {
    this.#options = options;
  }

  /**
   * Renders the accounts that used most credits, or those that `find` finds, and a form for a new
   * one. Rejects with `LedgerUnavailableError`.
   */
  async overview(operator: Account, find: string): Promise<Html> {
    // PostgreSQL rejects NUL.
    const text = find.replaceAll(/\p{Cc}/gu, '').trim();
    const rows = await this.#options.accounts.topUsage(maxRows, text);
    const note = `${rows.length} of ${rows[0]?.total ?? 0} are shown.`;
    return html`${section('accounts', this.#rowsOf(rows), note)}
    ${this.#form(operator, 'create', '', defaults)} ${section('changes', this.#changes)}`;
  }

  /**
   * Renders a form, with the account that it changes. Rejects with `not_found`. `typed`: what was
   * refused because of `message`.
   */
  async formPage(
    operator: Account,
    action: Action,
    id: string,
    typed: Fields = {},
    message = '',
  ): Promise<Html> {
    const account = action === 'create' ? undefined : await this.#find(id);
    const values = { ...(account && textsOf(account)), ...typed };

    return templates.account({
      name: account?.name ?? 'Accounts',
      message: message && html`<p role="alert">${alert(message)}</p>`,
      account: account ? section('accounts', this.#rowsOf([account])) : '',
      form: (account?.revokedAt ?? null) === null ? this.#form(operator, action, id, values) : '',
    });
  }

  /** Does what a form says. Rejects with `forbidden_origin` if the form was not one of the page. */
  async submit(operator: Account, form: URLSearchParams): Promise<Outcome> {
    const { formSecret, clock, log } = this.#options;
    const typed = Object.fromEntries(form);
    const { id = '', token = '' } = typed;
    const action = actions.find((each) => each === typed['action']);
    if (!action || !isFormToken(token, formSecret, purposeOf(operator, action, id), clock.now()))
      throw new Problem(
        'forbidden_origin',
        'This form is older than 12 hours, or was not made for this key, so nothing was changed. Open the page again.',
      );

    try {
      return await (action === 'create'
        ? this.#create(operator, typed)
        : this.#alter(operator, action, id, typed));
    } catch (error) {
      if (error instanceof LedgerUnavailableError)
        log.warn(
          { action, operator: operator.id, account: id },
          'Key change not confirmed by the store. Check whether it was made.',
        );

      const main = await this.formPage(operator, action, id, typed, refusalOf(error));
      return { status: error instanceof InvalidPlanError ? 400 : 409, main };
    }
  }

  async #create(operator: Account, typed: Fields): Promise<Outcome> {
    const plan = readPlan(planTexts(typed), this.#options.clock.now());
    await this.#claim(operator, typed);
    const { account, key } = await createKey(this.#options.accounts, plan);
    if (key === undefined)
      throw new RefusedError(`Name is that of account ${account.id}. Choose another one.`);

    this.#report(operator, 'created', account);
    const { name } = account;
    const form = templates.created({ key });

    return { status: 200, main: templates.account({ name, form }) };
  }

  /** Changes the limits of an account, or revokes its keys. */
  async #alter(
    operator: Account,
    action: 'change' | 'revoke',
    id: string,
    typed: Fields,
  ): Promise<Outcome> {
    const { accounts, clock } = this.#options;
    const account = await this.#find(id);
    const { credits, rate } = planTexts(typed);
    const plan = action === 'change' ? readPlanChange({ credits, rate }, clock.now()) : {};

    if (operator.id === id && !typed['own'])
      throw new RefusedError('This is the key that opened this page. Tick the box to confirm.');

    await this.#claim(operator, typed);
    if (account.revokedAt !== null) throw new RefusedError('The keys were already revoked.');

    const altered = await (action === 'change' ? accounts.change(id, plan) : accounts.revoke(id));
    if (!altered) throw new RefusedError('The keys were already revoked.');

    this.#report(operator, `${action}d`, altered, account);
    return { status: 303, main: html``, location: `?key=${id}` };
  }

  /** Uses up the token of a form: a page that is reloaded sends its form again. */
  async #claim(operator: Account, { token = '' }: Fields): Promise<void> {
    const use = { caller: `forms of ${operator.id}`, key: token, fingerprint: randomUUID() };
    const { conflict } = await this.#options.accounts.bindIdempotencyKey(use);
    if (conflict)
      throw new RefusedError(
        'This form was already sent, so nothing was done again. A key is shown only once.',
      );
  }

  async #find(id: string): Promise<AccountUsage> {
    const [account] = /^[\w-]+$/.test(id) ? await this.#options.accounts.topUsage(1, id) : [];
    if (account?.id !== id) throw new Problem('not_found', 'No account has this ID.');
    return account;
  }

  /** Logs a change, and keeps it for the page. */
  #report(operator: Account, action: string, account: Account, previous?: Account): void {
    const { clock, log } = this.#options;
    const now = clock.now();

    const summaryOf = (of: Account): Record<string, string> => ({
      ...textsOf(of),
      state: stateOf(of, now),
    });

    const before = previous && summaryOf(previous);
    const after = summaryOf(account);
    const ids = { operator: operator.id, account: account.id };
    log.info({ action, ...ids, before, after }, 'Key changed on the operator page.');

    const changes = Object.entries(after)
      .filter(([name, text]) => before?.[name] !== text)
      .map(([name, text]) => `${name}: ${before ? `${before[name]} → ` : ''}${text}`);
    const row = [account.name, account.id, timeOf(now), operator.id, action, changes.join(', ')];

    this.#changes = [row, ...this.#changes].slice(0, maxChanges);
  }

  #form(operator: Account, action: Action, id: string, values: Fields): Html {
    const { formSecret, clock } = this.#options;
    const token = createFormToken(formSecret, purposeOf(operator, action, id), clock.now());

    return templates[action]({
      ...values,
      id,
      limits: templates.limits(values),
      own: operator.id === id ? ownBox : '',
      hidden: html`<input type="hidden" name="token" value="${token}" />
        <input type="hidden" name="action" value="${action}" />
        <input type="hidden" name="id" value="${id}" />`,
    });
  }

  #rowsOf(accounts: readonly AccountUsage[]): readonly (readonly Cell[])[] {
    const now = this.#options.clock.now();
    return accounts.map((account) => [
      account.name,
      html`<a href="?key=${account.id}">${account.id}</a>`,
      stateOf(account, now),
      account.used,
      account.limit,
      share(account.used / account.limit),
      Math.max(0, account.limit - account.used),
      account.rate === 0 ? 'no limit' : (account.rate ?? 'default'),
      account.origins.join(' ') || 'any',
      account.lastChargedAt === null ? '' : timeOf(account.lastChargedAt),
      account.role ?? '',
    ]);
  }
}

/** A form cannot be done now; nothing was changed. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Returns why a form was refused. Throws any other error. */
function refusalOf(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  if (!(error instanceof InvalidPlanError)) throw error;
  const fields: Readonly<Record<string, string>> = texts.fields;
  return `${fields[error.field]} ${error.message}`;
}

function purposeOf(operator: Account, action: Action, id: string): string {
  return [operator.id, action, id].join(' ');
}

const ownBox = html`<label>
  <input type="checkbox" name="own" required />
  This is my own key, with which I opened this page. Without it, or with a low rate limit, I may be
  locked out.
</label>`;

const defaults = { name: '', credits: 'free', rate: 'default', origin: 'any' };

/** Returns the texts of a plan that a form contains. */
function planTexts({ name = '', credits = '', rate = '', origin = '' }: Fields) {
  return {
    name,
    credits: credits.trim(),
    rate: rate.trim(),
    origin: origin.trim().split(/[\s,]+/),
  };
}

/** Returns what the fields of a form contain for an account. */
function textsOf({ name, credits, rate, origins }: Account): Record<string, string> {
  return {
    name,
    credits: String(credits ?? 'free'),
    rate: String(rate ?? 'default'),
    origin: origins.join(' ') || 'any',
  };
}
