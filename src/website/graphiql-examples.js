// GraphiQL's default tabs. Lines have at most 50 characters: the editor fits them at 1280 pixels.
globalThis.examples = [
  {
    query: `# Is a name available? If not, what are its
# nameservers? This query ran when the page was
# loaded; press play, or Ctrl-Enter, to repeat it.
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
  },
  {
    query: `# A client sends the values separately from the
# document: see the editor "Variables" below. The
# document then stays the same for every search.

query Variables(
  $name: String!
  $tlds: [String!]!
) {
  domains(name: $name, tlds: $tlds) {
    domain
    available
  }
}
`,
    variables: '{ "name": "idea", "tlds": ["test", "shop.test"] }',
  },
  {
    query: `# One label under many suffixes, or under a set of
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
  },
  {
    query: `# The same rows as events, in completion order.
# GraphiQL adds each to the list that it shows.
# The stream ends after the last row, or with the
# stop button.
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
  },
  {
    query: `# A search box must not wait for slow registries.
# After "budgetMs" milliseconds, rows without an
# answer are PENDING, and their lookups continue.
# Run the query again after two seconds to see the
# result.

query TimeBudget {
  domains(
    name: "slow-search"
    tlds: ["test", "shop.test"]
    budgetMs: 300
  ) {
    domain
    status
  }
}
`,
  },
  {
    query: `# The full registration data of a name. Null means
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
  },
  {
    query: `# The record at the registrar, to which the record
# of the registry links. This is a second lookup,
# so it is deferred here. The sandbox has no
# registrars: replace the name by a registered one
# under .com to see a record.

query RegistrarRecord {
  domain(name: "taken.test") {
    rdap { registrar { name } }
    ... @defer {
      registrarRdap {
        expiresAt
        registrar { name abuseEmail }
        contacts { roles name organization }
      }
      registrarProblem { code detail }
    }
  }
}
`,
  },
  {
    query: `# From a name to the networks of its nameservers
# and to their holders. Each network is looked up
# at its regional registry, once per operation, and
# costs credits; here, they are in the sandbox.
#
# A failed lookup is not an error: "found" is then
# null, and "problem" says why.

query Networks {
  domain(name: "taken.test") {
    rdap {
      hosts {
        name
        addresses {
          ip
          network {
            found
            problem { code detail }
            name
            cidr
            country
            entities {
              roles
              handle
              contact { name }
            }
          }
        }
      }
    }
  }
}
`,
  },
  {
    query: `# The smallest registered network that contains an
# address or a network, such as "192.0.2.0/24".
#
# "entity" looks up the registry's own object of a
# contact, with everything else that it holds.

query Address {
  ip(address: "192.0.2.53") {
    found
    rdapEndpoint
    handle
    startAddress
    endAddress
    cidr
    name
    country
    entities {
      roles
      handle
      entity {
        networks { cidr name }
        autnums { startNumber }
      }
    }
  }
}
`,
  },
  {
    query: `# The holder of an autonomous system number. The
# sandbox has AS64496 to AS64511; AS64500 is not
# allocated, so "found" is false.

query AutonomousSystem {
  autnum(number: 64496) {
    found
    startNumber
    endNumber
    name
    country
    entities { roles handle contact { name } }
  }
  notAllocated: autnum(number: "AS64500") {
    found
  }
}
`,
  },
  {
    query: `# A person or an organization. The end of a handle
# names its registry, such as "-RIPE" or, here,
# "-SANDBOX". For any other handle, pass the "tld"
# whose registry assigned it.

query Entity {
  entity(handle: "EXAMPLE-DNS-SANDBOX") {
    found
    contact { name email address { city } }
    networks { cidr name }
    autnums { startNumber name }
  }
  registrar: entity(
    handle: "9999-SANDBOX"
    tld: "test"
  ) {
    found
    contact { name url }
    publicIds { type identifier }
  }
}
`,
  },
  {
    query: `# What a verdict is based on: the response of the
# registry, and every request that was sent. For
# "html" names, the sandbox returns a web page with
# status 404, which proves nothing.

query Evidence {
  domain(name: "html.test") {
    status
    problem { code detail }
    evidence {
      httpStatus
      mediaType
      unproven
      attempts { phase ms code }
    }
  }
}
`,
  },
  {
    query: `# A list of full domain names, with one row each.
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
  },
  {
    query: `# What a site declares and shows. Each field reads
# the site and has its own price; none looks up the
# registration. Scan TLS with "tls".

query Site {
  site(host: "www.taken.test") {
    robots { access sitemaps }
    page { title fetchState }
    identity { organization { value source } }
    technologies { technologies { name version } }
    agentSignals { signals { name status } }
    dns { a aaaa mx { exchange } txt }
    forSale { forSale }
  }
}
`,
  },
  {
    query: `# The TLDs of a set, or all of them, 50 per page.
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
  },
  {
    query: `# The account of the API key, with its credits for
# this month. Null without a key. Costs no credits.

query Account {
  account {
    name
    creditsLimit
    creditsUsed
    creditsRemaining
    resetsAt
  }
}
`,
  },
];
