import type { Product } from './technology-rule.ts';

export const siteBuilderProducts: readonly Product[] = [
  {
    id: 'wix',
    name: 'Wix',
    rules: [
      { generator: 'Wix.com Website Builder' },
      { header: 'x-wix-request-id' },
      { scriptHost: 'static.parastorage.com' },
      { host: 'wixsite.com' },
      { cname: 'wixdns.net' },
    ],
  },
  {
    id: 'squarespace',
    name: 'Squarespace',
    rules: [
      { header: 'server', prefix: 'Squarespace' },
      { scriptHost: 'assets.squarespace.com' },
      { scriptHost: 'static1.squarespace.com' },
      { host: 'squarespace.com' },
      { cname: 'squarespace.com' },
    ],
  },
  {
    id: 'webflow',
    name: 'Webflow',
    rules: [
      { generator: 'Webflow' },
      { linkHost: 'website-files.com' },
      { scriptHost: 'website-files.com' },
      { host: 'webflow.io' },
      { cname: 'webflow.com' },
    ],
  },
  {
    id: 'framer',
    name: 'Framer',
    rules: [
      { generator: 'Framer' },
      { header: 'server', prefix: 'Framer' },
      { scriptHost: 'framerusercontent.com' },
      { host: 'framer.website' },
      { host: 'framer.app' },
    ],
  },
  {
    id: 'weebly',
    name: 'Weebly',
    rules: [
      { scriptHost: 'editmysite.com' },
      { linkHost: 'editmysite.com' },
      { host: 'weebly.com' },
      { cname: 'weebly.com' },
    ],
  },
  {
    id: 'jimdo',
    name: 'Jimdo',
    rules: [
      { scriptHost: 'assets.jimstatic.com' },
      { linkHost: 'assets.jimstatic.com' },
      { host: 'jimdofree.com' },
      { cname: 'jimdo.com' },
    ],
  },
  {
    id: 'godaddy-builder',
    name: 'GoDaddy Website Builder',
    rules: [
      { generator: 'Starfield Technologies; Go Daddy Website Builder' },
      { host: 'godaddysites.com' },
    ],
  },
  {
    id: 'duda',
    name: 'Duda',
    rules: [{ host: 'multiscreensite.com' }, { cname: 'multiscreensite.com' }],
  },
  {
    id: 'carrd',
    name: 'Carrd',
    rules: [{ host: 'carrd.co' }],
  },
  {
    id: 'google-sites',
    name: 'Google Sites',
    rules: [{ host: 'sites.google.com' }],
  },
  {
    id: 'blogger',
    name: 'Blogger',
    rules: [{ generator: 'blogger' }, { host: 'blogspot.com' }],
  },
  {
    id: 'tumblr',
    name: 'Tumblr',
    rules: [{ header: 'x-tumblr-user' }, { host: 'tumblr.com' }, { cname: 'domains.tumblr.com' }],
  },
  {
    id: 'elementor',
    name: 'Elementor',
    rules: [
      { generator: 'Elementor' },
      { scriptPath: '/wp-content/plugins/elementor/' },
      { linkPath: '/wp-content/plugins/elementor/' },
    ],
    implies: ['wordpress'],
  },
  {
    id: 'divi',
    name: 'Divi',
    rules: [{ linkPath: '/wp-content/themes/Divi/' }, { scriptPath: '/wp-content/themes/Divi/' }],
    implies: ['wordpress'],
  },
];
