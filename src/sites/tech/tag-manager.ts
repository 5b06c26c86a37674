import type { Product } from './technology-rule.ts';

export const tagManagerProducts: readonly Product[] = [
  {
    id: 'google-tag-manager',
    name: 'Google Tag Manager',
    rules: [{ scriptHost: 'googletagmanager.com', path: '/gtm.js' }],
  },
  {
    id: 'google-tag',
    name: 'Google tag',
    // The ids of Google Analytics and Google Ads are in the rules of these products.
    rules: [
      { scriptHost: 'googletagmanager.com', path: '/gtag/js', parameter: 'id=GT-' },
      { scriptHost: 'googletagmanager.com', path: '/gtag/js', parameter: 'id=DC-' },
    ],
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
