const availability = `
  domain
  unicodeName
  name
  tld
  available
  status
  confidence
  problem { code detail retryable retryAfter }
  source
  cached
  stale
  checkedAt
  latencyMs
` as const;

const contact = `
  roles handle kind name organization email phone fax url
  address { street city region postalCode country countryCode }
` as const;

const check = `query Check($domain: String!, $maxAge: Int) {
  domain(name: $domain, maxAge: $maxAge) { ${availability} }
}` as const;

const search =
  `subscription Search($name: String, $tlds: [String!], $domains: [String!], $maxAge: Int, $confirm: Confirm) {
  availability(name: $name, tlds: $tlds, domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${availability} }
}` as const;

const lookup = `query Lookup($domain: String!, $maxAge: Int) {
  domain(name: $domain, maxAge: $maxAge) {
    ${availability}
    registration: rdap {
      handle
      nameservers
      hosts { name ipv4 ipv6 }
      statuses
      registrar { name ianaId url abuseEmail abusePhone }
      registrant { ${contact} }
      contacts { ${contact} }
      createdAt
      updatedAt
      expiresAt
      dnssec { signed dsRecords { keyTag algorithm digestType digest } }
      redacted { name method reason }
      raw
    }
  }
}` as const;

/** All documents that the client sends. They never contain values: these are variables. */
export const documents = { check, search, lookup } as const;
