import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tempFolder } from '../../../node/temp-folder';
import { toolEnvironment } from '../../../support/tool-environment';

const FILES = {
  '.gitignore': 'node_modules\n*.log\n',
  '.env.example': 'needle=1\n',
  '.git/config': 'needle\n',
  'node_modules/dep/index.ts': 'needle\n',
  'src/a.ts': 'one\nneedle two\nthree\n',
  'src/deep/b.tsx': 'Needle\nx\nx\nx\nx\nneedle again\n',
  'debug.log': 'needle\n',
  'readme.md': 'nothing\n',
};

/** A folder with these files, each a little younger than the one before, and an environment in it. */
export async function project(files: Readonly<Record<string, string>> = FILES) {
  const folder = await tempFolder();
  let age = 1_000_000;
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
    await utimes(join(folder, name), age, age);
    age += 100;
  }
  return { folder, env: toolEnvironment({ project: folder }) };
}

/** The lines of a result. */
export const lines = (text: string) => text.split('\n');
