import type { Product } from './technology-rule.ts';

export const cdnProducts: readonly Product[] = [
  {
    id: 'cloudflare',
    name: 'Cloudflare',
    rules: [
      { header: 'server', prefix: 'cloudflare' },
      { header: 'cf-ray' },
      { header: 'cf-cache-status' },
      { cookie: '__cf_bm' },
      { cookie: '__cflb' },
      { cname: 'cdn.cloudflare.net' },
    ],
  },
  {
    id: 'fastly',
    name: 'Fastly',
    rules: [
      { header: 'x-fastly-request-id' },
      { header: 'fastly-restarts' },
      { cname: 'fastly.net' },
      { cname: 'fastlylb.net' },
    ],
  },
  {
    id: 'cloudfront',
    name: 'Amazon CloudFront',
    rules: [
      { header: 'x-amz-cf-id' },
      { header: 'x-amz-cf-pop' },
      { header: 'server', prefix: 'CloudFront' },
      { header: 'via', includes: '(CloudFront)' },
      { cname: 'cloudfront.net' },
    ],
  },
  {
    id: 'akamai',
    name: 'Akamai',
    rules: [
      { header: 'server', prefix: 'AkamaiGHost' },
      { header: 'server', prefix: 'AkamaiNetStorage' },
      { header: 'x-akamai-transformed' },
      { header: 'akamai-grn' },
      { cname: 'akamaiedge.net' },
      { cname: 'edgekey.net' },
      { cname: 'edgesuite.net' },
      { cname: 'akamai.net' },
    ],
  },
  {
    id: 'azure-front-door',
    name: 'Azure Front Door',
    rules: [{ header: 'x-azure-ref' }, { cname: 'azurefd.net' }],
  },
  {
    id: 'azure-cdn',
    name: 'Azure CDN',
    rules: [{ cname: 'azureedge.net' }],
  },
  {
    id: 'bunny',
    name: 'bunny.net',
    rules: [
      { header: 'server', prefix: 'BunnyCDN' },
      { header: 'cdn-pullzone' },
      { header: 'cdn-requestid' },
      { cname: 'b-cdn.net' },
    ],
  },
  {
    id: 'keycdn',
    name: 'KeyCDN',
    rules: [
      { header: 'server', prefix: 'keycdn' },
      { header: 'server', prefix: 'keycdn-engine' },
      { cname: 'kxcdn.com' },
    ],
  },
  {
    id: 'cdn77',
    name: 'CDN77',
    rules: [
      { header: 'server', prefix: 'CDN77-Turbo' },
      { header: 'x-77-cache' },
      { header: 'x-77-pop' },
      { cname: 'cdn77.org' },
    ],
  },
  {
    id: 'stackpath',
    name: 'StackPath',
    rules: [{ cname: 'stackpathcdn.com' }, { cname: 'stackpathdns.com' }],
  },
  {
    id: 'edgio',
    name: 'Edgio',
    rules: [{ cname: 'edgecastcdn.net' }, { cname: 'systemcdn.net' }, { cname: 'llnwd.net' }],
  },
  {
    id: 'gcore',
    name: 'Gcore',
    rules: [{ cname: 'gcdn.co' }],
  },
  {
    id: 'imperva',
    name: 'Imperva',
    rules: [
      { header: 'x-iinfo' },
      { header: 'x-cdn', prefix: 'Imperva' },
      { header: 'x-cdn', prefix: 'Incapsula' },
      { cookiePrefix: 'visid_incap_' },
      { cookiePrefix: 'incap_ses_' },
      { cname: 'incapdns.net' },
      { cname: 'impervadns.net' },
    ],
  },
  {
    id: 'sucuri',
    name: 'Sucuri',
    rules: [
      { header: 'x-sucuri-id' },
      { header: 'x-sucuri-cache' },
      { header: 'server', prefix: 'Sucuri/Cloudproxy' },
    ],
  },
];
