import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AppInfo } from '../../../shared/contract';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { WhatRuns } from '../../../shared/what-runs';
import type { Workbench } from '../../app/workbench';
import type { Files, Locks } from '../../engine/ports';
import type { Desktop } from '../common/desktop';
import {
  askInstance,
  becomeInstance,
  type InstanceReply,
  instanceAddress,
  instanceLock,
} from '../common/instance';
import { openStaticFiles, type StaticFiles } from '../common/page-files';
import { createRouter } from '../handlers/router';
import { type Admission, createAdmission, readKeptHost, writeKeptHost } from './admission';
import { openAppWindow } from './app-window';
import { serveSockets } from './sockets';
import { startWebServer, type WebServer } from './web-server';

/** Options of `lathe serve`. */
export interface ServeOptions {
  readonly latheHome: string;
  /** The folder of the built page. */
  readonly renderer: string;
  readonly version: string;
  readonly keyStorage: string;
  /** 0 takes the port of the last time where it is free, else any that is. */
  readonly port: number;
  readonly demo: boolean;
  readonly openWindow: boolean;
  /** Absolute. */
  readonly folder?: string;
  readonly desktop: Desktop;
  readonly locks: Locks;
  readonly files: Files;
  createWorkbench(): Promise<Workbench>;
  /** One line for the user who started us. */
  print(line: string): void;
}

/** Options of the stop. With `keepTerminals` every terminal goes on. */
interface StopOptions {
  readonly keepTerminals: boolean;
}

/** The outcome of a start: we serve, or another Lathe on this home does and was asked instead. */
export type Serving =
  | {
      readonly kind: 'serving';
      readonly port: number;
      /** Resolves when the user quits Lathe from a page. */
      readonly quit: Promise<StopOptions>;
      stop(options: StopOptions): Promise<void>;
    }
  | { readonly kind: 'elsewhere' };

/** Starts the web host and tells the user where it is. */
export async function serve(options: ServeOptions): Promise<Result<Serving>> {
  let port = 0;
  let kept: Promise<unknown> = Promise.resolve();
  const admission = createAdmission((sessions) => {
    // One after the other, so that the newest list is what stays.
    kept = kept.then(() => writeKeptHost(options.files, options.latheHome, { port, sessions }));
  });
  let workbench: Workbench | null = null;
  const freshUrl = () => `http://127.0.0.1:${port}/#ticket=${admission.issueTicket()}`;

  const lock = await becomeInstance(
    addressOf(options),
    { ask: 'url', ...(options.folder === undefined ? {} : { folder: options.folder }) },
    (request) => {
      if (request.folder !== undefined) workbench?.show({ project: request.folder });
      return { host: 'web', pid: process.pid, ...(port === 0 ? {} : { url: freshUrl() }) };
    },
    instanceLock(options.locks, options.latheHome),
  );
  if (!lock.ok) return lock;
  if ('other' in lock.value) return goElsewhere(lock.value.other, options);
  const { release } = lock.value;

  const files = await openStaticFiles(options.renderer);
  if ((await files.get('/')) === null) {
    await release();
    return err(
      fault('not_built', `The page is missing in ${options.renderer}.`, 'Build it: npm run build'),
    );
  }
  const server = await listen(admission, files, options);
  if (!server.ok) {
    await release();
    return server;
  }
  workbench = await options.createWorkbench();
  const bench = workbench;
  const info = appInfo(options);
  const quit = Promise.withResolvers<StopOptions>();
  const closeSockets = serveSockets(server.value, bench, (window) =>
    createRouter({
      workbench: bench,
      info,
      window,
      quit: (keepTerminals) => quit.resolve({ keepTerminals }),
      pickFolder: noDialog,
    }),
  );
  port = server.value.port;

  await announce(freshUrl, options);
  return ok({
    kind: 'serving',
    port,
    quit: quit.promise,
    async stop({ keepTerminals }) {
      const running = bench.running();
      const onlyQueries = { ...running, tasks: [], shells: 0, pinned: ['all terminals'] };
      options.print(endingLine(keepTerminals ? onlyQueries : running));
      closeSockets();
      await server.value.close();
      await kept;
      for (const lost of await bench.close({ keepTerminals })) options.print(lost);
      await release();
    },
  });
}

/**
 * Listens where the last host of this home did, and admits its pages there: a page that is open reconnects by itself. On
 * another port nobody is, because whoever took the old one may have been sent their cookies.
 */
async function listen(
  admission: Admission,
  files: StaticFiles,
  options: ServeOptions,
): Promise<Result<WebServer>> {
  const before = await readKeptHost(options.files, options.latheHome);
  const wanted = options.port === 0 ? before.port : options.port;
  const first = await startWebServer({ admission, files }, wanted);
  const server =
    first.ok || options.port !== 0 ? first : await startWebServer({ admission, files }, 0);
  if (server.ok && server.value.port === before.port) admission.restore(before.sessions);
  return server;
}

/** Tells the user how to reach the process that works on this home already. Starts nothing. */
async function goElsewhere(other: InstanceReply, options: ServeOptions): Promise<Result<Serving>> {
  if (other.host === 'electron') {
    options.print(
      `Lathe is already open on this home (process ${other.pid}); its window comes up.`,
    );
    return ok({ kind: 'elsewhere' });
  }
  if (other.url === undefined)
    return err(
      fault(
        'starting',
        `Another Lathe (process ${other.pid}) is just starting.`,
        'Try again in a moment.',
      ),
    );
  const spare = await askInstance(addressOf(options), { ask: 'url' });
  const urls = [other.url, ...(spare.ok && spare.value.url ? [spare.value.url] : [])];
  const firstUrl = other.url;
  options.print(`Lathe already serves this home (process ${other.pid}). A fresh link to it:`);
  await announce(() => urls.pop() ?? firstUrl, options);
  return ok({ kind: 'elsewhere' });
}

const addressOf = (options: ServeOptions): string =>
  instanceAddress(options.latheHome, options.desktop.platform);

/** Prints a link and opens a window. They get two links, because each works once. */
async function announce(freshUrl: () => string, options: ServeOptions): Promise<void> {
  const profile = join(options.latheHome, 'browser');
  const opened = options.openWindow && (await openAppWindow(freshUrl(), profile, options.desktop));
  options.print(`Lathe is ready: ${freshUrl()}`);
  options.print(
    opened
      ? 'A window has been opened; the link above works once, in any browser on this machine.'
      : 'Open the link in a browser on this machine; it works once.',
  );
}

const appInfo = (options: ServeOptions): AppInfo => ({
  version: options.version,
  host: 'web',
  platform: options.desktop.platform,
  home: homedir(),
  nativeFolderDialog: false,
  demoFirst: options.demo,
  keyStorage: options.keyStorage,
  ...(options.folder === undefined ? {} : { folder: options.folder }),
});

const noDialog = async () =>
  err(
    fault(
      'no_dialog',
      'A browser page cannot open the system folder dialog.',
      'Use the folder list.',
    ),
  );

/** Returns one line that says what stopping ends. */
export function endingLine(running: WhatRuns): string {
  const parts = [
    counted(running.queries, 'query', 'queries'),
    counted(running.tasks.length, 'task', 'tasks'),
    counted(running.shells, 'shell', 'shells'),
    counted(running.leftovers, 'process of an earlier run', 'processes of an earlier run'),
  ].filter((part) => part !== null);
  const stays = running.pinned.length === 0 ? '' : ` Goes on: ${running.pinned.join(', ')}.`;
  const unsaved =
    running.unsaved.length === 0
      ? ''
      : ` Not saved so far, and tried once more: ${running.unsaved.join(', ')}.`;
  const ends = parts.length === 0 ? 'Stopping.' : `Stopping; this ends ${parts.join(', ')}.`;
  return `${ends}${stays}${unsaved}`;
}

const counted = (count: number, one: string, many: string): string | null =>
  count === 0 ? null : `${count} ${count === 1 ? one : many}`;
