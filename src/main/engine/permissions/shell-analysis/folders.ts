import path from 'node:path';
import { isAtRootWhenEmpty } from './empty-variables';
import type { HeldTexts } from './held-texts';
import { SHELLS } from './launchers';
import type { Word } from './words';

/** Each makes the paths of what follows longer, and more of them. */
const MAX_FOLDER_CHANGES = 40;
const MAX_DIRECTORIES = 8;
/** No system takes a longer path. UTF-16 units. */
const MAX_DIRECTORY_LENGTH = 4_096;

/** The folders a line may be in: '' is where it starts, null is unknown. */
type Directories = readonly (string | null)[];

/** The folders in which the commands of one line may run, as its `cd`s leave them. */
export class Folders {
  /** The line changes its folder somewhere. */
  changed = false;
  /** It does so in ways that cannot be followed: the folder of no command is known. */
  lostTrack = false;
  /** It does so more often than is followed. */
  tooOften = false;
  /** A variable that may be empty stands in front of a folder it changes to, which is at the root of the disk then. */
  mayBeAtRoot = false;
  #current: Directories = [''];
  /** The folders the last `cd` leads to if it succeeds. */
  #arrived: Directories = [''];
  #changes = 0;

  get current(): Directories {
    return this.#current;
  }

  /** Follows a command that may change the folder. `repeats`: it may run any number of times. */
  follow(words: readonly Word[], repeats: boolean, held: HeldTexts): void {
    const name = words[0]?.value;
    if (/^(?:pushd|popd|dirs)$/.test(name ?? '')) this.lostTrack = true;
    else if (name !== 'cd') return;
    this.changed = true;
    this.tooOften ||= ++this.#changes > MAX_FOLDER_CHANGES;
    if (repeats) this.lostTrack = true;
    const operands = words.slice(1).filter((word) => !/^(-[LPe@]+|--)$/.test(word.value ?? ''));
    const target = operands.length === 1 ? (operands[0]?.value ?? null) : null;
    this.mayBeAtRoot ||= operands.some(
      (word) =>
        isAtRootWhenEmpty(word) ||
        isAtRootWhenEmpty({ ...word, source: held.filledIn(word.source) }),
    );
    this.#arrived =
      target === null || target === '-'
        ? [null]
        : [...new Set(this.#current.flatMap((from) => joinDirectory(from, target)))];
    this.#mayBeIn(this.#arrived);
  }

  /** Reads what only runs after a `cd` that succeeded; what follows may run where that one failed too. */
  afterArriving(read: () => void): void {
    const before = this.#current;
    this.#current = this.#arrived;
    read();
    this.#mayBeIn(before);
  }

  /** Reads what runs in a folder that is not known; returns what `read` does. */
  elsewhere<T>(read: () => T): T {
    return this.apart(() => {
      this.#current = [null];
      return read();
    });
  }

  /** Reads what changes the folder for itself alone; returns what `read` does. */
  apart<T>(read: () => T): T {
    const before = this.#current;
    const { mayBeAtRoot } = this;
    const found = read();
    this.#current = before;
    this.mayBeAtRoot = mayBeAtRoot;
    return found;
  }

  #mayBeIn(folders: Directories): void {
    const all = [...new Set([...this.#current, ...folders])];
    this.#current = all.length > MAX_DIRECTORIES ? [null] : all;
  }
}

/**
 * Returns the folders a `cd` may lead to: as text, as shells do, and with every `..` kept, as the system
 * does when a shell is told to (`cd -P`). Null where it is not known.
 */
function joinDirectory(from: string | null, target: string): (string | null)[] {
  const isFixed = /^(\/|~$|~\/)/.test(target);
  if (from === null && !isFixed) return [null];
  const joined = isFixed || from === '' ? target : `${from}/${target}`;
  if (joined.length > MAX_DIRECTORY_LENGTH) return [null];
  const isClimbing = /(^|\/)\.\.(\/|$)/.test(target);
  // What `~` means is not known here; where it goes up is told apart when it is.
  if (joined.startsWith('~')) return [joined];
  const text = path.posix.join(joined);
  return isClimbing && text !== joined ? [text, joined] : [text];
}

/** Options by which `env`, `sudo` and their like start a command in another folder, or with another root. */
const ELSEWHERE = /^(?:-C|--chdir|-D|-w|--wd|-R|--root|-r|--working-directory|-l|-$|--login|-i|-d)/;
const MOVERS =
  /^(?:env|sudo|doas|su|runuser|chroot|unshare|nsenter|start-stop-daemon|systemd-run|proot|firejail|bwrap|docker|podman|kubectl|ssh)$/;

/** Movers whose files are mostly those of another machine: a script for them is held against the names in it. */
const FAR = /^(?:docker|podman|kubectl|ssh)$/;

/**
 * Tells whether words start a command in another folder of this machine, or the script among them. Options of a shell in
 * front of the script are none of the program that starts the shell.
 */
export function readsElsewhere(words: readonly Word[], script?: string): boolean {
  const at = words.findIndex(
    ({ value }, i) =>
      script !== undefined && (value?.includes(script) || (i > 0 && SHELLS.has(nameIn(value)))),
  );
  const before = words.slice(0, at < 0 ? undefined : at);
  return startsElsewhere(before) && !before.some(({ value }) => FAR.test(nameIn(value)));
}

const nameIn = (value: string | null): string => path.posix.basename(value ?? '');

/** The same for other programs: options of `find`, and those by which `pnpm`, `uv` and their like go to a folder first. */
const GOES_FIRST =
  /^(?:-(?:exec|ok)dir$|(?:-C|--(?:dir|directory|cwd|prefix|chdir|workdir|wd))(?:=|$))/;

/** Tells whether a command starts what stands behind it in another folder than its own. */
export function startsElsewhere(words: readonly Word[]): boolean {
  if (words.some(({ value }, at) => at > 0 && GOES_FIRST.test(value ?? ''))) return true;
  // `git submodule foreach` goes from repository to repository.
  if (nameIn(words[0]?.value ?? null) === 'git' && words.some(({ value }) => value === 'foreach'))
    return true;
  const at = words.findIndex((word) => MOVERS.test(nameIn(word.value)));
  if (at < 0) return false;
  return (
    /^(?:chroot|docker|podman|kubectl|ssh)$/.test(path.posix.basename(words[at]?.value ?? '')) ||
    words.slice(at).some(({ value, source }) => ELSEWHERE.test(value ?? source))
  );
}
