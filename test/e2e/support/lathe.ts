import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import type { ElectronProgram } from '../../../src/main/hosts/common/desktop';
import { NODE_WORDS } from '../../support/node-words';
import { type ElectronApp, startElectronApp } from './electron-app';
import { endProcessesOf, processesOf } from './processes';

const CLI = join(import.meta.dirname, '../../../out/main/cli.js');

/** The longest a start or an end may take before the test fails, in milliseconds. */
const PATIENCE_MS = 60_000;

/** A web host with a home of its own. */
export interface Lathe {
  /** Tells that it has read what its home holds. */
  readonly hasStarted: boolean;
  /** A fresh single-use link. */
  link(): Promise<string>;
  /** The folder that stands for the user's home. */
  readonly home: string;
  readonly latheHome: string;
  /** Everything the process printed. */
  output(): string;
  /** Stops it in the middle of whatever it does, until the function it returns is called. */
  freeze(): () => void;
  /** Ends it as Ctrl+C would, and gives the processes it left behind. */
  stop(): Promise<readonly string[]>;
}

/** A finished command line. */
export interface Ran {
  readonly exitCode: number | null;
  readonly output: string;
}

interface CliOptions {
  readonly cli?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The surroundings of a shell in a terminal, in which nothing of the real home, keys or display is seen. */
function cleanEnv(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LATHE_HOME: join(home, '.lathe'),
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHLVL: '1',
  };
}

/** Runs the command line, this build's unless another one is named, to its end. `env` is added to its surroundings. */
export function runCli(
  home: string,
  words: readonly string[],
  { cli = CLI, env = {} }: CliOptions = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [...NODE_WORDS, cli, ...words], {
    env: { ...cleanEnv(home), ...env },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  return new Promise((resolve) => {
    child.once('exit', (exitCode) => resolve({ exitCode, output: output() }));
  });
}

/** Starts `lathe serve` and waits for its link. `env` is added to its surroundings. */
export async function startLathe(
  home: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  cli = CLI,
): Promise<Lathe> {
  const args = [...NODE_WORDS, cli, 'serve', '--no-open', '--port', '0', ...words];
  const child = spawn(process.execPath, args, { env: { ...cleanEnv(home), ...env }, cwd: home });
  const output = collect(child);
  const first = await firstLink(child, output);
  const latheHome = join(home, '.lathe');
  const spare = [first];
  return {
    hasStarted: true,
    home,
    latheHome,
    output,
    async link() {
      const unused = spare.pop();
      if (unused !== undefined) return unused;
      const again = await runCli(home, ['serve', '--no-open'], { cli });
      return findLink(again.output) ?? fail('no fresh link', again.output);
    },
    freeze() {
      child.kill('SIGSTOP');
      return () => {
        child.kill('SIGCONT');
      };
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGINT');
        const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
        await ended;
        clearTimeout(timer);
        if (child.signalCode === 'SIGKILL') return [HANGS, ...(await processesOf(latheHome))];
      }
      return processesOf(latheHome);
    },
  };
}

/** Returns a host that starts when its first link is asked for; until then its home can be made ready. */
function startedByLink(home: string, start: () => Promise<Lathe>): Lathe {
  let starting: Promise<Lathe> | null = null;
  let running: Lathe | null = null;
  return {
    home,
    latheHome: join(home, '.lathe'),
    get hasStarted() {
      return starting !== null;
    },
    async link() {
      starting ??= start();
      running = await starting;
      return running.link();
    },
    output: () => running?.output() ?? '',
    freeze() {
      if (running === null) throw new Error('It has not started.');
      return running.freeze();
    },
    stop: async () => (await starting)?.stop() ?? [],
  };
}

/** Stands among the processes that are left behind when Lathe did not end by itself. */
const HANGS = 'Lathe itself, which did not end in a minute and was killed';

/** The desktop app as a host. Its link is the page that its window shows. */
function desktopLathe(app: ElectronApp, home: string): Lathe {
  const latheHome = join(home, '.lathe');
  const address = app.page.url();
  return {
    hasStarted: true,
    home,
    latheHome,
    output: app.output,
    link: async () => address,
    freeze: () => {
      throw new Error('Only a web host is stopped in the middle.');
    },
    stop: async () => {
      const end = await app.quit();
      if (end !== 'quit') await endProcessesOf(latheHome);
      const left = await processesOf(latheHome);
      return end === 'hung' ? [HANGS, ...left] : left;
    },
  };
}

/** Variables by which programs with windows find the screen and the keychain, and Windows its own folders. */
const OF_DESKTOP = [
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...[
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'COMSPEC',
    'PATHEXT',
    'TEMP',
    'APPDATA',
    'LOCALAPPDATA',
  ],
];

/** Returns those variables, and the home under the name that Windows has for it. */
const desktopEnv = (home: string): Record<string, string> => ({
  ...Object.fromEntries(
    OF_DESKTOP.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
  ...(process.platform === 'win32' ? { USERPROFILE: home } : {}),
});

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return () => text;
}

const findLink = (output: string): string | null =>
  /http:\/\/127\.0\.0\.1:\d+\/#ticket=\S+/.exec(output)?.[0] ?? null;

function fail(what: string, output: string): never {
  throw new Error(`${what}. It printed:\n${output}`);
}

function firstLink(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const end = (act: () => void): void => {
      clearTimeout(timer);
      act();
    };
    const no = (what: string): void => end(() => reject(new Error(`${what}: ${output()}`)));
    const timer = setTimeout(() => no('Lathe did not start in time'), PATIENCE_MS);
    const look = (): void => {
      const link = findLink(output());
      if (link !== null) end(() => resolve(link));
    };
    child.stdout?.on('data', look);
    child.once('exit', (code) => no(`Lathe ended with ${code}`));
  });
}

const paceOf = (wordMs: number | null): Record<string, string> =>
  wordMs === null ? {} : { LATHE_DEMO_WORD_MS: String(wordMs) };

/** The options of a project in playwright.config.ts. */
export interface ProjectOptions {
  /** The program of the desktop app; null: the web host, in a browser. */
  electron: ElectronProgram | null;
}

interface Fixtures {
  /** Words added to `lathe serve`. */
  serveWords: readonly string[];
  /** The time that the model of the demo takes for a word, in milliseconds; null: as long as for a user. */
  demoWordMs: number | null;
  /** A fresh home folder. */
  home: string;
  /** The desktop app, when that is what is tried. */
  app: ElectronApp | null;
  lathe: Lathe;
}

/** What the tests of the page may do in their browser. Give it to `test.use`. */
export const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

/** A test with a fresh home and a host, which must leave no process behind. */
export const test = base.extend<Fixtures & ProjectOptions>({
  serveWords: [[], { option: true }],
  demoWordMs: [1, { option: true }],
  electron: [null, { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures out of this pattern
  home: async ({}, use) => {
    const home = await mkdtemp(join(tmpdir(), 'lathe-e2e-'));
    await mkdir(join(home, 'projects'));
    await use(home);
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  },
  app: async ({ home, electron, serveWords, demoWordMs }, use) => {
    const env = { ...cleanEnv(home), ...desktopEnv(home), ...paceOf(demoWordMs) };
    const app = electron && (await startElectronApp(electron, env, home, serveWords));
    await use(app);
    await app?.quit();
  },
  page: async ({ page, app, viewport, contextOptions }, use) => {
    if (app && viewport) await app.page.setViewportSize(viewport);
    await app?.page.emulateMedia({ reducedMotion: contextOptions.reducedMotion ?? null });
    await use(app?.page ?? page);
  },
  lathe: async ({ home, serveWords, demoWordMs, app }, use, info) => {
    const lathe = app
      ? desktopLathe(app, home)
      : startedByLink(home, () => startLathe(home, serveWords, paceOf(demoWordMs)));
    await use(lathe);
    const left = await lathe.stop();
    if (info.status !== info.expectedStatus)
      await info.attach('lathe.log', { body: lathe.output(), contentType: 'text/plain' });
    if (left.length > 0) throw new Error(`left behind:\n${left.join('\n')}`);
  },
});

export { expect } from '@playwright/test';
