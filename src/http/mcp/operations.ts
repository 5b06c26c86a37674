import { objectOperations } from '../rest/objects.ts';
import { registrationSelection } from '../rest/selections.ts';

// A test validates these operations. The aliases are the keys of the structured content.
const verdict =
  'domain available status confidence source checked_at: checkedAt cached stale reason cautions { code detail }';

/** Looks up one label under several TLDs, or full names. */
const check = `query Check($name: String, $tlds: [String!], $domains: [String!], $maxAge: Int, $confirm: Confirm) {
  domains(name: $name, tlds: $tlds, domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${verdict} registrable_name: registrableName problem { detail } }
}`;

/** Looks up one name with its registration, without the registry's own object. */
const lookup = `query Lookup($domain: String!, $maxAge: Int) {
  domain(name: $domain, maxAge: $maxAge) {
    ${verdict}
    unicode_name: unicodeName
    problem { code detail retryable retry_after: retryAfter }
    registration { ${registrationSelection} }
  }
}`;

/** Lists TLDs with their sources. */
const tlds = `query Tlds($search: String, $set: String, $after: String, $first: Int) {
  tlds(search: $search, set: $set, after: $after, first: $first) {
    total: totalCount
    page: pageInfo { hasNextPage endCursor }
    tlds: nodes { tld: label unicode: unicodeLabel sources { source } proves_available: provesAvailable policy rdap }
  }
}`;

/** Returns the balance of the caller. */
const account = `query Account {
  account {
    name
    credits_limit: creditsLimit
    credits_used: creditsUsed
    credits_remaining: creditsRemaining
    resets_at: resetsAt
  }
}`;

/** The saved operations that the tools run, by name. */
export const mcpOperations = { check, lookup, tlds, account, ...objectOperations };
