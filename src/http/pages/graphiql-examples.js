// GraphiQL's first tabs. Lines of at most 50 characters: in a window of 1280 pixels the editor shows no more.
globalThis.examples = [
  `# Is a name free? If not, what are its name
# servers? Press the play button, or Ctrl-Enter.
#
# A registry inside this gateway answers for
# .test, so every example here works anywhere,
# with no network. The label's first part decides:
# taken, reserved, redemption, pending, slow,
# busy, down, html, hang. Any other name is free.
#
# If your gateway wants an API key, give it below
# the answer; "extensions" then tells what a query
# cost.

query OneName {
  domain(name: "taken", tld: "test") {
    available
    rdap {
      nameservers
    }
  }
}
`,
  `# One label under many suffixes, or a named set of
# them, such as "@popular"; "@test" are four of
# .test. Where the label begins with "slow", the
# registry takes 1.5 seconds.
#
# With @defer the rows are here at once, and each
# verdict as soon as it is known. Without it, the
# answer comes in one piece, when the last verdict
# is in.

query Search {
  domains(name: "slow-idea", tlds: ["@test"]) {
    domain
    ... @defer {
      available
      status
    }
  }
}
`,
  `# The same rows as events, in the order in which
# they become known; GraphiQL shows the latest
# only. The stream ends with the last row, or with
# the stop button.
#
# Of a "busy" name the registry says "not now, ask
# again in a second", and the gateway does.

subscription AsKnown {
  availability(
    domains: [
      "slow-idea.test"
      "busy-idea.test"
      "idea.test"
      "taken.test"
    ]
  ) {
    domain
    available
    latencyMs
  }
}
`,
  `# All that a registry tells of a name. Null is
# what it did not publish, "redacted" says what it
# left out on purpose, and "raw" is its own answer
# as it was sent.

query FullRecord {
  domain(name: "taken.shop.test") {
    status
    phase
    cached
    checkedAt
    rdap {
      handle
      statuses
      createdAt
      updatedAt
      expiresAt
      registrar {
        name
        ianaId
        url
        abuseEmail
        abusePhone
      }
      registrant { ...Person }
      contacts { roles ...Person }
      hosts { name ipv4 ipv6 }
      dnssec {
        signed
        dsRecords {
          keyTag
          algorithm
          digestType
          digest
        }
      }
      redacted { name method reason }
      raw
    }
  }
}

fragment Person on Contact {
  name
  organization
  email
  phone
  address {
    street
    city
    region
    postalCode
    countryCode
  }
}
`,
  `# Whole names in one list, a row each. An entry at
# fault says so in its own row and harms no other:
# one here is no name, one has a TLD without a
# registry, and for one the registry fails.
#
# "available" is true only on a registry's word.
# Null means that there is no trustworthy answer;
# "problem" says why, and whether to try again.

query WholeNames {
  domains(
    domains: [
      "bücher.test"
      "taken.test"
      "reserved.test"
      "redemption.test"
      "not a name"
      "example.invalid"
      "down.test"
    ]
  ) {
    domain
    unicodeName
    available
    status
    problem { code detail retryable retryAfter }
  }
}
`,
  `# What can be asked: the TLDs of a set, or all of
# them, fifty a page. "rdap" says whether a server
# is known, "health" how it has been doing since
# this gateway first asked it. This costs nothing.

query Catalogue {
  tlds(set: "@popular", first: 10) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes {
      label
      rdap
      registryHost
      health { queued retryAt p50Ms errorRate }
    }
  }
}
`,
];
