import { html, prose, table, type Html } from './html.ts';

/** The prices that `src/accounts/prices.ts` computes. */
const prices: readonly (readonly [request: string, credits: string])[] = [
  [
    'One label under several TLDs: `/v1/status` with `name`, `domains(name, tlds)`, `availability(name, tlds)`',
    '1 per started block of 50 TLDs',
  ],
  [
    'Full names: bulk, `/v1/status` with `domain`, `domains(domains)`, `availability(domains)`, `nodes`',
    '1 for one name; for more, 1 + 0.5 per name, rounded up',
  ],
  ['A single name: `domain`, `node`', '1'],
  [
    'A record, instead of the above: `/v1/rdap`, lookups at `/rdap`; `rdap`, `registrarRdap` or `registrarProblem` selected; the ID of a record',
    '2 per name; 1 for a name with a verdict but no record (`no_rdap`)',
  ],
  [
    'An object besides names: `ip`, `autnum`, `entity`, `nameserver`, `/v1/rdap` with these types; `network`, `object` or `entity` selected below a record or an object',
    '2 per object that was answered, whether it was found or not',
  ],
  [
    '`.test`, sandbox objects, INVALID and UNSUPPORTED_TLD names, problems, introspection, `account`, `tlds`, IDs of TLDs, a 304 for which no registry was queried',
    '0',
  ],
  ['`/v1/tlds`, `/v1/coverage`', '0'],
];

/** Renders the prices of requests, and how they are charged, for the page `/docs`. */
export function pricesTable(): Html {
  const rows = prices.map((row) => row.map(prose));
  return html`<p>
      A key has a number of credits per calendar month (UTC). The price of a request is reserved
      before it runs. If too few credits are left, the response is 402
      <a href="docs/errors#insufficient_credits"><code>insufficient_credits</code></a> and nothing
      is looked up. Names without a verdict are refunded: the charge is the same formula over the
      names that got one. Cached answers cost the same as new ones. Callers without a key are not
      metered.
    </p>
    ${table('Prices', ['Request', 'Credits'], rows)}
    <p>
      Each name is charged once per operation, at the highest applicable price, and each object
      once. The number of <a href="docs/objects#prices-and-limits">objects</a> depends on the
      answers, so their price is reserved while the operation runs: if too few credits are left,
      only these objects have the problem <code>insufficient_credits</code>. If you close a stream
      early, you pay for the rows delivered and the lookups already sent.
    </p>
    <p>
      The headers <code>X-Credits-Requested</code>, <code>-Charged</code>,
      <code>-Refunded</code> and <code>-Remaining</code> report the cost of a request; GraphQL
      responses also have it in <code>extensions.cost</code>. The query
      <code>{ account { creditsRemaining resetsAt } }</code> returns the balance.
    </p>`;
}
