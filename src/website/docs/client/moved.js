/** The sections that have moved to another page: their anchors, by the old and the new page. */
export const moved = {
  operations: {
    deployment: [
      'choosing-a-store',
      'npm',
      'nodejs-versions',
      'docker',
      'docker-compose',
      'systemd',
      'kubernetes',
      'behind-a-proxy',
      'network-access',
      'clustering',
      'rate-limits-of-registries',
    ],
    capacity: ['capacity-planning'],
  },
  reliability: {
    verdicts: ['dns', 'availability-services-and-whois', 'rdap', 'canaries', 'contradictions'],
  },
};

/** Returns the new address of a section relative to its old page, or undefined. */
export function movedTo(page, anchor) {
  const targets = Object.entries(moved[page] ?? {});
  const [target] = targets.find(([, anchors]) => anchors.includes(anchor)) ?? [];
  return target && `${target}#${anchor}`;
}
