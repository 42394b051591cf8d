import { randomUUID } from 'node:crypto';
import {
  type AppEnvironment,
  debugWish,
  folderProblem,
  isFolder,
  readAppEnvironment,
  startFolder,
} from './hosts/common/app-environment';
import type {
  CommandLine,
  DebugFlags,
  HeadlessCommand,
  WindowCommand,
} from './hosts/common/command-line/command';
import { helpText } from './hosts/common/command-line/help-text';
import { parseCommandLine } from './hosts/common/command-line/parse';
import { electronObstacle, findElectron, runElectron, thisDesktop } from './hosts/common/desktop';
import { endingSignal } from './hosts/common/ending-signal';
import { instanceAddress, isInstanceAt } from './hosts/common/instance';
import { withKeyFile } from './hosts/common/key-file';
import { EXIT, endingCode, fail } from './hosts/headless/exit-code';
import { linesKnownTo } from './hosts/headless/known-lines';
import { complain, createOutput, say } from './hosts/headless/output';
import { runHeadless } from './hosts/headless/run-headless';
import { PROTOCOL_VERSION } from './hosts/headless/session-facts';
import { emitterOn } from './hosts/headless/terminal-emit';
import { createNodeFiles } from './node/files';
import { reached } from './node/startup';
import { createNodeClock } from './node/system';
import { runSubcommand } from './subcommands';

/** Runs one command line and ends the process with its exit code. `mainFolder` is the folder of the entry file. */
export async function runCommandLine(mainFolder: string, words: readonly string[]): Promise<void> {
  const code = await main(mainFolder, words).catch(failed);
  process.exit(code);
}

function failed(error: unknown): number {
  const debug = process.argv.includes('--debug');
  complain(`Lathe failed: ${error instanceof Error ? error.message : String(error)}`);
  if (debug && error instanceof Error) complain(error.stack ?? '');
  else complain('This is a mistake in Lathe. Run it again with --debug for details.');
  return EXIT.error;
}

/** Returns whether the folder this process was started in is still there. */
function hasFolder(): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    return false;
  }
}

async function main(mainFolder: string, words: readonly string[]): Promise<number> {
  if (!hasFolder())
    return fail({
      code: 'no_folder',
      message: 'The folder that Lathe was started in does not exist any more.',
      fix: 'Go to another folder and start it there.',
    });
  const environment = readAppEnvironment(mainFolder);
  if (!environment.ok) return fail(environment.error);
  const { env, layout, version } = environment.value;
  const base = startFolder(env, process.cwd(), layout.root);
  const parsed = parseCommandLine(words, base, process.stdout.isTTY ? null : { isFolder });
  if (!parsed.ok) return fail(parsed.error, EXIT.usage);
  const command = parsed.value;
  switch (command.kind) {
    case 'help':
      say(helpText(command.topic));
      return EXIT.success;
    case 'version':
      say(version);
      return EXIT.success;
    case 'protocolVersion':
      // Programs of the ecosystem ask so whether it is new enough for them.
      say(`${PROTOCOL_VERSION} (Lathe ${version})`);
      return EXIT.success;
    case 'acp':
      return acp(command, environment.value);
    case 'headless':
      return headless(command, environment.value);
    case 'serve':
    case 'open': {
      const problem = command.folder === undefined ? null : await folderProblem(command.folder);
      if (problem !== null) return fail(problem);
      return command.kind === 'open'
        ? open(command, environment.value)
        : serveUntilEnded(command, environment.value);
    }
    default:
      return runSubcommand(command, environment.value);
  }
}

async function headless(command: HeadlessCommand, environment: AppEnvironment): Promise<number> {
  const ending = endingSignal();
  const { openHeadless } = await import('./compose');
  reached('app loaded');
  // Who started the program says so; `env` of settings is none of it.
  const wishes = (name: string) => /^(1|true|yes|on)$/i.test(environment.env[name] ?? '');
  const installs = wishes('CLAUDE_CODE_SYNC_PLUGIN_INSTALL')
    ? (await import('./compose-plugins')).createPluginInstalls(
        withKeyFile(environment, createNodeFiles()),
      )
    : undefined;
  const out = createOutput(process.stdout, () => ending.end(EXIT.error));
  // A program that was killed reads no more. Only a write finds that out, and until then its session would stay held.
  if (command.inputFormat === 'stream-json')
    ending.onOrphaned(() => void out.line({ type: 'keep_alive' }));
  const code = await runHeadless(command, {
    out,
    input: { stream: process.stdin, isTerminal: process.stdin.isTTY },
    ending: ending.signal,
    complain,
    version: environment.version,
    uuid: randomUUID,
    clock: createNodeClock(),
    known: linesKnownTo(environment.env),
    summarises: wishes('CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES'),
    emit: emitterOn(process.stderr, environment.env),
    ...(installs === undefined ? {} : { installs }),
    open: (options, program) =>
      openHeadless(
        options,
        { ...withKeyFile(environment, createNodeFiles()), debug: wishOf(command, environment) },
        program,
      ),
  });
  ending.dispose();
  return code;
}

async function acp(
  command: Extract<CommandLine, { kind: 'acp' }>,
  environment: AppEnvironment,
): Promise<number> {
  const ending = endingSignal();
  const [{ openHeadless }, { serveAcp }, { createSessionKeeper, createSessionList }] =
    await Promise.all([
      import('./compose'),
      import('./hosts/acp/serve-acp'),
      import('./compose-sessions'),
    ]);
  await serveAcp(command.options, {
    input: process.stdin,
    output: process.stdout,
    ending: ending.signal,
    complain,
    version: environment.version,
    list: createSessionList(environment.latheHome),
    remove: (id, folder) => createSessionKeeper(environment.latheHome)('delete', id, folder),
    open: (options, program) =>
      openHeadless(
        options,
        { ...withKeyFile(environment, createNodeFiles()), debug: wishOf(command, environment) },
        program,
      ),
  });
  const code = ending.signal.aborted ? endingCode(ending.signal) : EXIT.success;
  ending.dispose();
  return code;
}

const wishOf = (flags: DebugFlags, { env, layout }: AppEnvironment) =>
  debugWish(env, startFolder(env, process.cwd(), layout.root), flags);

async function open(command: WindowCommand, environment: AppEnvironment): Promise<number> {
  const program = await findElectron(environment.layout.root);
  const obstacle = electronObstacle(program, thisDesktop());
  if (program !== null && obstacle === null) {
    const ran = await runElectron(program, command, () =>
      isInstanceAt(instanceAddress(environment.latheHome, process.platform)),
    );
    if (ran.kind === 'ran') return ran.exitCode;
    complain(`Electron did not start (${ran.why}).`);
  }
  say(
    `Electron cannot be used here${obstacle === null ? '' : ` (${obstacle})`}: the same app is served to a browser instead.`,
  );
  return serveUntilEnded(command, environment);
}

async function serveUntilEnded(
  command: WindowCommand,
  environment: AppEnvironment,
): Promise<number> {
  const ending = endingSignal();
  // Who reads may go first, as `tee` does at Ctrl-C: what runs is ended all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const { startWebHost } = await import('./web');
  reached('app loaded');
  const started = await startWebHost(command, environment, wishOf(command, environment), say);
  if (!started.ok) return fail(started.error);
  if (started.value.kind === 'elsewhere') return EXIT.success;
  const { quit, stop } = started.value;
  const ended = ending.ended.then(() => ({ keepTerminals: false }));
  await stop(await Promise.race([ended, quit]));
  ending.dispose();
  return EXIT.success;
}
