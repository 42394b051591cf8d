import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import type { Fault } from '../shared/result';
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
  DoctorCommand,
  HeadlessCommand,
  PluginCommand,
  WindowCommand,
} from './hosts/common/command-line/command';
import { helpText } from './hosts/common/command-line/help-text';
import { parseCommandLine } from './hosts/common/command-line/parse';
import type { PathAct } from './hosts/common/command-line/user-path';
import { electronObstacle, findElectron, runElectron, thisDesktop } from './hosts/common/desktop';
import { endingSignal } from './hosts/common/ending-signal';
import { instanceAddress, isInstanceAt } from './hosts/common/instance';
import { forgetKeys, plainKeyFile } from './hosts/common/key-file';
import { EXIT, endingCode } from './hosts/headless/in-session';
import { linesKnownTo } from './hosts/headless/known-lines';
import { createOutput, printable } from './hosts/headless/output';
import { runHeadless } from './hosts/headless/run-headless';
import { PROTOCOL_VERSION } from './hosts/headless/session-facts';
import { emitterOn } from './hosts/headless/terminal-emit';
import { createNodeFiles } from './node/files';
import { reached } from './node/startup';
import { createNodeClock } from './node/system';

const say = (line: string) => process.stdout.write(printable(`${line}\n`, process.stdout));
const complain = (line: string) => process.stderr.write(printable(`${line}\n`, process.stderr));

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

async function main(mainFolder: string, words: readonly string[]): Promise<number> {
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
    case 'doctor':
      return doctor(command, environment.value);
    case 'auth':
      return auth(command, environment.value);
    case 'path':
      return changePath(command.act, environment.value);
    case 'checkPermissions':
      return checkCalls(command.folder, environment.value);
    case 'mcp':
      return toolServers(command, environment.value);
    case 'searchSessions':
      return search(command.text, environment.value);
    case 'exportSession':
      return exportSession(command, environment.value);
    case 'keepSession':
      return keepSession(command, environment.value);
    case 'plugin':
      return plugin(command, environment.value);
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
  }
}

function fail({ message, fix }: Fault, code: number = EXIT.error): number {
  complain(message);
  if (fix !== undefined) complain(fix);
  return code;
}

async function changePath(act: PathAct, { layout, env }: AppEnvironment): Promise<number> {
  const { changePath: change, launcherOf } = await import('./hosts/common/path-command');
  const { platform } = process;
  const launcher = launcherOf(layout.root, platform, env);
  if (launcher === null)
    return fail({
      code: 'not_installed',
      message: 'Only an app of macOS or Windows and an AppImage do this.',
      fix: 'Packages of Linux and of npm have put lathe into PATH already.',
    });
  const changed = await change(act, { platform, env, home: homedir(), launcher });
  if (!changed.ok) return fail(changed.error);
  say(changed.value);
  return EXIT.success;
}

async function headless(command: HeadlessCommand, environment: AppEnvironment): Promise<number> {
  const ending = endingSignal();
  const { openHeadless } = await import('./compose');
  reached('app loaded');
  // Who started the program says so; `env` of settings is none of it.
  const wishes = (name: string) => /^(1|true|yes|on)$/i.test(environment.env[name] ?? '');
  const installs = wishes('CLAUDE_CODE_SYNC_PLUGIN_INSTALL')
    ? (await import('./compose-plugins')).createPluginInstalls(composeOptions(environment))
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
        { ...composeOptions(environment), debug: wishOf(command, environment) },
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
        { ...composeOptions(environment), debug: wishOf(command, environment) },
        program,
      ),
  });
  const code = ending.signal.aborted ? endingCode(ending.signal) : EXIT.success;
  ending.dispose();
  return code;
}

const wishOf = (flags: DebugFlags, { env, layout }: AppEnvironment) =>
  debugWish(env, startFolder(env, process.cwd(), layout.root), flags);

const composeOptions = (environment: AppEnvironment) => ({
  latheHome: environment.latheHome,
  problems: environment.problems,
  env: environment.env,
  keyStore: plainKeyFile(createNodeFiles(), environment.latheHome),
  launchTerminalHost: environment.launchTerminalHost,
  resources: environment.layout.resources,
  version: environment.version,
  documentReader: environment.layout.documentReader,
  sandboxHost: environment.layout.sandboxHost,
});

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

async function checkCalls(folder: string, environment: AppEnvironment): Promise<number> {
  const [{ createCheckParts }, { checkPermissions }] = await Promise.all([
    import('./compose-check'),
    import('./hosts/headless/check-permissions'),
  ]);
  if (process.stdin.isTTY) complain('Reading calls from standard input, one JSON object a line.');
  const allUsable = await checkPermissions({
    ...createCheckParts(environment.env),
    cwd: folder,
    input: process.stdin,
    out: createOutput(process.stdout, () => process.stdin.destroy()),
    complain,
  });
  return allUsable ? EXIT.success : EXIT.error;
}

async function plugin(command: PluginCommand, environment: AppEnvironment): Promise<number> {
  const [{ createPlugins }, { runPluginCommand }, { createInterface }] = await Promise.all([
    import('./compose-plugins'),
    import('./hosts/headless/plugin-command'),
    import('node:readline/promises'),
  ]);
  const confirm = async (question: string) => {
    const reader = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await reader.question(question);
    reader.close();
    return /^y(es)?$/i.test(answer.trim());
  };
  const done = await runPluginCommand(command, {
    plugins: await createPlugins(command.folder, composeOptions(environment)),
    say,
    complain,
    confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : null,
  });
  return done ? EXIT.success : EXIT.error;
}

async function search(text: string, environment: AppEnvironment): Promise<number> {
  const [{ createSearches }, { searchSessions }, { savedPreferences }, { createNodeFiles }] =
    await Promise.all([
      import('./compose-sessions'),
      import('./hosts/headless/sessions-command'),
      import('./app/state-store'),
      import('./node/files'),
    ]);
  const preferences = await savedPreferences(createNodeFiles(), environment.latheHome);
  const ending = endingSignal();
  const searches = createSearches(
    environment.latheHome,
    environment.layout.searchWorker,
    environment.env,
    () => ({ preferences }),
  );
  const out = createOutput(process.stdout, () => ending.end(EXIT.error));
  const found = await searchSessions(
    text,
    { search: searches.search, out, complain },
    ending.signal,
  );
  await searches.close();
  ending.dispose();
  return found ? EXIT.success : EXIT.error;
}

async function exportSession(
  { sessionId, format }: Extract<CommandLine, { kind: 'exportSession' }>,
  { env: given, latheHome, layout }: AppEnvironment,
): Promise<number> {
  const [{ createExporter }, { ownEnvironment }] = await Promise.all([
    import('./compose-sessions'),
    import('./compose-environment'),
  ]);
  const env = await ownEnvironment(given);
  const ending = endingSignal();
  const out = createOutput(process.stdout, () => ending.end(EXIT.error));
  const stored = await plainKeyFile(createNodeFiles(), latheHome).get();
  const secrets = [env['ANTHROPIC_API_KEY'], env['ANTHROPIC_AUTH_TOKEN'], stored].filter(
    (secret) => typeof secret === 'string',
  );
  let fault: Fault | null = null;
  const projects = [startFolder(given, process.cwd(), layout.root)];
  const request = { sessionId, format, secrets, projects, tell: complain };
  for await (const piece of createExporter(latheHome)(request, ending.signal)) {
    if (piece.ok) await out.text(piece.value);
    else fault = piece.error;
  }
  ending.dispose();
  if (fault !== null) return fail(fault);
  return ending.signal.aborted ? EXIT.error : EXIT.success;
}

async function keepSession(
  { act, sessionId }: Extract<CommandLine, { kind: 'keepSession' }>,
  { env, latheHome, layout }: AppEnvironment,
): Promise<number> {
  const { createSessionKeeper } = await import('./compose-sessions');
  const folder = startFolder(env, process.cwd(), layout.root);
  const done = await createSessionKeeper(latheHome)(act, sessionId, folder);
  if (!done.ok) return fail(done.error);
  say(done.value);
  return EXIT.success;
}

async function toolServers(
  { act, ...at }: Extract<CommandLine, { kind: 'mcp' }>,
  environment: AppEnvironment,
): Promise<number> {
  const [{ createMcpParts }, { runMcp }] = await Promise.all([
    import('./compose-mcp'),
    import('./hosts/headless/mcp-command'),
  ]);
  const problem = await folderProblem(at.folder);
  if (problem !== null) return fail(problem);
  const ending = endingSignal();
  const out = createOutput(process.stdout, () => ending.end(EXIT.error));
  const parts = await createMcpParts(at, composeOptions(environment), ending.signal);
  const done = await runMcp(act, { ...parts, out, complain }, ending.signal);
  ending.dispose();
  if (!done.ok) return fail(done.error);
  return ending.signal.aborted ? endingCode(ending.signal) : EXIT.success;
}

async function auth(
  { act, options, asJson }: Extract<CommandLine, { kind: 'auth' }>,
  environment: AppEnvironment,
): Promise<number> {
  const problem = await folderProblem(options.folder);
  if (problem !== null) return fail(problem);
  const [{ connectionOf }, { authStatus, loggedOut }] = await Promise.all([
    import('./compose-auth'),
    import('./hosts/headless/auth-command'),
  ]);
  const removed =
    act === 'logout' ? await forgetKeys(createNodeFiles(), environment.latheHome) : null;
  if (removed?.ok === false) return fail(removed.error);
  const { connection, sources } = await connectionOf(options, composeOptions(environment));
  if (removed !== null) {
    say(loggedOut(removed.value, sources, asJson));
    return EXIT.success;
  }
  say(authStatus(connection, asJson));
  return connection.kind === 'none' ? EXIT.error : EXIT.success;
}

async function doctor(command: DoctorCommand, environment: AppEnvironment): Promise<number> {
  const [{ reportLines }, { examineInstallation }, { ownEnvironment }] = await Promise.all([
    import('./app/doctor'),
    import('./compose'),
    import('./compose-environment'),
  ]);
  const options = composeOptions(environment);
  const env = await ownEnvironment(options.env);
  const findings = await examineInstallation(command.folder, { ...options, env }, command);
  for (const line of reportLines(findings)) say(line);
  return findings.some(({ state }) => state === 'bad') ? EXIT.error : EXIT.success;
}
