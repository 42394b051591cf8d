import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog, type MessageBoxOptions } from 'electron';
import type { AppUpdater } from 'electron-updater';
import { quitQuestion, type WhatRuns } from '../../../shared/what-runs';
import type { Ask } from './questions';

/** The pause between two looks for a new version. Milliseconds. */
const LOOK_EVERY_MS = 24 * 60 * 60 * 1000;
/** The app exits so long after an install that neither ended it nor failed. macOS unpacks and verifies only then. Milliseconds. */
const lastResortMs = () => (process.platform === 'darwin' ? 10 : 1) * 60_000;
/** The length of the notes in the question. Characters. */
const MAX_NOTES = 1_500;

/** The part of electron-updater that is used. */
export type Updater = Pick<
  AppUpdater,
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'logger'
  | 'checkForUpdates'
  | 'downloadUpdate'
  | 'quitAndInstall'
  | 'once'
>;

/** New versions of the app. Nothing is fetched or installed unasked. */
export interface Updates {
  /** Tells whether a feed was packed with the app: only then there is anything to look for. */
  readonly available: boolean;
  /** Looks for a new version now and once a day, or no more. */
  follow(wanted: boolean): void;
  /** Looks now, for the user, and also says that there is none, or why that is unknown. */
  look(): void;
  /** Installs what the user wanted installed, and returns true. For the moment when everything has ended. */
  install(): boolean;
  /** The user stays: nothing is installed at the next end. */
  stay(): void;
}

/** The parts that updates are made of. */
export interface UpdateParts {
  /** The updater, from {@link loadUpdater}. */
  readonly loading: Promise<Updater> | null;
  /** Resolves when a window is shown, which can carry a question. */
  readonly shown: Promise<void>;
  readonly ask: Ask;
  running(): WhatRuns;
  /** Quits as the menu does, with its question; `install` is called at the end. */
  quit(): void;
}

/** Returns the updater; null where no feed was packed with the app (`app-update.yml`, which packing makes of `publish`). */
export function loadUpdater(): Promise<Updater> | null {
  const resources: string | undefined = process.resourcesPath;
  if (!app.isPackaged || resources === undefined) return null;
  if (!existsSync(join(resources, 'app-update.yml'))) return null;
  return import('electron-updater').then(({ autoUpdater }) => autoUpdater);
}

/** Creates the updates. */
export function createUpdates(parts: UpdateParts): Updates {
  const { loading } = parts;
  let updater: Updater | null = null;
  let timer: NodeJS.Timeout | null = null;
  /** The version that is fetched. */
  let ready: string | null = null;
  /** Versions that were declined in this run. */
  const declined = new Set<string>();
  let busy = false;
  let installing = false;

  const ask: Ask = (question) => parts.ask({ type: 'info', noLink: true, ...question });
  const say = (message: string, detail: string) =>
    ask({ message, detail, buttons: ['OK'] }).then(() => {});

  const prepared = async (): Promise<Updater | null> => {
    updater ??= await loading;
    if (updater === null) return null;
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false;
    // Its own log would go to the console.
    updater.logger = null;
    return updater;
  };

  const offerInstall = async (version: string) => {
    const choice = await ask(installQuestion(version, parts.running(), process.platform));
    if (choice !== 0) return;
    installing = true;
    parts.quit();
  };

  const offer = async (asked: boolean): Promise<void> => {
    const source = await prepared();
    if (source === null) return;
    if (ready !== null) return offerInstall(ready);
    const found = await source.checkForUpdates();
    if (found === null || !found.isUpdateAvailable) {
      if (asked) await say('This is the newest version.', `Lathe ${app.getVersion()}`);
      return;
    }
    const { version, releaseNotes } = found.updateInfo;
    if (!asked && declined.has(version)) return;
    const choice = await ask({
      message: `Lathe ${version} is available.`,
      detail: [`You have ${app.getVersion()}.`, notesOf(releaseNotes)].filter(Boolean).join('\n\n'),
      buttons: ['Download', 'Not now'],
      defaultId: 0,
      cancelId: 1,
    });
    if (choice !== 0) {
      declined.add(version);
      return;
    }
    await source.downloadUpdate();
    ready = version;
    await offerInstall(version);
  };

  const look = (asked: boolean) => {
    if (busy) return;
    busy = true;
    offer(asked)
      .catch((error: unknown) => {
        if (!asked) return;
        const why = error instanceof Error ? error.message : String(error);
        return say('The new version could not be fetched.', why.slice(0, MAX_NOTES));
      })
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  };

  return {
    available: loading !== null,
    follow(wanted) {
      if (loading === null || wanted === (timer !== null)) return;
      if (timer !== null) clearInterval(timer);
      timer = wanted ? setInterval(() => look(false), LOOK_EVERY_MS) : null;
      timer?.unref();
      void parts.shown.then(() => timer !== null && look(false));
    },
    look: () => look(true),
    install() {
      if (!installing || updater === null || ready === null) return false;
      // It quits by itself; should it fail, nothing is left that a window could show.
      updater.once('error', ({ message }) => {
        dialog.showErrorBox('The new version could not be installed', message.slice(0, MAX_NOTES));
        app.exit(0);
      });
      updater.quitAndInstall();
      setTimeout(() => app.exit(0), lastResortMs()).unref();
      return true;
    },
    stay() {
      installing = false;
    },
  };
}

/** Returns the question before an update is installed. Pure. */
export function installQuestion(
  version: string,
  running: WhatRuns,
  platform: NodeJS.Platform,
): MessageBoxOptions {
  const kept = running.pinned.length > 0 || quitQuestion(running) !== null;
  return {
    message: `Lathe ${version} is ready to install.`,
    detail: [
      'Lathe quits, and asks first what becomes of what runs.',
      kept && platform === 'win32'
        ? 'On Windows terminals and tasks end in any case, pinned ones too: the installer replaces the program that holds them.'
        : '',
      kept && platform !== 'win32'
        ? 'Terminals that you keep go on in the version that started them, and the new one takes them over.'
        : '',
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    buttons: ['Install and restart', 'Later'],
    defaultId: 1,
    cancelId: 1,
  };
}

/** Returns the notes of a version as text; feeds may write them in HTML. */
function notesOf(notes: unknown): string {
  if (typeof notes !== 'string') return '';
  const text = notes.replace(/<[^>]*>/g, '').trim();
  return text.length > MAX_NOTES ? `${text.slice(0, MAX_NOTES)}…` : text;
}
