// Looks names up by a library, so many at once at each server: `rival.mjs LIBRARY LIST_URL CAP`.
import { Agent, get } from 'node:http';
import { serveParent } from '../part.ts';

const [library, listUrl, cap] = process.argv.slice(2);

/** Each makes a function that says whether a name is available, or null. */
const libraries = {
  async rdapper() {
    const { lookup } = await import('rdapper');
    // As its README advises for many lookups: else it fetches the list for each.
    const customBootstrapData = await (await fetch(listUrl)).json();
    return async (domain) => {
      const { ok, record } = await lookup(domain, { customBootstrapData, rdapOnly: true });
      return ok ? !record.isRegistered : null;
    };
  },
  async 'node-rdap'() {
    const { fetch } = globalThis;
    // It knows no other list than IANA's.
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
  /** Nothing in between: what this machine can do. */
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

/** What its users must do: it throws for every status but 200. */
function notFoundIsFree({ message }) {
  return / status 404\b/.test(message) ? true : null;
}

const isAvailable = await libraries[library]();

serveParent(library, async ({ domains, servers }) => {
  const startedAt = performance.now();
  const answers = [];
  const queues = Map.groupBy(domains.keys(), (index) => servers[index]);
  const work = async (queue) => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      answers[index] = [
        await isAvailable(domains[index], servers[index]),
        performance.now() - startedAt,
      ];
    }
  };
  await Promise.all(
    Array.from(queues.values()).flatMap((queue) =>
      Array.from({ length: Math.min(cap, queue.length) }, () => work(queue)),
    ),
  );
  return answers;
});
