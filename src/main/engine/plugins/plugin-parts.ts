import { basename, dirname } from 'node:path';
import type { PluginOptionView, PluginPart } from '../../../shared/plugin';
import type { SettingsProblem } from '../../../shared/settings';
import { readAgentFile } from '../agents/read-agents';
import type { Files } from '../ports';
import { serverText } from '../settings/findings';
import { findPluginFiles } from '../settings/plugins/plugin-files';
import type { Plugin } from '../settings/plugins/read-plugin';
import { readSkill } from '../skills/skill';

/** The most parts of one plugin that are listed. */
const MAX_PARTS = 500;
/** UTF-16 units. */
const MAX_DETAIL = 500;

/** Lists all that a plugin brings, what runs by itself first, with what is wrong in its files. Runs nothing. */
export async function partsOfPlugin(
  files: Files,
  plugin: Plugin,
): Promise<{
  readonly parts: readonly PluginPart[];
  /** Without the user's values. */
  readonly options: readonly PluginOptionView[];
  readonly problems: readonly SettingsProblem[];
}> {
  const problems: SettingsProblem[] = [];
  const named = (thing: string) => `${plugin.name}:${thing}`;
  const hooks = plugin.hooks.map(
    ({ event, matcher, run, args = [], call }): PluginPart => ({
      kind: 'hook',
      name: matcher === '' ? event : `${event} (${matcher})`,
      detail: [run, ...args, ...(call ? [JSON.stringify(call.input)] : [])].join(' '),
    }),
  );
  const servers = Object.entries(plugin.servers).map(
    ([name, server]): PluginPart => ({ kind: 'server', name, detail: serverText(server) }),
  );
  const languages = plugin.languageServers.map(
    ({ name, languages: ends, ...server }): PluginPart => ({
      kind: 'languageServer',
      name,
      detail: `${serverText(server)} for ${Object.keys(ends).join(', ')}`,
    }),
  );
  const texts: PluginPart[] = [];
  for (const kind of ['command', 'skill'] as const) {
    const found = await findPluginFiles(files, [plugin], `${kind}s`);
    problems.push(...found.problems);
    for (const { file } of found.files) {
      const read = await readSkill(files, file, kind, 'plugin');
      problems.push(...read.problems);
      if (read.skill === null) continue;
      const { name, description, allowedTools, hooks: own } = read.skill;
      const allows =
        allowedTools.length === 0 ? '' : ` Allows while in use: ${allowedTools.join(', ')}.`;
      const runs = own.length === 0 ? '' : ` Has hooks: ${own.map(({ run }) => run).join('; ')}.`;
      texts.push({ kind, name: `/${named(name)}`, detail: `${description}${allows}${runs}` });
    }
  }
  const agents = await findPluginFiles(files, [plugin], 'agents');
  problems.push(...agents.problems);
  for (const { file } of agents.files) {
    const read = await readAgentFile(files, file, 'plugin');
    problems.push(...read.problems);
    for (const { name, description } of read.definitions)
      texts.push({ kind: 'agent', name: named(name), detail: description });
  }
  const styles = await findPluginFiles(files, [plugin], 'outputStyles');
  for (const { file } of styles.files)
    texts.push({ kind: 'outputStyle', name: named(basename(file.path, '.md')), detail: '' });
  const options = plugin.options.map(({ key, description, required, sensitive, fallback }) => ({
    ...{ kind: 'option' as const, name: key },
    detail: [
      description,
      required ? 'Has to have a value.' : '',
      fallback === null ? '' : `Default: ${sensitive ? 'hidden' : fallback}.`,
      sensitive ? 'A secret.' : '',
    ]
      .filter((text) => text !== '')
      .join(' '),
  }));
  const needs = plugin.needs.map((name): PluginPart => ({ kind: 'need', name, detail: '' }));
  const all = [...hooks, ...servers, ...languages, ...texts, ...options, ...needs].map((part) => ({
    ...part,
    detail: part.detail.length > MAX_DETAIL ? `${part.detail.slice(0, MAX_DETAIL)}…` : part.detail,
  }));
  if (all.length > MAX_PARTS) {
    const file = dirname(plugin.serverFile);
    const message = `${file}: only the first ${MAX_PARTS} of ${all.length} parts are listed.`;
    problems.push({ file, message, level: 'warning' });
  }
  const asked = plugin.options.map(({ fault: _, fallback, ...option }) => ({
    ...option,
    ...{ fallback: option.sensitive ? null : fallback, value: null, isSet: false },
  }));
  return { parts: all.slice(0, MAX_PARTS), options: asked.slice(0, MAX_PARTS), problems };
}
