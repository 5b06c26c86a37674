import type { Product } from './technology-rule.ts';

export const frameworkProducts: readonly Product[] = [
  {
    id: 'nextjs',
    name: 'Next.js',
    rules: [
      { header: 'x-powered-by', product: 'Next.js' },
      { header: 'x-nextjs-cache' },
      { header: 'x-nextjs-prerender' },
      { scriptPath: '/_next/static/' },
      { linkPath: '/_next/static/' },
    ],
    implies: ['react'],
  },
  {
    id: 'nuxt',
    name: 'Nuxt',
    rules: [
      { header: 'x-powered-by', product: 'Nuxt' },
      { scriptPath: '/_nuxt/' },
      { linkPath: '/_nuxt/' },
    ],
    implies: ['vue'],
  },
  {
    id: 'gatsby',
    name: 'Gatsby',
    rules: [{ generator: 'Gatsby' }],
    implies: ['react'],
  },
  {
    id: 'astro',
    name: 'Astro',
    rules: [{ generator: 'Astro' }, { scriptPath: '/_astro/' }, { linkPath: '/_astro/' }],
  },
  {
    id: 'sveltekit',
    name: 'SvelteKit',
    rules: [
      { header: 'x-sveltekit-page' },
      { scriptPath: '/_app/immutable/' },
      { linkPath: '/_app/immutable/' },
    ],
  },
  {
    id: 'express',
    name: 'Express',
    rules: [{ header: 'x-powered-by', product: 'Express' }],
    implies: ['node-js'],
  },
  {
    id: 'ruby-on-rails',
    name: 'Ruby on Rails',
    rules: [{ meta: 'csrf-param', content: 'authenticity_token' }],
    implies: ['ruby'],
  },
  {
    id: 'laravel',
    name: 'Laravel',
    rules: [{ cookie: 'laravel_session' }],
    implies: ['php'],
  },
  {
    id: 'symfony',
    name: 'Symfony',
    rules: [{ header: 'x-debug-token-link' }],
    implies: ['php'],
  },
  {
    id: 'django',
    name: 'Django',
    rules: [{ cookie: 'django_language' }],
    implies: ['python'],
  },
  {
    id: 'asp-net',
    name: 'ASP.NET',
    rules: [
      { header: 'x-aspnet-version' },
      { header: 'x-powered-by', element: 'ASP.NET' },
      { cookie: 'ASP.NET_SessionId' },
      { cookie: '.ASPXAUTH' },
      { header: 'x-aspnetmvc-version' },
    ],
  },
  {
    id: 'asp-net-core',
    name: 'ASP.NET Core',
    rules: [{ cookiePrefix: '.AspNetCore.' }, { header: 'x-powered-by', element: 'ASP.NET Core' }],
  },
  {
    id: 'codeigniter',
    name: 'CodeIgniter',
    rules: [{ cookie: 'ci_session' }],
    implies: ['php'],
  },
  {
    id: 'cakephp',
    name: 'CakePHP',
    rules: [{ cookie: 'CAKEPHP' }],
    implies: ['php'],
  },
  {
    id: 'phoenix',
    name: 'Phoenix',
    rules: [{ scriptFile: 'phoenix_live_view' }],
  },
  {
    id: 'play-framework',
    name: 'Play Framework',
    rules: [{ cookie: 'PLAY_SESSION' }, { cookie: 'PLAY_FLASH' }],
    implies: ['java'],
  },
  {
    id: 'blazor',
    name: 'Blazor',
    rules: [
      { scriptFile: 'blazor.server' },
      { scriptFile: 'blazor.webassembly' },
      { scriptFile: 'blazor.web' },
    ],
  },
  {
    id: 'meteor',
    name: 'Meteor',
    rules: [{ scriptFile: 'meteor_runtime_config' }],
  },
];
