import type { Product } from '../technology-rule.ts';

export const tagManagerProducts: readonly Product[] = [
  {
    id: 'google-tag-manager',
    name: 'Google Tag Manager',
    rules: [{ scriptHost: 'googletagmanager.com' }],
  },
  {
    id: 'tealium',
    name: 'Tealium',
    rules: [{ scriptHost: 'tags.tiqcdn.com' }],
  },
  {
    id: 'adobe-launch',
    name: 'Adobe Experience Platform Tags',
    rules: [{ scriptHost: 'assets.adobedtm.com' }],
  },
  {
    id: 'ensighten',
    name: 'Ensighten',
    rules: [{ scriptHost: 'nexus.ensighten.com' }],
  },
];
