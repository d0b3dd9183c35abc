// Bundles the extension into out/extension.js, and with --tests the unit tests into out/test/.
import { build } from 'esbuild';
import { readdirSync, rmSync } from 'node:fs';

const tests = process.argv.includes('--tests');
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  logLevel: 'warning',
};

if (tests) {
  rmSync('out/test', { recursive: true, force: true });
  const files = readdirSync('src/test').filter((name) => name.endsWith('.test.ts'));
  await build({
    ...shared,
    entryPoints: files.map((name) => `src/test/${name}`),
    outdir: 'out/test',
    sourcemap: 'inline',
    // The bundles run in out/test; what they read of the package lies above.
    define: { 'process.env.MILEPOST_CLIENT': JSON.stringify(process.cwd()) },
  });
} else {
  await build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'out/extension.js',
    minify: !process.argv.includes('--debug'),
    sourcemap: process.argv.includes('--debug') ? 'linked' : false,
    legalComments: 'none',
  });
}
