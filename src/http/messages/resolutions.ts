import type { ProblemCode } from '../../domain/problems.ts';

/** How a client fixes each problem, in a sentence or two. */
export const resolutions = {
  missing_parameter:
    'Provide a value for the parameter named in `param`. An empty value counts as missing.',
  invalid_parameter:
    'Check the parameter named in `param`: it is repeated although it takes one value, does not belong to this form of the call, or has an unsupported value. Use one form of the call, and give each parameter once.',
  invalid_name:
    'Send one label under a suffix that a registry serves, such as `example.com` or `example.co.uk`. URLs, IP addresses, deeper names (`www.example.com`), suffixes alone, and characters that domain names cannot contain, such as typographic hyphens, are not accepted.',
  invalid_max_age:
    'Send a whole number of seconds, 0 or more. `0` queries the registry; `2592000` prefers stored answers.',
  invalid_naming:
    'Send `snake` (upper and lower case are equivalent), or omit `naming` and the header `Service-Naming`.',
  invalid_body:
    'Send a JSON object as described in the reference. `errors` lists each invalid field.',
  too_many_tlds: 'Split the call. `detail` states how many TLDs or names one call may have.',
  too_many_lookups: 'Split the call. `detail` states how many names one call may have.',
  invalid_query:
    'Fix the GraphQL document or its variables. The schema, and GraphiQL at `/graphql`, show the valid fields.',
  persisted_query_not_found:
    'Send the same request with the query beside its hash, which registers it. Client libraries do this automatically when they see the message `PersistedQueryNotFound`.',
  malformed_request:
    'The request is not valid HTTP/1.1. Check the client, and any proxy between it and the gateway.',
  query_too_large:
    'Split the GraphQL operation, or select fewer fields. `detail` states which limit it exceeds.',
  unsupported_tld:
    'Check the spelling: this is not a TLD, or the operator of the gateway has disabled its sources. For a TLD that is not in the root zone, the operator can add a source in `SOURCES_FILE`.',
  special_use:
    'The address or AS number is reserved, for example for private networks, so no registry has it. `detail` states the use and the RFC. Nothing was looked up.',
  no_registry:
    'No RDAP server is known for this address, AS number or handle: it is not assigned to any registry. A handle must end with the tag of its registry, such as `-ARIN`, or be looked up at a known server.',
  no_rdap:
    'Not an error: there is a verdict, from the registry’s availability service, its WHOIS server or the DNS, but no record, because no RDAP server is known for the TLD or it returned none. `detail` says which. The response is a 200, at `/rdap` a 501, and costs as much as a name without its registration.',
  missing_api_key:
    'Send a key in `X-API-Key`, or as `Authorization: Bearer`. The operator of the gateway creates keys.',
  invalid_api_key:
    'The key is mistyped, expired, revoked or replaced. Compare it with the key you received, or request a new one from the operator.',
  insufficient_credits:
    'Nothing was looked up. Wait for the next month (`resets_at`), request fewer names, or ask the operator for more credits.',
  forbidden_operation:
    'The key is limited to listed GraphQL documents. Send one of them to `/graphql`, use a key without this limit, or have the operator add the document with `keys set --documents`.',
  forbidden_origin:
    'The key works only for requests from certain web pages, or `/mcp` was called from a page of an origin that is not in `CORS_ORIGINS`. Send the request from an allowed page, or without a browser.',
  not_found:
    'Compare the path with the reference. Paths are lower case and have no trailing slash. At `/rdap`, the registry has no such object.',
  method_not_allowed: 'Use a method that the `Allow` header lists.',
  not_acceptable:
    'Accept `application/json`, or another media type that the reference lists for this path.',
  request_timeout: 'The request was not received completely in time. Send it again.',
  idempotency_conflict:
    'Use a new `Idempotency-Key` for a new body. A key belongs to the first body sent with it, for 24 hours.',
  payload_too_large:
    'Send a shorter body. `detail` states the maximum. Split a long list into several calls.',
  unsupported_media_type:
    'Send the body as `Content-Type: application/json`, in UTF-8, without `Content-Encoding`.',
  headers_too_large:
    'Send shorter headers, fewer cookies or a shorter URL. Use a bulk call for long lists.',
  rate_limited:
    'Wait the number of seconds in `Retry-After`. A full minute’s quota may be sent at once; after that it refills evenly. `X-RateLimit-Remaining` is the number of requests left. Request many names in one call rather than in many. Requests that cost no credits are also limited by the number of names in them.',
  internal:
    'This is a fault of the gateway. Retry later. If it persists, give the operator the `request_id`, which is also in the log.',
  not_implemented:
    'The operator has disabled this lookup (`SITE_LOOKUPS=off`) or has not configured it (`CT_SEARCH_URL`); `detail` says which. At `/rdap`, this is a search, or a redirect for a TLD without an RDAP server. Retrying does not help.',
  registry_error:
    'The registry was unreachable, failed, or rejected the request. Retry in a minute, unless `retryable` is false: the same failure is returned for 5 seconds. This does not mean that the name is available.',
  untrusted_answer:
    'The registry’s response proves nothing, for example a web page instead of RDAP. Retry later. This does not mean that the name is available.',
  whois_unclear:
    'The WHOIS server of the registry sent a reply in another form than expected, so it states nothing about the name. If this persists, the form has probably changed: report it as a bug.',
  contradicted:
    'The registry reports the name as unregistered, but the zone of the TLD contains it. This is common shortly after a registration or a deletion: zones are published at intervals, from minutes to half a day. Retry later. It does not mean that the name is available.',
  not_delegated:
    'No registry of this TLD can be queried, and its zone does not delegate the name. A registered name need not be delegated, so this does not mean that the name is available.',
  registry_busy:
    'The registry, or the gateway’s queue for it, accepts no more requests now, too many of your lookups at this registry failed in the last minute, or your share of its requests per day is used. Wait the number of seconds in `Retry-After`.',
  site_unreachable:
    'Retry later, and check the name: it may have no address, no server, or a certificate that is not valid.',
  site_blocked:
    'Do not retry: robots.txt disallows the page, the server refused the request, or the name does not resolve to a public address.',
  site_timeout: 'Retry later. The site did not respond within the time limit.',
  ct_unavailable:
    'The search of Certificate Transparency logs failed, or accepts no more requests now. Wait the number of seconds in `Retry-After`. Credits are refunded.',
  overloaded:
    'The gateway is overloaded, or your address or key has 500 requests in flight. Wait the number of seconds in `Retry-After`. Under overload, the connection is closed after the response, which has no request ID and no deprecation headers.',
  unavailable:
    'Credit accounting is temporarily unavailable, and nothing was looked up. Wait the number of seconds in `Retry-After`.',
  registry_timeout:
    'The registry did not respond in time. Retry later: the same failure is returned for 5 seconds.',
} as const satisfies Record<ProblemCode, string>;
