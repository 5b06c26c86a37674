/**
 * Returns a bootstrap document from a compact table: base URLs → entries, both separated by white
 * space. `publication` is the date of IANA's document; null if the table is not a copy of one.
 */
export function table(
  publication: string | null,
  services: Readonly<Record<string, string>>,
): object {
  return {
    version: '1.0',
    publication,
    services: Object.entries(services).map(([urls, entries]) => [
      entries.trim().split(/\s+/),
      urls.split(' '),
    ]),
  };
}
