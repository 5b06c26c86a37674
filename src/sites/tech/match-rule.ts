import { isUnder } from './host-pattern.ts';
import type { Resource, SiteEvidence } from './site-evidence.ts';
import { namedScript, restAfter, versionIn } from './stated-version.ts';
import type {
  ScriptFileRule,
  ScriptHostRule,
  TechnologyRule,
  HeaderRule,
} from './technology-rule.ts';
import type { TechnologyEvidence } from './technology.ts';

/** Returns the first match of a rule; undefined if there is none. */
export function matchRule(rule: TechnologyRule, site: SiteEvidence): RuleMatch | undefined {
  if ('header' in rule) return matchHeader(rule, site);
  if ('cookie' in rule) return matchCookie(site.cookieNames.find((name) => name === rule.cookie));
  if ('cookiePrefix' in rule)
    return matchCookie(site.cookieNames.find((name) => name.startsWith(rule.cookiePrefix)));
  if ('generator' in rule) return matchGenerator(rule.generator, site.generators);
  if ('meta' in rule) {
    const { meta: wanted, content = null } = rule;
    const meta = site.metas.find(
      (one) => one.key === wanted && (content === null || one.content === content),
    );
    return meta && matchOf('meta', meta.key, meta.content);
  }
  if ('scriptFile' in rule) return matchScriptFile(rule, site.scripts);
  if ('scriptHost' in rule) return matchScriptHost(rule, site.scripts);
  if ('scriptPath' in rule) return matchPath('script', rule.scriptPath, site.scripts);
  if ('linkHost' in rule) {
    const link = site.links.find(({ host }) => isUnder(host, rule.linkHost));
    return link && matchOf('link', null, link.url);
  }
  if ('linkPath' in rule) return matchPath('link', rule.linkPath, site.links);
  if ('linkRel' in rule)
    return site.linkTypes.includes(rule.linkRel) ? matchOf('link', null, rule.linkRel) : undefined;
  return matchName(rule, site);
}

function matchName(
  rule: Extract<TechnologyRule, { host: string } | { cname: string } | { nameserver: string }>,
  site: SiteEvidence,
): RuleMatch | undefined {
  if ('host' in rule)
    return site.host !== null && isUnder(site.host, rule.host)
      ? matchOf('host', null, site.host)
      : undefined;
  const [source, names, suffix] =
    'cname' in rule
      ? (['cname', site.cname, rule.cname] as const)
      : (['nameserver', site.ns, rule.nameserver] as const);
  const name = names.find((one) => isUnder(one.toLowerCase(), suffix));
  return name === undefined ? undefined : matchOf(source, null, name);
}

function matchCookie(name: string | undefined): RuleMatch | undefined {
  return name === undefined ? undefined : matchOf('cookie', name, name);
}

function matchGenerator(product: string, contents: readonly string[]): RuleMatch | undefined {
  for (const content of contents) {
    const rest = restAfter(content.trim(), product);
    if (rest !== undefined) return matchOf('meta', 'generator', content, versionIn(rest));
  }
  return undefined;
}

function matchScriptFile(
  { scriptFile, isCommonName = false }: ScriptFileRule,
  scripts: readonly Resource[],
): RuleMatch | undefined {
  for (const { path, url } of scripts) {
    const script = namedScript(path, scriptFile);
    if (script && (script.isBuild || !isCommonName))
      return matchOf('script', null, url, script.version);
  }
  return undefined;
}

function matchScriptHost(
  { scriptHost, path: pathStart = '/', parameter }: ScriptHostRule,
  scripts: readonly Resource[],
): RuleMatch | undefined {
  const script = scripts.find(
    ({ host, path, parameters }) =>
      isUnder(host, scriptHost) &&
      path.startsWith(pathStart) &&
      (parameter === undefined || parameters.some((one) => one.startsWith(parameter))),
  );
  return script && matchOf('script', null, script.url);
}

function matchPath(
  source: 'script' | 'link',
  part: string,
  resources: readonly Resource[],
): RuleMatch | undefined {
  const resource = resources.find(({ isOwn, path }) => isOwn && path.includes(part));
  return resource && matchOf(source, null, resource.url);
}

/** Returns the match of a rule about a header; undefined if there is none. */
function matchHeader(rule: HeaderRule, { headers, host }: SiteEvidence): RuleMatch | undefined {
  const value = Object.hasOwn(headers, rule.header) ? headers[rule.header] : undefined;
  if (value === undefined) return undefined;
  if (rule.except?.some((text) => includes(value, text))) return undefined;
  if (rule.exceptHost !== undefined && host !== null && isUnder(host, rule.exceptHost))
    return undefined;
  const rest = restOf(value, rule);
  return rest === undefined
    ? undefined
    : matchOf('header', rule.header, value, rest === null ? null : versionIn(rest));
}

/** Returns what follows the product; null if no version can follow, undefined without a match. */
function restOf(value: string, rule: HeaderRule): string | null | undefined {
  const { prefix, product, element, includes: part } = rule;
  if (prefix !== undefined) return restAfter(value, prefix);
  if (product !== undefined)
    return value
      .split(/[\s,;()]/)
      .map((word) => restAfter(word, product))
      .find((rest) => rest !== undefined);
  if (element !== undefined)
    return value.split(',').some((one) => one.trim().toLowerCase() === element.toLowerCase())
      ? null
      : undefined;
  return part === undefined || includes(value, part) ? null : undefined;
}

function includes(value: string, part: string): boolean {
  return value.toLowerCase().includes(part.toLowerCase());
}

/** What a rule recognized, and the version if it is stated there. */
interface RuleMatch {
  readonly evidence: TechnologyEvidence;
  readonly version: string | null;
}

const maxMatchedLength = 200;

/** Returns a match with at most 200 characters of the text that was recognized. */
function matchOf(
  source: TechnologyEvidence['source'],
  key: string | null,
  matched: string,
  version: string | null = null,
): RuleMatch {
  return { evidence: { source, key, matched: matched.slice(0, maxMatchedLength) }, version };
}
