import { basename, dirname } from 'node:path';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { type FoundFile, findFiles } from '../markdown-files';
import type { Plugin, PluginFolder } from './read-plugin';

/** A Markdown file of a plugin. */
interface PluginFile {
  readonly plugin: Plugin;
  readonly file: FoundFile;
}

/** Finds the Markdown files of one kind that plugins bring, each file once. Never fails. */
export async function findPluginFiles(
  files: Files,
  plugins: readonly Plugin[],
  kind: PluginFolder,
): Promise<{
  readonly files: readonly PluginFile[];
  readonly problems: readonly SettingsProblem[];
}> {
  const found = new Map<string, PluginFile>();
  const problems: SettingsProblem[] = [];
  for (const plugin of plugins) {
    for (const place of plugin.places[kind]) {
      const stat = await files.stat(place);
      if (stat.ok && stat.value.kind === 'file') {
        const name = kind === 'skills' ? `${basename(dirname(place))}/SKILL.md` : basename(place);
        if (place.endsWith('.md'))
          found.set(place, { plugin, file: { path: place, name, stat: stat.value } });
        continue;
      }
      const listed = await findFiles(files, place, {
        within: plugin.root,
        ...(kind === 'skills'
          ? { picks: (name) => /(^|[\\/])SKILL\.md$/.test(name), endsAt: 'SKILL.md' }
          : { picks: (name) => name.endsWith('.md') }),
      });
      problems.push(...listed.problems);
      for (const file of listed.files) found.set(file.path, { plugin, file });
    }
  }
  return { files: [...found.values()], problems };
}
