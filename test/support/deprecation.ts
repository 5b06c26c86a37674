/** For `DOCS_URL`, so that the link is the same wherever the gateway listens. */
export const docsUrl = 'https://docs.example';

/** The three headers of an answer to a request that uses an old name. */
export const deprecated = {
  deprecation: '@1791590400',
  sunset: 'Sun, 10 Oct 2027 00:00:00 GMT',
  link: '<https://docs.example/versioning#deprecated-aliases>; rel="deprecation"; type="text/html"',
};

export const notDeprecated = { deprecation: null, sunset: null, link: null };

export function deprecationIn({ headers }: Response): Record<string, string | null> {
  return Object.fromEntries(Object.keys(notDeprecated).map((name) => [name, headers.get(name)]));
}
