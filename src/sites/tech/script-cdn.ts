import type { Product } from './technology-rule.ts';

export const scriptCdnProducts: readonly Product[] = [
  {
    id: 'jsdelivr',
    name: 'jsDelivr',
    rules: [{ scriptHost: 'cdn.jsdelivr.net' }, { linkHost: 'cdn.jsdelivr.net' }],
  },
  {
    id: 'unpkg',
    name: 'UNPKG',
    rules: [{ scriptHost: 'unpkg.com' }, { linkHost: 'unpkg.com' }],
  },
  {
    id: 'cdnjs',
    name: 'cdnjs',
    rules: [{ scriptHost: 'cdnjs.cloudflare.com' }, { linkHost: 'cdnjs.cloudflare.com' }],
  },
];
