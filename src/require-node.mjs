// Plain JavaScript, loaded first, so that an unsupported Node exits with one line instead of a
// stack trace.
import module from 'node:module';

// The security fixes of 21 October 2026 are in 24.22.1 and 26.12.1. Node 26 is accepted from
// 26.10.0, the newest release that is published as a package for macOS and Windows; `encodings.ts`
// does not use its Brotli decoder (CVE-2026-111497). Node 25 has reached its end of life.
const [major, minor, patch] = process.versions.node.split('.').map(Number);
const isSupported =
  major > 26 ||
  (major === 26 && minor >= 10) ||
  (major === 24 && (minor > 22 || (minor === 22 && patch >= 1)));
if (!isSupported) {
  console.error(
    `RDAP Gateway requires Node 26.10.0 or later, or 24.22.1 or a later 24.x, but this is Node ${process.versions.node}. ` +
      'Run `npm ci` (without --omit=optional), which installs Node as a package where one exists for this platform, or install Node 26.',
  );
  process.exit(2);
}

// Caches compiled modules, with types stripped, for the next start. If the folder is not writable,
// nothing is cached.
module.enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/compiled`);

const { useBundle } = await import('./bundle.mjs');
useBundle();
