import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createNodeLocks } from './node/locks';
import { keepCompiledCode } from './node/runtime';

/** Between TERM and KILL when the system ends the host. Milliseconds. */
const SYSTEM_GRACE_MS = 500;

/**
 * Runs the terminal host's own process. `--run-folder` is `$LATHE_HOME/run`, `--app-version` that of Lathe; `--finish` makes it the guard of a
 * process that holds its own terminals; the rest is for tests.
 */
async function main(): Promise<void> {
  keepCompiledCode(import.meta.dirname);
  const [{ IDLE_EXIT_MS, TerminalHost }, { MAX_OUTPUT_BYTES }, { hostPlace }] = await Promise.all([
    import('./terminal/host/host'),
    import('./terminal/host/hosted-terminal'),
    import('./terminal/run-folder'),
  ]);
  const { values } = parseArgs({
    options: {
      'run-folder': { type: 'string' },
      'app-version': { type: 'string', default: '' },
      'idle-ms': { type: 'string', default: String(IDLE_EXIT_MS) },
      finish: { type: 'string' },
      'max-output-bytes': { type: 'string', default: String(MAX_OUTPUT_BYTES) },
    },
  });
  const runFolder = values['run-folder'];
  if (runFolder === undefined) throw new Error('--run-folder is missing.');
  if (values.finish !== undefined) return finish(runFolder, values.finish);
  const place = hostPlace(runFolder);
  const host = await TerminalHost.start({
    place,
    version: values['app-version'],
    locks: createNodeLocks(),
    idleExitMs: Number(values['idle-ms']),
    maxOutputBytes: Number(values['max-output-bytes']),
    exit: (code) => process.exit(code),
  });
  if (!host.ok) {
    // Nobody reads our standard error; whoever started us looks here.
    writeFileSync(place.log, `${host.error.message}\n`, { mode: 0o600 });
    process.exit(1);
  }
  if (host.value === false) return;
  const { value } = host;
  process.on('uncaughtException', value.failed);
  process.on('unhandledRejection', value.failed);
  process.on('SIGHUP', () => undefined);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => value.end(SYSTEM_GRACE_MS).catch(value.failed));
}

/** See `terminal/own/guard.ts`. */
async function finish(runFolder: string, hostId: string): Promise<void> {
  const { endedWell, finishHost } = await import('./terminal/own/guard');
  if (!(await endedWell(process.stdin))) await finishHost(runFolder, hostId);
}

void main();
