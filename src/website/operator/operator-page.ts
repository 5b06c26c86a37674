import type { Account } from '../../accounts/account.ts';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type {
  AuthenticatedHandler,
  AuthenticatedRequest,
} from '../../server/http-request-context.ts';
import { readForm } from '../../server/messages/body.ts';
import { pageAsset, pageHeaders, type Asset } from '../assets.ts';
import type { Html } from '../docs/html.ts';
import { OperatorKeys, type OperatorKeyOptions } from './operator-keys.ts';
import { operatorOverview, type OverviewOptions } from './operator-overview.ts';
import { pagePart, timeOf } from './operator-html.ts';
import { siteHeader } from '../site.ts';

/** What the page shows, and what its forms change. */
export interface OperatorPageOptions extends OverviewOptions, Omit<OperatorKeyOptions, 'clock'> {
  /** Whether there can be keys: nobody can open the page without one. */
  readonly hasKeys: boolean;
}

export const operatorPath = '/operator';

/** Returns the page for operators, which has no scripts, what its forms call, and its style sheet. */
export function operatorPage(
  options: OperatorPageOptions,
  server: { readonly clock: Clock; readonly graphiql: boolean; readonly baseUrl: () => string },
): { page: AuthenticatedHandler; submit: AuthenticatedHandler; style: Asset } {
  const { clock, graphiql, baseUrl } = server;
  const style = pageAsset('operator/operator.css');
  const icon = pageAsset('icon.svg');
  const template = pagePart('operator/operator.html', [icon, pageAsset('site.css'), style]);
  const header = siteHeader(undefined, { root: './', iconPath: icon.path, hasGraphiql: graphiql });
  const keys = new OperatorKeys({ ...options, clock });
  const startedAt = timeOf(clock.now());

  const respond = (main: Html, status = 200, others: Record<string, string> = {}) => ({
    status,
    headers: { ...headers, ...others },
    body: template({ header, main }).html,
  });

  const operatorOf = ({ payer }: AuthenticatedRequest): Account => {
    if (payer?.role === 'operator') return payer;
    throw new Problem('forbidden_operation', options.hasKeys ? needsRole : needsKeys);
  };

  const page: AuthenticatedHandler = async (http) => {
    const operator = operatorOf(http);
    const { query } = http;
    const id = query.get('key');
    const action = query.has('revoke') ? 'revoke' : 'change';
    if (id !== null) return respond(await keys.formPage(operator, action, id));

    const { find = '', account = '' } = Object.fromEntries(query);
    const values = { find, account, now: timeOf(clock.now()), startedAt };
    const main = await operatorOverview(options, values, () => keys.overview(operator, account));

    return respond(main, 200, query.has('refresh') ? { refresh: '60' } : {});
  };

  const submit: AuthenticatedHandler = async (http) => {
    const operator = operatorOf(http);
    checkSender(http, baseUrl());
    const { main, status, location } = await keys.submit(operator, await readForm(http.request));
    return respond(main, status, location === undefined ? {} : { location });
  };

  return { page, submit, style };
}

const needsRole =
  'This page requires an API key of an account with the role operator, such as `keys create --name ops --role operator` creates.';
const needsKeys =
  'This page requires an API key, and with STORE_URL=memory: there are none. Set STORE_URL to a store that persists, such as sqlite:./data/gateway.db.';

/**
 * Throws `forbidden_origin` if a page of another origin sent a form. Browsers say so in
 * `Sec-Fetch-Site`, and older ones in `Origin`; what has neither is no browser.
 */
function checkSender({ request }: AuthenticatedRequest, baseUrl: string): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const sender = URL.parse(origin ?? '')?.host;
  const isOwnHost = sender !== undefined && [host, URL.parse(baseUrl)?.host].includes(sender);
  const isOwn =
    site === undefined
      ? origin === undefined || isOwnHost
      : site === 'same-origin' || site === 'none';
  if (isOwn) return;

  throw new Problem(
    'forbidden_origin',
    'This form was not sent by a page of this gateway, so nothing was changed. If it was, set BASE_URL to the address of the gateway.',
  );
}

// The first `form-action` counts (Content Security Policy 3, section 2.2.1).
const policy = ["default-src 'none'", "style-src 'self'", "img-src 'self'", "form-action 'self'"];
const headers = {
  ...pageHeaders(policy, 'no-store'),
  // With `no-referrer`, browsers would send forms with `Origin: null`.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
};
