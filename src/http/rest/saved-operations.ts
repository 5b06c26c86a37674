import { problemSelection } from '../messages/lookup-problem.ts';
import { registrationSelection } from './selections.ts';

// A test validates these operations: validating them at startup took a tenth of the startup time.

// The aliases are the keys of the REST bodies, so results need no renaming.
const row = `
  domain
  available
  status
  confidence
  source
  rdap_endpoint: rdapEndpoint
  cached
  stale
  checked_at: checkedAt
  latency_ms: latencyMs
  reason
`;

const statusRow = `domain tld ${row} problem { detail }`;

/** Looks up one label under several TLDs, or full names. */
export const statusOperation = `query Status($name: String, $tlds: [String!], $domains: [String!], $maxAge: Int, $confirm: Confirm, $budgetMs: Int) {
  domains(name: $name, tlds: $tlds, domains: $domains, maxAge: $maxAge, confirm: $confirm, budgetMs: $budgetMs) { ${statusRow} }
}`;

/** Looks up full names, and streams the rows as they arrive. */
export const statusStreamOperation = `subscription StatusStream($domains: [String!], $maxAge: Int, $confirm: Confirm) {
  availability(domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${statusRow} }
}`;

/** Looks up one name with its registration. */
export const rdapOperation = `query Rdap($domain: String!, $maxAge: Int) {
  domain(name: $domain, maxAge: $maxAge) {
    ${row}
    ${problemSelection}
    rdap {
      ${registrationSelection}
      raw
    }
  }
}`;
