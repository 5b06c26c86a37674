import type { Product } from './technology-rule.ts';

export const fontProducts: readonly Product[] = [
  {
    id: 'google-fonts',
    name: 'Google Fonts',
    rules: [{ linkHost: 'fonts.googleapis.com' }, { linkHost: 'fonts.gstatic.com' }],
  },
  {
    id: 'font-awesome',
    name: 'Font Awesome',
    rules: [
      { scriptHost: 'kit.fontawesome.com' },
      { scriptHost: 'use.fontawesome.com' },
      { linkHost: 'use.fontawesome.com' },
      { linkHost: 'kit.fontawesome.com' },
    ],
  },
  {
    id: 'adobe-fonts',
    name: 'Adobe Fonts',
    rules: [{ scriptHost: 'use.typekit.net' }, { linkHost: 'use.typekit.net' }],
  },
];
