import type { Product } from './technology-rule.ts';

export const hostingProducts: readonly Product[] = [
  {
    id: 'vercel',
    name: 'Vercel',
    rules: [
      { header: 'server', prefix: 'Vercel' },
      { header: 'x-vercel-id' },
      { header: 'x-vercel-cache' },
      { host: 'vercel.app' },
      { cname: 'vercel-dns.com' },
    ],
  },
  {
    id: 'netlify',
    name: 'Netlify',
    rules: [
      { header: 'server', prefix: 'Netlify' },
      { header: 'x-nf-request-id' },
      { host: 'netlify.app' },
      { cname: 'netlify.app' },
      { cname: 'netlifyglobalcdn.com' },
    ],
  },
  {
    id: 'github-pages',
    name: 'GitHub Pages',
    rules: [
      { header: 'server', prefix: 'GitHub.com', exceptHost: 'github.com' },
      { host: 'github.io' },
      { cname: 'github.io' },
    ],
  },
  {
    id: 'gitlab-pages',
    name: 'GitLab Pages',
    rules: [{ host: 'gitlab.io' }, { cname: 'gitlab.io' }],
  },
  {
    id: 'cloudflare-pages',
    name: 'Cloudflare Pages',
    rules: [{ host: 'pages.dev' }, { cname: 'pages.dev' }],
  },
  {
    id: 'heroku',
    name: 'Heroku',
    rules: [
      { header: 'via', product: 'vegur' },
      { header: 'server', prefix: 'Heroku' },
      { header: 'via', product: 'heroku-router' },
      { host: 'herokuapp.com' },
      { cname: 'herokudns.com' },
      { cname: 'herokuapp.com' },
      { cname: 'herokussl.com' },
    ],
  },
  {
    id: 'fly-io',
    name: 'Fly.io',
    rules: [
      { header: 'fly-request-id' },
      { header: 'server', prefix: 'Fly' },
      { host: 'fly.dev' },
      { cname: 'fly.dev' },
    ],
  },
  {
    id: 'render',
    name: 'Render',
    rules: [
      { header: 'rndr-id' },
      { header: 'x-render-origin-server' },
      { host: 'onrender.com' },
      { cname: 'onrender.com' },
    ],
  },
  {
    id: 'railway',
    name: 'Railway',
    rules: [
      { header: 'server', prefix: 'railway-edge' },
      { header: 'x-railway-request-id' },
      { header: 'x-railway-edge' },
      { host: 'up.railway.app' },
      { cname: 'up.railway.app' },
    ],
  },
  {
    id: 'firebase-hosting',
    name: 'Firebase Hosting',
    rules: [
      { host: 'web.app' },
      { host: 'firebaseapp.com' },
      { cname: 'firebaseapp.com' },
      { cname: 'web.app' },
    ],
  },
  {
    id: 'google-cloud',
    name: 'Google Cloud',
    rules: [
      { header: 'x-cloud-trace-context' },
      { header: 'server', prefix: 'Google Frontend' },
      { host: 'run.app' },
      { host: 'appspot.com' },
    ],
  },
  {
    id: 'google-cloud-load-balancing',
    name: 'Google Cloud Load Balancing',
    rules: [{ header: 'via', prefix: '1.1 google' }],
  },
  {
    id: 'amazon-s3',
    name: 'Amazon S3',
    rules: [
      { header: 'server', prefix: 'AmazonS3' },
      { header: 'x-amz-id-2' },
      { host: 's3.amazonaws.com' },
      { host: 's3.*.amazonaws.com' },
      { host: 's3-website.*.amazonaws.com' },
      { host: 's3-website-*.amazonaws.com' },
    ],
  },
  {
    id: 'aws-elb',
    name: 'AWS Elastic Load Balancing',
    rules: [
      { header: 'server', prefix: 'awselb' },
      { cookie: 'AWSALB' },
      { cookie: 'AWSALBCORS' },
      { cookie: 'AWSELB' },
      { cname: 'elb.amazonaws.com' },
    ],
  },
  {
    id: 'aws-amplify',
    name: 'AWS Amplify',
    rules: [{ host: 'amplifyapp.com' }],
  },
  {
    id: 'azure-app-service',
    name: 'Azure App Service',
    rules: [
      { cookie: 'ARRAffinity' },
      { cookie: 'ARRAffinitySameSite' },
      { host: 'azurewebsites.net' },
      { cname: 'azurewebsites.net' },
    ],
  },
  {
    id: 'azure-static-web-apps',
    name: 'Azure Static Web Apps',
    rules: [{ host: 'azurestaticapps.net' }, { cname: 'azurestaticapps.net' }],
  },
  {
    id: 'digitalocean-apps',
    name: 'DigitalOcean App Platform',
    rules: [
      { header: 'x-do-app-origin' },
      { host: 'ondigitalocean.app' },
      { cname: 'ondigitalocean.app' },
    ],
  },
  {
    id: 'deno-deploy',
    name: 'Deno Deploy',
    rules: [{ host: 'deno.dev' }],
  },
  {
    id: 'wp-engine',
    name: 'WP Engine',
    rules: [
      { header: 'x-powered-by', prefix: 'WP Engine' },
      { header: 'wpe-backend' },
      { host: 'wpengine.com' },
      { cname: 'wpengine.com' },
    ],
  },
  {
    id: 'kinsta',
    name: 'Kinsta',
    rules: [
      { header: 'x-kinsta-cache' },
      { header: 'ki-edge' },
      { host: 'kinsta.cloud' },
      { cname: 'kinsta.cloud' },
    ],
  },
  {
    id: 'pantheon',
    name: 'Pantheon',
    rules: [
      { header: 'x-pantheon-styx-hostname' },
      { header: 'x-styx-req-id' },
      { host: 'pantheonsite.io' },
      { cname: 'pantheonsite.io' },
    ],
  },
  {
    id: 'platform-sh',
    name: 'Platform.sh',
    rules: [
      { header: 'x-platform-router' },
      { host: 'platformsh.site' },
      { cname: 'platformsh.site' },
    ],
  },
  {
    id: 'acquia',
    name: 'Acquia Cloud',
    rules: [{ header: 'x-ah-environment' }, { host: 'acquia-sites.com' }],
  },
  {
    id: 'wordpress-com',
    name: 'WordPress.com',
    rules: [{ header: 'host-header', prefix: 'WordPress.com' }, { host: 'wordpress.com' }],
    implies: ['wordpress'],
  },
  {
    id: 'surge',
    name: 'Surge',
    rules: [{ header: 'server', prefix: 'SurgeCDN' }, { host: 'surge.sh' }, { cname: 'surge.sh' }],
  },
  {
    id: 'read-the-docs',
    name: 'Read the Docs',
    rules: [
      { header: 'x-rtd-project' },
      { header: 'x-rtd-version' },
      { host: 'readthedocs.io' },
      { cname: 'readthedocs.io' },
    ],
  },
];
