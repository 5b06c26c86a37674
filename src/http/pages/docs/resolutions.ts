import type { ProblemCode } from '../../../domain/problems.ts';

/** What somebody who meets a problem can do about it: a sentence or two a code. */
export const resolutions = {
  missing_parameter:
    'Give the parameter that `param` names a value. An empty value counts as none.',
  invalid_parameter:
    'Look at `param`: it is given more than once where one value is wanted, it belongs to another form of the call than the rest, or its value is not one that it takes. Give one form of the call, each parameter once.',
  invalid_name:
    'Give one label under a suffix that a registry serves, such as `example.com` or `example.co.uk`: no URL, no address, no name one level deeper (`www.example.com`), no suffix alone.',
  invalid_max_age:
    'Give a whole number of seconds, 0 or more. `0` asks the registry; `2592000` prefers what is stored.',
  invalid_naming:
    'Give `snake` (upper and lower case are the same), or leave `naming` and the header `Service-Naming` out.',
  invalid_body:
    'Send a JSON object as the reference describes it. `errors` names each member that is wrong.',
  too_many_tlds: 'Split the call: `detail` says how many TLDs or names one call takes.',
  too_many_lookups: 'Split the call: `detail` says how many names one call takes.',
  invalid_query:
    'Mend the GraphQL document, or its variables. The schema, and GraphiQL at `/graphql`, show what may be asked.',
  persisted_query_not_found:
    'Send the same request with the query beside its hash: that registers it. Client libraries do so by themselves; they recognise the message `PersistedQueryNotFound`.',
  malformed_request:
    'What arrived is not HTTP/1.1. Look at the client, or at a proxy between it and the gateway.',
  query_too_large:
    'Split the GraphQL operation: fewer tokens, fields, aliases, directives or levels, and each field once. `detail` says which limit it meets.',
  unsupported_tld:
    'No RDAP server is known for this TLD, so nobody can be asked. Whoever runs the gateway can name one in `RDAP_OVERRIDES`.',
  missing_api_key:
    'Send a key in `X-API-Key`, or as `Authorization: Bearer`. Whoever runs the gateway hands them out.',
  invalid_api_key:
    'The key is mistyped, revoked or replaced. Compare it with the one that you were given, or ask for another.',
  insufficient_credits:
    'Nothing was looked up. Wait for the next month (`resets_at`), ask for fewer names, or ask whoever runs the gateway for more credits.',
  forbidden_origin:
    'The key was made for certain web pages and this request comes from elsewhere. Call from those pages, or use a key made without an origin.',
  not_found:
    'Compare the path with the reference: paths are in lower case and without a final slash.',
  method_not_allowed: 'Use a method that the `Allow` header lists.',
  not_acceptable:
    'Accept `application/json`, or a media type that the reference names for this path.',
  request_timeout: 'The request did not arrive whole in time. Send it again.',
  idempotency_conflict:
    'Use a new `Idempotency-Key` for a new body; the old key belongs to the body that it was first answered with, for 24 hours.',
  payload_too_large:
    'Send a shorter body: `detail` says how long it may be. Split a long list over several calls.',
  unsupported_media_type:
    'Send the body as `Content-Type: application/json`, in UTF-8, without `Content-Encoding`.',
  headers_too_large:
    'Send shorter headers, fewer cookies, or a shorter URL; long lists belong into a bulk call.',
  rate_limited:
    'Wait as many seconds as `Retry-After` says. A minute’s requests may be sent at once, the following ones evenly; `X-RateLimit-Remaining` says how many are left. Request many names in one call rather than in many. Requests that cost no credits are also limited by the number of names in them.',
  internal:
    'The fault is ours. Try again later; if it stays, quote the `request_id` to whoever runs the gateway: it stands in the log.',
  not_implemented:
    'The path is part of the API, but this gateway does not serve it. Trying again will not help.',
  registry_error:
    'The registry could not be reached, failed, or refused. Try again in a minute; the same failure is returned for 5 seconds. It says nothing about whether the name is free.',
  untrusted_answer:
    'The registry sent something that proves nothing, such as a web page where RDAP was due. Try again later, and do not take it for "free".',
  registry_busy:
    'The registry, or the queue in front of it, accepts no more requests now, or too many of your lookups at this registry failed in the last minute. Wait as many seconds as `Retry-After` says.',
  overloaded:
    'The gateway has more to do than it can, or your address or key has 500 requests in flight. Wait as many seconds as `Retry-After` says. Under overload, the connection is closed after the response, which has no request ID and no headers of deprecated parameters.',
  unavailable:
    'Credits cannot be counted now, and nothing was looked up. Wait as many seconds as `Retry-After` says.',
  registry_timeout:
    'The registry did not answer in time. Try again: an answer that comes late is kept for the next who asks.',
} as const satisfies Record<ProblemCode, string>;
