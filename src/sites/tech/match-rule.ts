import { isUnder, type Resource, type SiteEvidence } from './site-evidence.ts';
import type {
  ScriptFileRule,
  ScriptHostRule,
  TechnologyRule,
  HeaderRule,
  TechnologyEvidence,
} from './technology.ts';

/** Returns the first match of a rule; undefined if there is none. */
export function matchRule(rule: TechnologyRule, site: SiteEvidence): RuleMatch | undefined {
  if ('header' in rule) return matchHeader(rule, site);
  if ('generator' in rule) return matchGenerator(rule.generator, site.generators);
  if ('scriptFile' in rule) return matchScriptFile(rule, site.scripts);

  if ('meta' in rule) {
    const { meta: wanted, content = null } = rule;
    const meta = site.metas.find(
      (one) => one.key === wanted && (content === null || one.content === content),
    );
    return meta && matchOf('meta', meta.key, meta.content);
  }

  const [source, text] = textBy(rule, site);
  return text === undefined ? undefined : matchOf(source, source === 'cookie' ? text : null, text);
}

/** Returns where a rule looks that finds no version, and the first text there that it recognizes. */
function textBy(
  rule: Exclude<
    TechnologyRule,
    HeaderRule | ScriptFileRule | { generator: string } | { meta: string }
  >,
  site: SiteEvidence,
): readonly [source: TechnologyEvidence['source'], text: string | undefined] {
  if ('cookie' in rule) return ['cookie', site.cookieNames.find((name) => name === rule.cookie)];
  if ('cookiePrefix' in rule)
    return ['cookie', site.cookieNames.find((name) => name.startsWith(rule.cookiePrefix))];
  if ('scriptHost' in rule) return ['script', site.scripts.find(isFrom(rule))?.url];
  if ('scriptPath' in rule) return ['script', site.scripts.find(isAt(rule.scriptPath))?.url];
  if ('linkHost' in rule)
    return ['link', site.links.find(({ host }) => isUnder(host, rule.linkHost))?.url];
  if ('linkPath' in rule) return ['link', site.links.find(isAt(rule.linkPath))?.url];
  if ('linkRel' in rule) return ['link', site.linkTypes.find((type) => type === rule.linkRel)];
  if ('cname' in rule) return ['cname', nameUnder(site.cname, rule.cname)];
  if ('nameserver' in rule) return ['nameserver', nameUnder(site.ns, rule.nameserver)];

  return ['host', nameUnder(site.host === null ? [] : [site.host], rule.host)];
}

function nameUnder(names: readonly string[], suffix: string): string | undefined {
  return names.find((name) => isUnder(name.toLowerCase(), suffix));
}

function isAt(part: string) {
  return ({ isOwn, path }: Resource) => isOwn && path.includes(part);
}

function isFrom({ scriptHost, path: start = '/', parameter }: ScriptHostRule) {
  return ({ host, path, parameters }: Resource) =>
    isUnder(host, scriptHost) &&
    path.startsWith(start) &&
    (parameter === undefined || parameters.some((one) => one.startsWith(parameter)));
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

/** A version of at most 40 characters, after at most three separators. */
const versionAtStart = /^[\s/]{0,3}v?(\d[\w.+-]{0,39})/i;

/**
 * A version of a script needs a dot: a single number is as often a hash or a date, such as in
 * `vue.4821.js` or `/20240115/`.
 */
const wholeVersion = /^v?(\d{1,10}(?:\.\d{1,10}){1,3}(?:-[\w.]{1,20})?)$/;
const versionInName = /[.-]v?(\d{1,10}(?:\.\d{1,10}){1,3})(?=[.-])/;

/** Words that name a build of a script. */
const buildWords = new Set([
  'js', 'mjs', 'min', 'slim', 'bundle', 'prod', 'production', 'development', 'dev', 'esm', 'umd', 'global', 'runtime', 'module', 'all', 'full', 'core', 'pkgd', 'iife', 'browser', 'dist',
]); // prettier-ignore

/** Returns the version at the start of a text, such as `1.25.3` in `/1.25.3 (Ubuntu)`; else null. */
function versionIn(text: string): string | null {
  return versionAtStart.exec(text.slice(0, 60))?.[1] ?? null;
}

/** Returns what follows `start` in a text if it ends there or a separator follows; else undefined. */
function restAfter(text: string, start: string): string | undefined {
  if (!text.toLowerCase().startsWith(start.toLowerCase())) return undefined;
  const rest = text.slice(start.length);
  return rest === '' || /^[\s/,;:()!|]/.test(rest) ? rest : undefined;
}

/**
 * Compares the last segment of a path to the name of a script. The version is in the file name, or in
 * the segments of a CDN. `isBuild`: it has a version, is minified or bundled, or belongs to a package
 * of this name. Returns undefined for another script.
 */
function namedScript(path: string, name: string) {
  const segments = path.toLowerCase().split('/');
  const file = segments.at(-1) ?? '';
  if (!file.startsWith(name)) return undefined;

  const rest = file.slice(name.length);
  if (!isEndOfFileName(rest)) return undefined;

  const ofPackage = packageVersion(segments, name);
  const version = versionInName.exec(rest)?.[1] ?? ofPackage ?? directoryVersion(segments, name);
  const isBuild =
    version !== null || ofPackage !== undefined || /[.-](?:min|bundle)[.-]/.test(rest);

  return { version, isBuild };
}

/** Returns whether the rest of a file name is numbers, names of builds and `.js`. */
function isEndOfFileName(rest: string): boolean {
  if (!/^[.-]/.test(rest) || !/\.m?js$/.test(rest)) return false;
  return rest
    .slice(1)
    .split(/[.-]/)
    .every((part) => buildWords.has(part) || /^v?\d{1,10}$/.test(part));
}

/** Returns the version in `/npm/jquery@3.7.1/`: null for a range or tag, undefined without `@`. */
function packageVersion(segments: readonly string[], name: string): string | null | undefined {
  for (const segment of segments) {
    const at = segment.indexOf('@', 1);
    if (at !== -1 && isName(segment.slice(0, at), name))
      return wholeVersion.exec(segment.slice(at + 1))?.[1] ?? null;
  }
  return undefined;
}

/** Returns the version in `/jquery/3.7.1/`: other directories may have versions of their own. */
function directoryVersion(segments: readonly string[], name: string): string | null {
  for (const [index, segment] of segments.entries()) {
    const version = wholeVersion.exec(segment)?.[1];
    if (version !== undefined && isName(segments[index - 1] ?? '', name)) return version;
  }
  return null;
}

/** `jquery-ui` is in the directory `jqueryui` of cdnjs, and `angular` in `angular.js`. */
function isName(directory: string, name: string): boolean {
  return plainName(directory) === plainName(name);
}

function plainName(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, '').replace(/js$/, '');
}
