import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package that electron-builder told fpm to make: one of a Linux distribution. */
export interface SystemPackage {
  /** The values of an option, in their order. */
  option(name: string): readonly string[];
  /** The text that lies, or is run, at a place: of an installed file by its path, of a script by the option that names it. */
  text(place: string): string;
  /** The paths of what is installed. */
  readonly places: readonly string[];
}

/** Stands for fpm, which is downloaded where packages are made. Gives its path for `CUSTOM_FPM_PATH`, and what it was told. */
export async function makeStubFpm(folder: string) {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'fpm');
  await writeFile(path, `#!${process.execPath}\n(${record})(${JSON.stringify(folder)})\n`);
  await chmod(path, 0o755);
  return {
    path,
    async told(kind: 'deb' | 'rpm'): Promise<SystemPackage> {
      const { words, texts }: Told = JSON.parse(
        await readFile(join(folder, `${kind}.json`), 'utf8'),
      );
      return {
        option: (name) => words.flatMap((word, at) => (words[at - 1] === name ? [word] : [])),
        text: (place) => texts[place] ?? '',
        places: words.flatMap((word) => /^[^-].*=(\/.*)$/.exec(word)?.[1] ?? []),
      };
    },
  };
}

interface Told {
  readonly words: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
}

/** Runs in the stub. Writes down its words, and the texts of the files that they name: those are temporary. */
function record(folder: string): void {
  const fs: typeof import('node:fs') = process.getBuiltinModule('node:fs');
  const words = process.argv.slice(2);
  const texts: Record<string, string> = {};
  const take = (place: string, from: string) => {
    if (fs.statSync(from).isFile()) texts[place] = fs.readFileSync(from, 'utf8');
  };
  words.forEach((word, at) => {
    const [from = '', place] = word.startsWith('-') ? [] : word.split('=');
    if (place !== undefined) take(place, from);
    const option = words[at - 1];
    if (option?.startsWith('--after-')) take(option, word);
  });
  const files = words.findIndex((word) => !word.startsWith('-') && word.includes('=/'));
  const stray = words.slice(files).filter((word) => word.startsWith('-'));
  // As fpm itself does.
  if (stray.length > 0) throw new Error(`Options after files: ${stray}`);
  const kind = words[words.indexOf('-t') + 1];
  fs.writeFileSync(`${folder}/${kind}.json`, JSON.stringify({ words, texts }));
  fs.writeFileSync(words[words.indexOf('--package') + 1] ?? '', '');
}
