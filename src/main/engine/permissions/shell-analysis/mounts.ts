import type { Hiding } from '../request';
import { isSettled } from './open-words';
import type { Word } from './words';

/** A folder or file of this machine that a container is given, and its path there. */
interface Mount {
  readonly from: string;
  readonly to: string;
}

/** Returns what a container may read of this machine: `docker run -v .:/w image cat /w/.env`. */
export function hidingInMounts(words: readonly Word[], line: string): Hiding[] {
  if (!words.some(({ value }) => value === 'run' || value === 'create')) return [];
  const texts = words.map(({ value, source }) => value ?? source.replace(/["']/g, ''));
  const isAfter = (option: RegExp, at: number) => option.test(texts[at - 1] ?? '');
  const mountAt = (text: string, at: number) =>
    mountOf(/^(?:-v|--(?:volume|mount)=)(.+)$/.exec(text)?.[1] ?? '') ??
    (isAfter(/^(?:-v|--volume|--mount)$/, at) ? mountOf(text) : null);
  const mounts = texts.map(mountAt);
  const named = texts
    .filter((_, at) => mounts[at] === null && !isAfter(/^(?:-w|--workdir)$/, at))
    .flatMap((text) => text.split(/[\s"'`;|&<>()=,]+/))
    .map((text) => text.replace(/(?:\/|\/?\*)$/, ''));
  const names = named.map((text) => text.slice(text.lastIndexOf('/') + 1)).filter(Boolean);
  return mounts.flatMap((mount) => {
    if (mount === null) return [];
    const to = mount.to.replace(/\/$/, '');
    const from = sourceOf(mount, line);
    return {
      ...{ what: 'prints', why: 'the container is given files of this machine' },
      ...(named.some((text) => text === '.' || text === to) ? {} : { names }),
      ...(from === null ? {} : { below: [from] }),
    };
  });
}

/** Returns what a mount shows, as a path from the folder that the command runs in; null where that cannot be told. */
function sourceOf({ from }: Mount, line: string): string | null {
  const place = from.replace(/^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)(?=\/|$)/, '.');
  if (place !== from && !isSettled(line)) return null;
  return /^~?[\w./@+-]*$/.test(place) ? place : null;
}

/** Returns what a text mounts; null for a volume that the engine keeps. */
function mountOf(text: string): Mount | null {
  const [, from, to] = /^([^:,=]+):(\/[^:,]*)/.exec(text) ?? [
    '',
    /(?:^|,)(?:src|source)=([^,]+)/.exec(text)?.[1],
    /(?:^|,)(?:dst|destination|target)=([^,]+)/.exec(text)?.[1],
  ];
  return to !== undefined && from !== undefined && /^[./~$`]/.test(from) ? { from, to } : null;
}

/** Options that show a folder in another place: with two words, or with one of two parts. */
const BINDS: Readonly<Record<string, RegExp>> = {
  bwrap: /^--(?:ro-|dev-)?(?:bind|overlay)[a-z-]*$/,
  proot: /^(?:-[bm]|--bind|--mount)(?:=|$)/,
  mount: /^(?:--r?bind|--move|-[BRM])$/,
  'systemd-nspawn': /^--(?:bind|overlay)/,
  firejail: /^--(?:bind|overlay)/,
};

/** Tells whether a word shows a folder elsewhere than where it is. */
export function isBind(name: string, words: readonly Word[], at: number): boolean {
  const option = Object.hasOwn(BINDS, name) ? BINDS[name] : undefined;
  const word = words[at]?.value ?? '';
  if (at > 0 && name === 'mount' && /\br?bind\b/.test(word)) return true;
  const found = option?.exec(word);
  if (at === 0 || !found) return false;
  if (name === 'mount') return true;
  const attached = word.slice(found[0].length);
  const [from, to] =
    name === 'bwrap'
      ? [words[at + 1]?.value, words[at + 2]?.value]
      : (attached || (words[at + 1]?.value ?? '')).split(/[:,!]/);
  return from === null || (to !== undefined && to !== from);
}
