import { homedir } from 'node:os';
import type { Fault } from '../shared/result';
import { type AppEnvironment, folderProblem, startFolder } from './hosts/common/app-environment';
import type {
  CommandLine,
  DoctorCommand,
  PluginCommand,
  WindowCommand,
} from './hosts/common/command-line/command';
import type { PathAct } from './hosts/common/command-line/user-path';
import { endingSignal } from './hosts/common/ending-signal';
import { forgetKeys, plainKeyFile, withKeyFile } from './hosts/common/key-file';
import { EXIT, endingCode, fail } from './hosts/headless/exit-code';
import { complain, createOutput, say } from './hosts/headless/output';
import { createNodeFiles } from './node/files';

/** A command that opens no session: it looks at what is installed, set and kept, or changes that. */
type Subcommand = Exclude<
  CommandLine,
  {
    readonly kind:
      | 'help'
      | 'version'
      | 'protocolVersion'
      | 'headless'
      | 'acp'
      | WindowCommand['kind'];
  }
>;

/** Runs a command that opens no session; gives its exit code. */
export function runSubcommand(command: Subcommand, environment: AppEnvironment): Promise<number> {
  switch (command.kind) {
    case 'doctor':
      return doctor(command, environment);
    case 'auth':
      return auth(command, environment);
    case 'path':
      return changePath(command.act, environment);
    case 'checkPermissions':
      return checkCalls(command.folder, environment);
    case 'mcp':
      return toolServers(command, environment);
    case 'searchSessions':
      return search(command.text, environment);
    case 'exportSession':
      return exportSession(command, environment);
    case 'keepSession':
      return keepSession(command, environment);
    case 'plugin':
      return plugin(command, environment);
  }
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
    plugins: await createPlugins(command.folder, withKeyFile(environment, createNodeFiles())),
    say,
    complain,
    confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : null,
  });
  return done ? EXIT.success : EXIT.error;
}

async function search(text: string, environment: AppEnvironment): Promise<number> {
  const [{ createSearches }, { searchSessions }, { savedPreferences }] = await Promise.all([
    import('./compose-sessions'),
    import('./hosts/headless/sessions-command'),
    import('./app/state-store'),
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
  const parts = await createMcpParts(
    at,
    withKeyFile(environment, createNodeFiles()),
    ending.signal,
  );
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
  const { connection, sources } = await connectionOf(
    options,
    withKeyFile(environment, createNodeFiles()),
  );
  if (removed !== null) {
    say(loggedOut(removed.value, sources, asJson));
    return EXIT.success;
  }
  say(authStatus(connection, asJson));
  return connection.kind === 'none' ? EXIT.error : EXIT.success;
}

async function doctor(command: DoctorCommand, environment: AppEnvironment): Promise<number> {
  const problem = await folderProblem(command.folder);
  if (problem !== null) return fail(problem);
  const [{ reportLines }, { examineInstallation }, { ownEnvironment }] = await Promise.all([
    import('./app/doctor'),
    import('./compose'),
    import('./compose-environment'),
  ]);
  const options = withKeyFile(environment, createNodeFiles());
  const env = await ownEnvironment(options.env);
  const findings = await examineInstallation(command.folder, { ...options, env }, command);
  for (const line of reportLines(findings)) say(line);
  return findings.some(({ state }) => state === 'bad') ? EXIT.error : EXIT.success;
}
