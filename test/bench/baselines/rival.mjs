// Looks up names with a library, at most CAP at once per server: `rival.mjs LIBRARY LIST_URL CAP`.
import { execFile } from 'node:child_process';
import { Agent, get } from 'node:http';
import { serveParent } from '../part.ts';

const [library, listUrl, cap] = process.argv.slice(2);

/** Each creates a function that returns whether a name is available, or null. */
const libraries = {
  async rdapper() {
    const { lookup } = await import('rdapper');
    // As its README recommends for many lookups; otherwise, it fetches the document for each.
    const customBootstrapData = await (await fetch(listUrl)).json();
    // The links of these objects lead nowhere.
    const options = { customBootstrapData, rdapOnly: true, rdapFollowLinks: false };
    return async (domain) => {
      const { ok, record } = await lookup(domain, options);
      return ok ? !record.isRegistered : null;
    };
  },
  async 'node-rdap'() {
    const { fetch } = globalThis;
    // It supports no other document than IANA's.
    globalThis.fetch = (url, options) =>
      fetch(url === 'https://data.iana.org/rdap/dns.json' ? listUrl : url, options);
    const { domain } = await import('node-rdap');
    return (name) => domain(name).then(() => false, notFoundIsFree);
  },
  async '@cacheable/net'() {
    const { CacheableNet } = await import('@cacheable/net');
    const net = new CacheableNet();
    const bootstrapUrl = new URL('.', listUrl).href;
    return (name) => net.rdap(name, { bootstrapUrl }).then(() => false, notFoundIsFree);
  },
  async whoiser() {
    const net = (await import('node:net')).default;
    const { connect } = net;
    // It knows no other port than 43, and takes a host: here, it is a host with a port.
    net.connect = ({ host }, listener) => {
      const [address, port] = host.split(':');
      return connect({ host: address, port: Number(port) }, listener);
    };
    const { default: whoiser } = await import('whoiser');
    return async (name, host) => {
      const replies = await whoiser.domain(name, { host, follow: 1, raw: true });
      const { __raw: text = '' } = replies[host];
      return verdictOfText(text);
    };
  },
  async whois() {
    return (name, server) => {
      const [host, port] = server.split(':');
      return new Promise((resolve) =>
        execFile('whois', ['-h', host, '-p', port, name], (_error, stdout) =>
          resolve(verdictOfText(stdout)),
        ),
      );
    };
  },
  /** The least that a client in Node.js does for a verdict. */
  async floor() {
    const { request } = await import('undici');
    return async (domain, server) => {
      const { statusCode, body } = await request(`${server}domain/${domain}`);
      JSON.parse(await body.text());
      return statusCode === 404;
    };
  },
  /** Direct requests, as the limit of this machine. */
  async direct() {
    const agent = new Agent({ keepAlive: true });
    return (domain, server) =>
      new Promise((resolve, reject) => {
        const request = get(`${server}domain/${domain}`, { agent }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode === 404));
        });
        request.on('error', reject);
      });
  },
};

/** Its users must do this, as it throws for every status but 200. */
function notFoundIsFree({ message }) {
  return / status 404\b/.test(message) ? true : null;
}

/** What scripts around WHOIS do. */
function verdictOfText(text) {
  if (/^No match for/m.test(text)) return true;
  return /^Domain Name:/m.test(text) ? false : null;
}

const isAvailable = await libraries[library]();

serveParent(library, async ({ domains, servers }) => {
  const startedAt = performance.now();
  const answers = [];
  const queues = Map.groupBy(domains.keys(), (index) => servers[index]);
  const runQueue = async (queue) => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      answers[index] = [
        await isAvailable(domains[index], servers[index]),
        performance.now() - startedAt,
      ];
    }
  };
  await Promise.all(
    Array.from(queues.values()).flatMap((queue) =>
      Array.from({ length: Math.min(cap, queue.length) }, () => runQueue(queue)),
    ),
  );
  return answers;
});
