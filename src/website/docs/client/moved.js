const verdictRules = [
  'dns',
  'availability-services-and-whois',
  'rdap',
  'canaries',
  'contradictions',
];

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
    'registry-terms': ['limits', 'whois-servers'],
  },
  reliability: { 'verdict-rules': verdictRules },
  verdicts: { 'verdict-rules': verdictRules },
  'graphql-guide': {
    registrations: ['timelines', 'registrations-from-whois'],
    federation: [
      'keys',
      'a-second-subgraph',
      'composition',
      'apollo-gateway',
      'apollo-router',
      'hive-gateway',
      'what-the-router-sends',
    ],
  },
  configuration: {
    files: [
      'price-list',
      'overrides',
      'sources-file',
      'expiry-file',
      'whois-servers',
      'limits-of-hosts',
    ],
  },
  capacity: { benchmarks: ['results', 'how-cost-grows', 'notes'] },
  receipts: {
    'receipt-format': ['exchanges', 'facts', 'a-verifier-of-your-own', 'rules', 'findings'],
  },
  objects: {
    'rdap-endpoint': ['objects', 'errors', 'redirects', 'clients'],
    'rdap-objects': ['which-server-answers', 'following-links'],
  },
  'site-lookups': {
    sandbox: ['the-sites-of-the-sandbox'],
    'site-differences': ['differences-from-the-public-api'],
  },
  watches: { probe: ['scrape-configuration', 'alerts'] },
};

/** Returns the new address of a section relative to its old page, or undefined. */
export function movedTo(page, anchor) {
  const targets = Object.entries(moved[page] ?? {});
  const [target] = targets.find(([, anchors]) => anchors.includes(anchor)) ?? [];
  return target && `${target}#${anchor}`;
}
