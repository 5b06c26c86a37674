// GraphiQL's default tabs. Lines have at most 50 characters: the editor fits them at 1280 pixels.
globalThis.examples = [
  `# Is a name available? If not, what are its
# nameservers? Press play, or Ctrl-Enter.
#
# The gateway has a sandbox registry for .test, so
# these examples work offline. The start of the
# label selects the result: taken, reserved,
# redemption, pending, slow, busy, down, html or
# hang. Any other name is available.
#
# If your gateway requires an API key, enter it
# below the result. "extensions" then shows the
# cost of each query.

query OneName {
  domain(name: "taken", tld: "test") {
    available
    rdap {
      nameservers
    }
  }
}
`,
  `# One label under many suffixes, or under a set of
# suffixes such as "@popular" or, here, "@test".
# For labels that start with "slow", the sandbox
# responds after 1.5 seconds.
#
# With @defer, the rows are sent immediately, and
# each verdict follows when it is available.
# Without it, the response is sent in one piece,
# after the last verdict.

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
  `# The same rows as events, in completion order.
# GraphiQL shows only the latest. The stream ends
# after the last row, or with the stop button.
#
# For a "busy" name, the registry returns 429 with
# "Retry-After: 1", and the gateway retries.

subscription StreamRows {
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
  `# The full registration data of a name. Null means
# not published, "redacted" lists the values that
# the registry withheld, and "raw" is the registry
# response as sent.

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
      registrant { ...ContactData }
      contacts { roles ...ContactData }
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

fragment ContactData on Contact {
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
  `# A list of full domain names, with one row each.
# An error affects only its own row. Here, one
# entry is not a valid name, one has an unsupported
# TLD, and the registry of another fails.
#
# "available" is true only if the registry proves
# it. Null means that no trustworthy answer was
# available; see "problem" for the reason.

query FullNames {
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
  `# The TLDs of a set, or all of them, 50 per page.
# "sources" shows where names are looked up, and
# "health" how the RDAP server has responded to
# this gateway. This query costs no credits.

query Catalogue {
  tlds(set: "@popular", first: 10) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes {
      label
      sources { source endpoint }
      provesAvailable
      health { queued retryAt p50Ms errorRate }
    }
  }
}
`,
];
