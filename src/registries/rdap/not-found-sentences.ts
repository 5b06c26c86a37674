/**
 * The sentences of RDAP errors that state something about a name, in lower case and without
 * punctuation: `[]` encloses optional words, `{}` a variable, NAME is the queried name and TLD its
 * suffix. A text counts only if it consists of these sentences. Add a sentence only if it cannot be
 * part of an error report: "unable to process the request, no data" says nothing about a name.
 */

/**
 * The values of each variable. The first one that matches is used, so a value that begins with
 * another one precedes it.
 */
export const variables: Readonly<Record<string, readonly string[]>> = {
  the: ['the', 'this', '[the] requested', '[the] queried', '[the] specified'],
  domain: ['domain name', 'domain', 'name'],
  object: ['(domain|registration|rdap) (name|object|data)', '{thing}'],
  thing: [
    'domain',
    'name',
    'object',
    'resource',
    'record',
    'data',
    'information',
    'entry',
    '{plural}',
  ],
  plural: ['entries', 'records', 'objects', 'results', 'matches', 'match'],
  find: ['could not find', 'cannot find', 'can not find', "couldn't find", 'unable to find'],
  doesNotExist: ['does not exist', "doesn't exist", 'no longer exists'],
  isNotRegistered: ['is not [currently] registered', "isn't registered", 'has not been registered'],
  where: [
    "in the registry or registrar's whois server",
    'in the rdap database of this server',
    'in {database}',
    '[in] zone TLD',
  ],
  database: ['{our} [registry|rdap] database', '{our} registry', 'TLD'],
  our: ['the', 'our', 'this', "the registry's"],
  query: ['your query', 'the query', 'that query', 'your search', 'the search criteria'],
  authority: [
    'the registry in accordance with icann policy',
    '[the] registry operator',
    '[the] [TLD] registry',
    '[registry] policy',
    'icann policy',
    '(icann|bsa|globalblock|dpml)',
    'a brand protection list',
  ],
};

/** Sentences which mean that the server looked for the name and does not have it. */
export const absent: readonly string[] = [
  'not found',
  'not found NAME',
  'nothing found',
  'notfound',
  'domainnotfound',
  'objectnotfound',
  '{object} not found [{where}]',
  '{object} not found NAME',
  '{object} NAME not found [{where}]',
  '{object} with (handle|ldhname|name) NAME not found',
  'NAME [was] not found [{where}]',
  'NAME could not be found [{where}]',
  'NAME no entries found',
  '[{the}] {object} [NAME] (was|is|were) not found [{where}]',
  '[{the}] {object} [NAME] (could not|cannot|can not) be found [{where}]',
  '[we] {find} [{the}|a] {object} [you requested|NAME] [{where}]',
  '[we] {find} NAME [{where}]',
  // RFC 2616 section 10.4.5, which several servers quote.
  'the server has not found anything matching the request-uri',
  // Sent by a server that calls each of its 404s an error. Without "not found", it may be one.
  'error processing request not found',

  '(no data|no match)',
  'no match for [domain] NAME',
  'no {object} found [{where}]',
  'no {object} (was|were) found [{where}]',
  'no {object} [was|were] found (matching|for|that match) {query}',
  'no {object} [found] for [domain|domain name] NAME',
  'no {object} [found] (matching|with ldhname|with name) NAME [was found]',
  'no entries found for the selected source [s]',
  'no information available about domain name NAME in the registry nask database',
  'no matching {object} [found]',
  'no such {object} [NAME] [{where}]',
  '[there are] no records matching {query}',
  'the query did not return any results',
  '(the query|your query|your search) returned (no|0) results',

  '[{the}] {object} [NAME] {doesNotExist} [{where}]',
  '{the} {object} you (requested|are looking for) {doesNotExist} [{where}]',
  'NAME {doesNotExist} [{where}]',
  'non-existent {domain} [NAME]',

  'not registered',
  '{domain} [NAME] not registered [{where}]',
  '[{the}] {domain} [NAME] {isNotRegistered} [{where}]',
  'NAME {isNotRegistered} [{where}]',
  '[{the}] {domain} [NAME] is free',
  'NAME is free',
  '[{the}] {domain} [NAME] is available for registration',
  'NAME is available for registration',

  '[http] [error|status|code] 404',
  '404 error',
];

/** Sentences that may accompany the others. */
export const additional: readonly string[] = [
  'domain [name] NAME',
  'sorry',
  'please check the spelling',
  'terms of (use|service)',
  '(for more information|additional information can be found) [please] (see|visit|at)',
];

/** Sentences which mean that the registry does not let anyone register the name. */
export const withheld: readonly string[] = [
  'registry reserved',
  '[status|domain status] (reserved|blocked)',
  'reserved {domain}',
  '[an] icann reserved name',
  'this is an icann reserved name',
  '(reserved|blocked) (by|for) {authority}',
  '[{the}] {domain} [NAME] [is|has been] (reserved|blocked) [(by|for) {authority}]',
  'NAME [is|has been] (reserved|blocked) [(by|for) {authority}]',
  '[and is|therefore this name is] (not available|unavailable) for registration',
  '[{the}] {domain} [NAME] is (not available|unavailable) for registration',
  'NAME is (not available|unavailable) for registration',
  '[this is a] dpml block',
  'this name subscribes to the (adultblock|uni eps) product',
  'the registration of this domain is restricted',
  'as it is protected by the donuts dpml brand protection policy',
  'prohibited (name|string)',
  'object cannot be registered',
];
