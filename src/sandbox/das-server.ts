/** Statuses by the prefix of the label, in the words of the .lt registry. */
const statuses: Readonly<Record<string, string>> = {
  taken: 'registered',
  reserved: 'reserved',
  redemption: 'pendingDelete',
  pending: 'pendingRelease',
};

/**
 * Returns the reply of the availability service, which has the format of the .lt registry: the query
 * is `get 1.0 NAME`, and the reply states the name and its status.
 */
export function sandboxDasReply(query: string): string {
  const [, name] = /^get 1\.0 (\S+)$/.exec(query) ?? [];
  if (name === undefined) return '% Use: get 1.0 NAME\n';
  const [, status = 'available'] =
    Object.entries(statuses).find(([prefix]) => name.startsWith(prefix)) ?? [];
  return `% Availability service of the .test sandbox\nDomain: ${name}\nStatus: ${status}\n`;
}
