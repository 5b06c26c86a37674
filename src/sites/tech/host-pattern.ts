/**
 * Returns whether a host is a name or under it. In the name, a label `*` is any label, and `a-*` any
 * label that starts with `a-`.
 */
export function isUnder(host: string, name: string): boolean {
  if (!name.includes('*')) return host === name || host.endsWith(`.${name}`);
  const wanted = name.split('.');
  const labels = host.split('.').slice(-wanted.length);
  return (
    labels.length === wanted.length &&
    wanted.every((label, index) => isLabel(labels[index] ?? '', label))
  );
}

function isLabel(label: string, wanted: string): boolean {
  return wanted.endsWith('*') ? label.startsWith(wanted.slice(0, -1)) : label === wanted;
}
