#!/usr/bin/env node
/** The command line of Lathe as a package of npm: everything is built, so it only needs the right Node. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseNode, OLDEST_NODE } from '../scripts/lib/decisions.mjs';

const cli = new URL('../out/main/cli.js', import.meta.url);
const own = ownNode();
const choice = chooseNode(process.version, own && `v${own.version}`);
if (choice === 'this') await import(cli.href);
else if (choice === 'bundled') await continueWith(own.path);
else {
  process.stderr.write(
    `Lathe needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.version}. Install it from https://nodejs.org.\n`,
  );
  process.exit(1);
}

/** Returns the Node that was installed along, or null where there is none. */
function ownNode() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const path = join(dirname(manifest), 'bin', 'node');
    return existsSync(path) ? { path, version: createRequire(manifest)(manifest).version } : null;
  } catch {
    return null;
  }
}

/** Runs the command line with another Node in the place of this one, signals and exit code included. */
function continueWith(node) {
  // It ends with us, also when we are killed: by this number it knows that we are its parent.
  const env = { ...process.env, LATHE_LAUNCHER: String(process.pid) };
  const words = [fileURLToPath(cli), ...process.argv.slice(2)];
  const child = spawn(node, words, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  // By the end of its parent a driven run finds out that its program was killed: what stands between them ends too.
  const parent = process.ppid;
  const isOrphaned = () => process.ppid !== parent;
  if (process.argv.some((word) => word.startsWith('--input-format')))
    setInterval(() => isOrphaned() && process.exit(), 100).unref();
  return new Promise(() => {
    child.on('error', ({ message }) => {
      process.stderr.write(`Lathe could not be started: ${message}\n`);
      process.exit(1);
    });
    child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  });
}
