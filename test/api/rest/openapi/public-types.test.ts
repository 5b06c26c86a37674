import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { run } from '../../../support/package/run.ts';
import { scratch } from '../../../support/stores/scratch.ts';
import { startSiteGateway } from '../../../support/gateways/site-gateway.ts';

/** The type of each body, and the parameters of its request for a host. */
const paths: Readonly<Record<string, readonly [type: string, parameters: string]>> = {
  subdomains: ['Subdomains', 'include_wildcards=1&domain='],
  tech: ['Tech', 'domain='],
  categorize: ['Categorize', 'domain='],
  'identity-assets': ['IdentityAssets', 'domain='],
  'identity-resolution': ['IdentityResolution', 'domain='],
  'url-intelligence': ['UrlIntelligence', 'url=https://'],
  'agent-readiness': ['AgentReadiness', 'domain='],
  'ssl/deep-scan': ['DeepScan', 'domain='],
  certificates: ['Certificates', 'domain='],
  'email/blacklist': ['Blacklist', 'limit=3&domain='],
};

const states = '-redirect -http -pdf -empty -forbidden -error -blocked -loop -tls10'.split(' ');
const hosts = ['taken.test', ...states.map((state) => `taken${state}.test`)];

const profiles = ['https://github.com/shop', 'https://shop.social/@us', 'https://x.com/shop'];
/** A page that shows products by each kind of evidence, and declares an unknown platform. */
const page = {
  headers: { server: 'nginx', 'set-cookie': 'PHPSESSID=1' },
  body: `<title>Shop</title><meta name="generator" content="WordPress">
    <script src="https://www.googletagmanager.com/gtag/js"></script><script src="/_vercel/insights/script.js"></script>
    <link rel="stylesheet" href="https://fonts.googleapis.com/css2"><link rel="https://api.w.org/" href="/wp-json/">
    <script type="application/ld+json">${JSON.stringify({ '@type': 'Restaurant', sameAs: profiles })}</script>
    <a href="https://www.youtube.com/@shop">Videos</a>`,
};

/** Certificates without a common name or the time of their log entry, as searches return them. */
const pages = { 'https://shop.example/': page, 'https://www.vercel.app/': page };

/** A problem: the public API has an error instead, so these bodies have members without a value. */
const isProblem = (body: Json) => 'problem' in body || 'error' in body;

it('assigns the bodies of the site endpoints to the types of the public API', async () => {
  await using sandbox = await startGateway();
  await using sites = await startSiteGateway(pages);
  const calls = Object.entries(paths).flatMap(([path, [type, parameters]]) => [
    ...hosts.map((host) => [type, sandbox.get(`/v1/${path}?${parameters}${host}`)] as const),
    ...Object.keys(pages).map((url) => {
      const request = sites.customer.fetch(`/v1/${path}?${parameters}${new URL(url).host}`);
      return [type, request.then((response) => response.json())] as const;
    }),
  ]);
  const bodies: [type: string, body: Json][] = [];
  for (const [type, body] of calls) bodies.push([type, await body]);
  const usable = bodies.filter(([, body]) => !isProblem(body));
  expect(new Set(usable.map(([type]) => type)).size).toBe(Object.keys(paths).length);
  expect(await compile(usable)).toEqual({ code: 0, stdout: '', stderr: '' });
}, 60_000);

const wrongBodies: readonly (readonly [type: string, body: Json])[] = [
  ['UrlIntelligence', { redirects: [] }],
  ['UrlIntelligence', { open_graph: null }],
  ['Certificates', { certificates: [{ issuer: 'CN=A' }] }],
  ['Tech', { summary: { cdn: null } }],
  ['Tech', { technologies: [{ evidence_details: [{ source: 'script' }] }] }],
];

it('does not assign a body with a wrong member', async () => {
  const { stdout } = await compile(wrongBodies);
  expect(stdout.match(/error TS2322/g)).toHaveLength(wrongBodies.length);
});

/** Compiles a program that assigns each body to its type. Members that are not sent may be missing. */
async function compile(bodies: readonly (readonly [type: string, body: Json])[]) {
  await using folder = await scratch();
  const program = join(folder.path, 'program.ts');
  const assignments = bodies.flatMap(([type, body], index) => [
    `const sent${index} = ${JSON.stringify(body)} as const;`,
    `export const body${index}: Sent<types.${type}> = sent${index};`,
  ]);
  const source = [
    `import type * as types from ${JSON.stringify(join(import.meta.dirname, 'public-types.ts'))};`,
    'type Sent<T> = T extends readonly (infer I)[] ? readonly Sent<I>[] : { readonly [K in keyof T]?: Sent<T[K]> };',
    ...assignments,
  ];
  await writeFile(program, source.join('\n'));
  const compiler = 'node_modules/typescript/bin/tsc';
  const options =
    '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --allowImportingTsExtensions --module nodenext';
  return await run(process.execPath, [compiler, ...options.split(' '), program]);
}
