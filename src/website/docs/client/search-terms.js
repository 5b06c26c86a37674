// The words of a text, as the search of the documentation indexes them. Has no access to the page.

/** Words that readers search for, by the word that the guides use instead. */
export const synonyms = {
  'a-label': ['punycode', 'idn'],
  'a-labels': ['punycode', 'idn'],
  'u-labels': ['punycode', 'idn', 'umlaut'],
  unicode: ['punycode', 'idn'],
  idna: ['punycode', 'idn'],
  internationalized: ['idn', 'punycode'],
  privacy: ['gdpr', 'ccpa', 'dsgvo', 'lgpd'],
  portfolio: ['watch', 'monitor'],
  watch: ['notify', 'alert', 'expires'],
  watches: ['notify', 'alert', 'expires'],
  prices: ['price', 'cost', 'billing', 'much'],
  opentelemetry: ['telemetry', 'otel', 'otlp'],
  server: ['port', 'listen', 'change'],
  webhooks: ['webhook', 'notify'],
  proxy: ['nginx', 'caddy'],
  oauth: ['login', 'sso', 'oidc'],
  proves: ['proved', 'proof'],
  react: ['apollo', 'urql', 'hook', 'component'],
  redacted: ['gdpr'],
  outgoing: ['proxy', 'corporate', 'company', 'https_proxy', 'http_proxy', 'no_proxy', 'firewall'],
  outbound_proxy: ['https_proxy', 'http_proxy', 'no_proxy', 'corporate', 'company', 'outgoing'],
  expiry: ['watch', 'monitor', 'notify', 'alert'],
  kubernetes: ['k8s', 'helm'],
  compose: ['container', 'containers'],
  docker: ['container', 'containers'],
  postgresql: ['postgres', 'pg'],
  credits: ['cost', 'quota', 'billing'],
  tls: ['ssl', 'https'],
  key: ['token', 'auth', 'authentication'],
  keys: ['token', 'tokens', 'auth', 'authentication'],
  sandbox: ['mock', 'fake', 'offline'],
  limit: ['throttle', 'throttling', '429'],
  available: ['free', 'unregistered'],
  subscription: ['stream', 'streaming', 'sse', 'websocket'],
  unknown: ['null', 'missing'],
};

/** Returns the words of a text in lower case, and the parts of those like `max_age` and `A-label`. */
export function termsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu) ?? [];
  return words.flatMap((word) => {
    const parts = partsOf(word);
    return parts.length > 1 ? [word, ...parts] : parts;
  });
}

/** Returns the words of a query, in parts, without those that say nothing, unless there are no others. */
export function wordsOf(query) {
  const words = partsOf(query);
  const telling = words.filter((word) => !stopWords.has(word));
  return telling.length > 0 ? telling : words;
}

const stopWords = new Set(
  'a an and are be can do does for from how i in is it my of on or that the to what when where which who why will with'.split(
    ' ',
  ),
);

function partsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
