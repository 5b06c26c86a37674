// Checks that the files name the version of a tag, before it is published:
// `node scripts/check-release.ts v0.2.0`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files that name the version, as text, and the manifest of the npm package. */
export interface ReleaseFiles {
  readonly manifest: {
    readonly version: string;
    readonly repository?: unknown;
    readonly mcpName?: string;
  };
  readonly mcpServer: {
    readonly name: string;
    readonly version: string;
    readonly packages: readonly { readonly version: string }[];
  };
  readonly changelog: string;
  readonly kubernetes: string;
}

/** Returns why the commit of a tag must not be published, one sentence for each reason. */
export function releaseProblems(tag: string, files: ReleaseFiles): readonly string[] {
  const { manifest, mcpServer, changelog, kubernetes } = files;
  const { version } = manifest;
  const problems: readonly (readonly [isProblem: boolean, problem: string])[] = [
    [tag !== `v${version}`, `The tag is ${tag}, but package.json has version ${version}.`],
    [manifest.repository === undefined, 'package.json has no "repository".'],
    [mcpServer.name.includes('OWNER'), 'ops/server.json has no owner.'],
    [
      manifest.mcpName !== mcpServer.name,
      `"mcpName" in package.json must be ${mcpServer.name}, the name in ops/server.json.`,
    ],
    [
      [mcpServer, ...mcpServer.packages].some((each) => each.version !== version),
      `ops/server.json must have version ${version}.`,
    ],
    [
      !kubernetes.includes(`/rdap-graphql-gateway:${version}\n`),
      `ops/kubernetes.yaml must name the image with version ${version}.`,
    ],
    [
      !new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(
        changelog,
      ),
      `CHANGELOG.md needs a section "${version}" with its date.`,
    ],
  ];

  return problems.flatMap(([isProblem, problem]) => (isProblem ? [problem] : []));
}

/** Reads the files from the folder of the project. */
export function readReleaseFiles(): ReleaseFiles {
  return {
    manifest: JSON.parse(read('package.json')),
    mcpServer: JSON.parse(read('ops/server.json')),
    changelog: read('CHANGELOG.md'),
    kubernetes: read('ops/kubernetes.yaml'),
  };
}

function read(path: string): string {
  return readFileSync(join(import.meta.dirname, '..', path), 'utf8');
}

if (import.meta.main) {
  const problems = releaseProblems(process.argv[2] ?? '', readReleaseFiles());
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
