/** Value of `DOCS_URL`, so that the link does not depend on the gateway's address. */
export const docsUrl = 'https://docs.example';

/** The three headers of a response to a request with a deprecated alias. */
export const deprecated = {
  deprecation: '@1791590400',
  sunset: 'Sun, 10 Oct 2027 00:00:00 GMT',
  link: '<https://docs.example/versioning#deprecated-aliases>; rel="deprecation"; type="text/html"',
};

/** The same headers of any other response. */
export const notDeprecated = { deprecation: null, sunset: null, link: null };

/** Returns the three deprecation headers of a response. A link to the next page is not one. */
export function deprecationIn({ headers }: Response): Record<string, string | null> {
  const valueOf = (name: string) => headers.get(name)?.replace(/^<[^>]*>; rel="next"$/, '') || null;
  return Object.fromEntries(Object.keys(notDeprecated).map((name) => [name, valueOf(name)]));
}
