import { objectOperations } from '../rest/objects.ts';
import { registrationSelection } from '../rest/selections.ts';

// A test validates these operations. The aliases are the keys of the structured content.
const verdict =
  'domain available status confidence source checked_at: checkedAt cached stale reason cautions { code detail }';

/** Looks up one label under several TLDs, or full names. */
const check = `query Check($name: String, $tlds: [String!], $domains: [String!], $maxAge: Int, $confirm: Confirm) {
  domains(name: $name, tlds: $tlds, domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${verdict} registrable_name: registrableName problem { code detail } }
}`;

/** Returns the name to which a text belongs, such as a URL. Nothing is looked up. */
const correct = `query Correct($domains: [String!]) {
  domains(domains: $domains) { registrable_name: registrableName }
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
const tlds = `query Tlds($search: String, $set: String, $policy: [TldPolicy!], $proves_available: Boolean, $after: String, $first: Int) {
  tlds(search: $search, set: $set, policy: $policy, provesAvailable: $proves_available, after: $after, first: $first) {
    total: totalCount
    page: pageInfo { hasNextPage endCursor }
    tlds: nodes { tld: label unicode: unicodeLabel sources { source } proves_available: provesAvailable policy policy_detail: policyDetail rdap }
  }
}`;

const read = 'checked_at: checkedAt cached problem { code detail }';

/** Reads the parts of a site whose variable is true. */
const inspect = `query Inspect($host: String, $url: String, $maxAge: Int, $robots: Boolean!, $dns: Boolean!, $tls: Boolean!, $page: Boolean!, $signals: Boolean!) {
  site(host: $host, url: $url) {
    robots(maxAge: $maxAge) @include(if: $robots) { ${read} http_status: httpStatus access groups { user_agents: userAgents rules { type path } } sitemaps truncated }
    dns(maxAge: $maxAge) @include(if: $dns) { ${read} exists a aaaa cname mx { priority exchange } ns txt caa { tag value } }
    tls(maxAge: $maxAge) @include(if: $tls) { ${read} trusted trust_error: trustError matches_host: matchesHost protocols { version offered } certificates { subject issuer names not_before: notBefore not_after: notAfter } findings { severity finding } }
    page(maxAge: $maxAge) @include(if: $page) { ${read} final_url: finalUrl http_status: httpStatus fetch_state: fetchState title description language redirects { url } robots { indexable } security_headers: securityHeaders social_profiles: socialProfiles { platform url } }
    signals: agentSignals(maxAge: $maxAge) @include(if: $signals) { ${read} outcome signals { name status evidence } }
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
export const mcpOperations = {
  check,
  correct,
  lookup,
  tlds,
  inspect,
  account,
  ...objectOperations,
};
