import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { lockHoles } from './decisions.mjs';
import { inRoot, readJson, root } from './system.mjs';

/** The script behind a command of an installed package; run it with `process.execPath`. */
export function toolPath(packageName, command) {
  const folder = inRoot('node_modules', ...packageName.split('/'));
  const { bin } = readJson(join(folder, 'package.json'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/** Some tools take `FORCE_COLOR=0` for a yes. */
const { FORCE_COLOR: _, ...plain } = process.env;
const withoutColors = { ...plain, NO_COLOR: '1' };

/** More of a failed step nobody reads. Characters. */
const MAX_OUTPUT = 60_000;

/** Runs a step with its output kept back; shows it when the step fails. Resolves its outcome. */
export function quietStep(name, tool, args) {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [tool, ...args], {
      cwd: root,
      env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : withoutColors,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    const finish = (passed) => {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      console.log(`${passed ? '✓' : '✗'} ${name} (${seconds} s)`);
      if (!passed)
        console.log(output.length > MAX_OUTPUT ? `…${output.slice(-MAX_OUTPUT)}` : output);
      resolve({ name, passed, output: output.slice(0, MAX_OUTPUT) });
    };
    child.on('error', (error) => {
      output += error.message;
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}

/** Starts the checks that need no tests: format and lint, unused code, both type checks. Resolves one outcome each. */
export function staticChecks() {
  const tsc = toolPath('typescript', 'tsc');
  return [
    wholeLockfile(),
    quietStep('format and lint', toolPath('@biomejs/biome', 'biome'), [
      'ci',
      '.',
      ...(process.stdout.isTTY ? [] : ['--colors=off']),
    ]),
    quietStep('unused files, exports and packages', toolPath('knip', 'knip'), [
      '--no-progress',
      '--treat-config-hints-as-errors',
    ]),
    // Several checkers do much of their work twice, and other checks run beside them.
    quietStep('types: main and tests', tsc, ['-p', 'tsconfig.json', '--singleThreaded']),
    quietStep('types: page and preload', tsc, ['-p', 'tsconfig.web.json', '--singleThreaded']),
  ];
}

async function wholeLockfile() {
  const name = 'lockfile is whole';
  const holes = lockHoles(readJson(inRoot('package-lock.json')));
  const passed = holes.length === 0;
  const output = holes.map((hole) => `  missing: ${hole}`).join('\n');
  console.log(`${passed ? '✓' : '✗'} ${name}`);
  if (!passed) console.log(output);
  return { name, passed, output };
}
