import { html, prose, table, type Html } from './html.ts';

/** What a call costs, as the README has it too; `src/accounts/prices.ts` counts it. */
const prices: readonly (readonly [what: string, credits: string])[] = [
  [
    'one label under TLDs: `/v1/status` with `name`, `domains(name, tlds)`, `availability(name, tlds)`',
    '1 for each 50 TLDs begun',
  ],
  [
    'whole names: bulk, `/v1/status` with `domain`, `domains(domains)`, `availability(domains)`, `nodes`',
    '1 for one name; for more, 1 and half a credit a name, rounded up',
  ],
  ['one name: `domain`, `node`', '1'],
  [
    'its record: `/v1/rdap`, or `rdap`, `registrarRdap` or `registrarProblem` selected, or the id of a record, in place of the above',
    '2 a name',
  ],
  [
    '`.test`, INVALID and UNSUPPORTED_TLD names, problems, introspection, `account`, `tlds`, ids of TLDs, a 304 for which no registry was queried',
    '0',
  ],
  ['`/v1/tlds`, `/v1/coverage`', '0'],
];

/** The prices, and what they are taken of. */
export function pricesTable(): Html {
  const rows = prices.map((row) => row.map(prose));
  return html`<p>
      A key has so many credits a calendar month, in UTC. The price is set aside before anything
      runs, or the call is refused with 402
      <a href="docs/errors#insufficient_credits"><code>insufficient_credits</code></a> and nothing
      is looked up; what got no verdict is given back. An answer from the store costs the same.
      Callers without a key are not metered.
    </p>
    ${table('What a call costs', ['What is asked', 'Credits'], rows)}
    <p>
      A name is charged once an operation, where it is dearest. The headers
      <code>X-Credits-Requested</code>, <code>-Charged</code>, <code>-Refunded</code> and
      <code>-Remaining</code> say what a call came to, in GraphQL <code>extensions.cost</code> too;
      <code>{ account { creditsRemaining resetsAt } }</code> asks what is left.
    </p>`;
}
