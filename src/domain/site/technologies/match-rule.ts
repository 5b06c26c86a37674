import type { TechnologyEvidence } from '../technology.ts';
import type { Resource, SiteEvidence } from './site-evidence.ts';
import { scriptVersion, versionIn } from './stated-version.ts';
import type { HeaderRule, TechnologyRule } from './technology-rule.ts';

/** What a rule recognized, and the version if it is stated there. */
export interface RuleMatch {
  readonly evidence: TechnologyEvidence;
  readonly version: string | null;
}

const maxMatchedLength = 200;

/** Returns the first match of a rule; undefined if there is none. */
export function matchRule(rule: TechnologyRule, site: SiteEvidence): RuleMatch | undefined {
  if ('header' in rule) return matchHeader(rule, site);
  if ('cookie' in rule) return matchCookie(site.cookieNames.find((name) => name === rule.cookie));
  if ('cookiePrefix' in rule)
    return matchCookie(site.cookieNames.find((name) => name.startsWith(rule.cookiePrefix)));
  if ('generator' in rule) return matchGenerator(rule.generator, site.generators);
  if ('meta' in rule) {
    const meta = site.metas.find(({ key }) => key === rule.meta);
    return meta && found('meta', meta.key, meta.content);
  }
  if ('scriptFile' in rule) return matchScriptFile(rule.scriptFile, site.scripts);
  if ('scriptHost' in rule) return matchHost('script', rule.scriptHost, site.scripts, rule.path);
  if ('scriptPath' in rule) return matchPath('script', rule.scriptPath, site.scripts);
  if ('linkHost' in rule) return matchHost('link', rule.linkHost, site.links);
  if ('linkPath' in rule) return matchPath('link', rule.linkPath, site.links);
  if ('linkRel' in rule)
    return site.linkTypes.includes(rule.linkRel) ? found('link', null, rule.linkRel) : undefined;
  return matchName(rule, site);
}

function matchName(
  rule: Extract<TechnologyRule, { host: string } | { cname: string } | { nameserver: string }>,
  site: SiteEvidence,
): RuleMatch | undefined {
  if ('host' in rule)
    return site.host !== null && isUnder(site.host, rule.host)
      ? found('host', null, site.host)
      : undefined;
  const [source, names, suffix] =
    'cname' in rule
      ? (['cname', site.cname, rule.cname] as const)
      : (['nameserver', site.ns, rule.nameserver] as const);
  const name = names.find((one) => isUnder(one.toLowerCase(), suffix));
  return name === undefined ? undefined : found(source, null, name);
}

function matchHeader(rule: HeaderRule, { headers }: SiteEvidence): RuleMatch | undefined {
  const value = Object.hasOwn(headers, rule.header) ? headers[rule.header] : undefined;
  if (value === undefined) return undefined;
  const match = (version: string | null) => found('header', rule.header, value, version);
  if (rule.prefix !== undefined) {
    const rest = restAfter(value, rule.prefix);
    return rest === undefined ? undefined : match(versionIn(rest));
  }
  if (rule.product !== undefined) {
    const { product } = rule;
    const rests = value.split(/[\s,;()]/).map((word) => restAfter(word, product));
    const rest = rests.find((one) => one !== undefined);
    return rest === undefined ? undefined : match(versionIn(rest));
  }
  const isMatch = value.toLowerCase().includes(rule.includes?.toLowerCase() ?? '');
  return isMatch ? match(null) : undefined;
}

function matchCookie(name: string | undefined): RuleMatch | undefined {
  return name === undefined ? undefined : found('cookie', name, name);
}

function matchGenerator(product: string, contents: readonly string[]): RuleMatch | undefined {
  for (const content of contents) {
    const rest = restAfter(content.trim(), product);
    if (rest !== undefined) return found('meta', 'generator', content, versionIn(rest));
  }
  return undefined;
}

function matchScriptFile(name: string, scripts: readonly Resource[]): RuleMatch | undefined {
  for (const { path, url } of scripts) {
    const version = scriptVersion(path, name);
    if (version !== undefined) return found('script', null, url, version);
  }
  return undefined;
}

function matchHost(
  source: 'script' | 'link',
  suffix: string,
  resources: readonly Resource[],
  pathStart = '/',
): RuleMatch | undefined {
  const resource = resources.find(
    ({ host, path }) => isUnder(host, suffix) && path.startsWith(pathStart),
  );
  return resource && found(source, null, resource.url);
}

function matchPath(
  source: 'script' | 'link',
  part: string,
  resources: readonly Resource[],
): RuleMatch | undefined {
  const resource = resources.find(({ isOwn, path }) => isOwn && path.includes(part));
  return resource && found(source, null, resource.url);
}

/** Returns what follows `start` in a text if it ends there or a separator follows; else undefined. */
function restAfter(text: string, start: string): string | undefined {
  if (!text.toLowerCase().startsWith(start.toLowerCase())) return undefined;
  const rest = text.slice(start.length);
  return rest === '' || /^[\s/,;:()!|]/.test(rest) ? rest : undefined;
}

function isUnder(host: string, suffix: string): boolean {
  return host === suffix || host.endsWith(`.${suffix}`);
}

function found(
  source: TechnologyEvidence['source'],
  key: string | null,
  matched: string,
  version: string | null = null,
): RuleMatch {
  return { evidence: { source, key, matched: matched.slice(0, maxMatchedLength) }, version };
}
