import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join, win32 } from 'node:path';
import { err, fault, ok, type Result } from '../../../shared/result';
import { changedRegistry, type PathAct } from './command-line/user-path';
import { USER_KEY, withKey } from './registry';

/** The installation whose command `lathe` is put into `PATH`, and the user's system. */
export interface Installation {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The program that starts the command line. Absolute. */
  readonly launcher: string;
  /** Folders of every user on this machine, tried before those in the home. */
  readonly shared?: readonly string[];
  /** The program that writes and reads Windows's registry. Default: the system's. */
  readonly reg?: string;
}

/**
 * Returns the launcher of an installed app, `root` being its archive: beside it, or the image that holds all. Null where
 * nothing is installed, or a package of the system has put it into `PATH`.
 */
export function launcherOf(
  root: string,
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (basename(root) !== 'app.asar') return null;
  const bin = join(dirname(root), 'bin');
  if (platform === 'win32') return join(bin, 'lathe.cmd');
  if (platform === 'darwin') return join(bin, 'lathe');
  // A terminal in another program's image has the variables of that one.
  const { APPIMAGE: image, APPDIR: mounted } = env;
  return image && mounted && isBelow(root, mounted) ? image : null;
}

/** Tells whether a path is below a folder, also where a link leads to that. */
const isBelow = (path: string, folder: string): boolean =>
  [folder, realFolder(folder)].some((one) => path.startsWith(`${one.replace(/\/+$/, '')}/`));

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Makes `lathe` a command of the user's terminals, or none any more. Returns a sentence about what holds now. */
export function changePath(act: PathAct, installation: Installation): Promise<Result<string>> {
  return installation.platform === 'win32'
    ? changeRegistry(act, installation)
    : act === 'add'
      ? link(installation)
      : unlinkAll(installation);
}

const NEW_TERMINALS = 'Terminals that are open already do not know it yet.';

async function changeRegistry(
  act: PathAct,
  { launcher, env, reg }: Installation,
): Promise<Result<string>> {
  const folder = win32.dirname(launcher);
  try {
    return await withKey({ key: USER_KEY, env, reg }, async (exported, file, takeIn) => {
      const changed = changedRegistry(exported, folder, act);
      if (!changed.ok) return changed;
      if (changed.value !== null) {
        await writeFile(file, `\ufeff${changed.value}`, 'utf16le');
        await takeIn();
      }
      return ok(
        act === 'add'
          ? `${folder} is in PATH. ${NEW_TERMINALS}`
          : `${folder} is not in PATH any more.`,
      );
    });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return err(
      fault(
        'registry',
        `PATH was left as it is: ${why.trim()}`,
        `Add ${folder} to it in the system's settings, under "Environment variables".`,
      ),
    );
  }
}

/** Folders for programs of one's own, most usual first. */
const foldersOf = ({ home, shared = SHARED }: Installation): readonly string[] => [
  ...shared,
  join(home, '.local', 'bin'),
  join(home, 'bin'),
];
const SHARED = ['/usr/local/bin', '/opt/homebrew/bin'];

/** Puts a link into the first folder that may be written, one of `PATH` before the others. */
async function link(installation: Installation): Promise<Result<string>> {
  const { launcher, env } = installation;
  const unsteady = /^\/Volumes\/|\/AppTranslocation\//.test(launcher);
  if (unsteady)
    return err(
      fault(
        'moves',
        `Lathe runs from ${launcher}, which will not stay.`,
        'Move Lathe to the folder Applications, open it there, and try again.',
      ),
    );
  const path = new Set((env['PATH'] ?? '').split(delimiter));
  const usable = foldersOf(installation).filter(mayWrite);
  const folder = usable.find((one) => path.has(one)) ?? usable[0];
  if (folder === undefined)
    return err(
      fault(
        'no_folder',
        `None of ${foldersOf(installation).join(', ')} is there and may be written by you.`,
        `Make the link as an administrator: sudo ln -sf '${launcher}' ${SHARED[0]}/lathe`,
      ),
    );
  const place = join(folder, 'lathe');
  const there = holderOf(place);
  if (there === 'other')
    return err(
      fault(
        'taken',
        `${place} is there already and is no link of Lathe's.`,
        'Move it away, or call it by another name, and try again.',
      ),
    );
  try {
    if (there !== null) await unlink(place);
    await symlink(launcher, place);
  } catch (thrown) {
    return err(fault('link', `${place} could not be made: ${String(thrown)}`));
  }
  return ok(
    path.has(folder)
      ? `${place} starts Lathe now.`
      : `${place} starts Lathe now. If a terminal does not find it, add ${folder} to PATH in the start-up file of your shell.`,
  );
}

/** Removes each link to this launcher. */
async function unlinkAll(installation: Installation): Promise<Result<string>> {
  const places = foldersOf(installation).map((folder) => join(folder, 'lathe'));
  const ours = places.filter((place) => holderOf(place) === installation.launcher);
  try {
    for (const place of ours) await unlink(place);
  } catch (thrown) {
    return err(fault('link', `A link could not be removed: ${String(thrown)}`));
  }
  return ok(
    ours.length === 0
      ? 'No link leads to this Lathe.'
      : `${ours.join(', ')} ${ours.length === 1 ? 'is' : 'are'} removed.`,
  );
}

/** Returns the launcher of a Lathe that a link leads to, `other` for everything else, and null where nothing is. */
function holderOf(place: string): string | null {
  try {
    if (!lstatSync(place).isSymbolicLink()) return 'other';
    const target = readlinkSync(place);
    return LAUNCHER.test(target) ? target : 'other';
  } catch {
    return null;
  }
}

/** A launcher in an app, or an image that holds one. */
const LAUNCHER = /\/Resources\/bin\/lathe$|\/[^/]*lathe[^/]*\.AppImage$/i;

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
