import type { PluginAct, PluginView } from '../../../shared/plugin';
import type { Fault } from '../../../shared/result';
import type { ProjectPlugins } from '../../app/plugin-service';
import type { PluginCommand } from '../common/command-line/command';

/** The parts of `lathe plugin`. */
export interface PluginCommandParts {
  readonly plugins: ProjectPlugins;
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
  /** Asks the user; null where nobody can be asked. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
}

/** Carries out `lathe plugin …`. False when it could not. */
export async function runPluginCommand(
  command: PluginCommand,
  parts: PluginCommandParts,
): Promise<boolean> {
  const { plugins, say, complain } = parts;
  const { verb } = command;
  const name = OF_PLACES.has(verb) ? command.name : await wholeId(command.name, plugins);
  const fail = ({ message, fix }: Fault): boolean => {
    complain(message);
    if (fix !== undefined) complain(fix);
    return false;
  };
  const act = async (wanted: PluginAct, done: string): Promise<boolean> => {
    const acted = await plugins.act(wanted);
    if (!acted.ok) return fail(acted.error);
    say(done);
    return true;
  };
  switch (verb) {
    case 'addPlace':
      return act({ kind: 'addMarketplace', source: name }, 'Added.');
    case 'updatePlace':
      return act({ kind: 'updateMarketplace', name }, `Updated ${name}.`);
    case 'removePlace':
      return act({ kind: 'removeMarketplace', name }, `Removed ${name}. Its plugins stay.`);
    case 'disable':
      return act({ kind: 'disable', id: name }, `${name} is off.`);
    case 'set':
    case 'unset': {
      const { key = '', value = null } = command.option ?? {};
      const done = value === null ? `${name} has no ${key} of yours.` : `${name} has its ${key}.`;
      return act({ kind: 'set', id: name, option: key, value }, done);
    }
    case 'remove':
      return act({ kind: 'remove', id: name }, `Removed ${name}.`);
    default:
  }
  const listed = await plugins.list();
  if (!listed.ok) return fail(listed.error);
  for (const { message } of listed.value.problems) complain(message);
  if (verb === 'places') {
    for (const { name: place, from, added, plugins: count } of listed.value.marketplaces)
      say(`${place}  ${from}  ${added ? `${count} plugins` : 'named in settings, not added'}`);
    return true;
  }
  if (verb === 'list') {
    for (const one of listed.value.plugins) {
      say(`${one.id}  ${one.version || '-'}  ${STATES[one.state]}`);
      for (const { message } of one.problems) complain(`  ${message}`);
    }
    if (listed.value.plugins.length === 0)
      complain(
        'There are no plugins. Add a marketplace: lathe plugin marketplace add <folder or address>',
      );
    return true;
  }
  const found = await lookAt(name, parts);
  if (found === null) {
    complain(`There is no plugin ${name}.`);
    complain('See lathe plugin list.');
    return false;
  }
  describe(found, say);
  for (const { message } of found.problems) complain(message);
  if (verb === 'show') return true;
  if (found.state === 'broken' || found.digest === '') {
    complain(`${name} cannot be used as it is.`);
    return false;
  }
  const isNew = found.state === 'available' || found.state === 'update';
  if (verb === 'update' && found.state !== 'update') {
    say(`${name} is up to date.`);
    return true;
  }
  if (verb === 'enable' && found.state === 'available') {
    complain(`${name} is not installed: lathe plugin install ${name}`);
    return false;
  }
  // What was approved before needs no second yes.
  const isKnown = verb === 'enable' && found.approved !== '';
  if (!isKnown && !(await agreed(command, parts))) return false;
  const kind = isNew && verb !== 'enable' ? 'install' : 'enable';
  return act({ kind, id: name, digest: isKnown ? found.approved : found.digest }, `${name} is on.`);
}

/** The acts whose name is that of a marketplace, or none. */
const OF_PLACES: ReadonlySet<PluginCommand['verb']> = new Set<PluginCommand['verb']>([
  'addPlace',
  'list',
  'places',
  'removePlace',
  'updatePlace',
]);

/** Returns the id of the one plugin that has a name without its marketplace; the name itself where there is none, or several. */
async function wholeId(name: string, plugins: ProjectPlugins): Promise<string> {
  const listed = await plugins.list();
  const named = listed.ok ? listed.value.plugins.filter((one) => one.name === name) : [];
  return named.length === 1 ? (named[0]?.id ?? name) : name;
}

/** Returns a plugin with what it brings; one with a repository of its own is fetched for that. */
async function lookAt(
  id: string,
  { plugins, complain }: PluginCommandParts,
): Promise<PluginView | null> {
  const look = async () => {
    const listed = await plugins.list();
    return listed.ok ? (listed.value.plugins.find((one) => one.id === id) ?? null) : null;
  };
  const found = await look();
  if (found?.state !== 'unfetched') return found;
  const fetched = await plugins.act({ kind: 'fetch', id });
  if (!fetched.ok) complain(fetched.error.message);
  return look();
}

async function agreed(
  { agreed: already, verb }: PluginCommand,
  { confirm, complain }: PluginCommandParts,
): Promise<boolean> {
  if (already) return true;
  if (confirm === null) {
    complain(`Nobody can be asked here. Add --yes to ${verb} what is printed above.`);
    return false;
  }
  return confirm(
    `All of this is used from now on. ${verb[0]?.toUpperCase()}${verb.slice(1)}? [y/N] `,
  );
}

const STATES: Readonly<Record<PluginView['state'], string>> = {
  available: 'not installed',
  unfetched: 'not installed',
  on: 'on',
  off: 'off',
  changed: 'changed since it was approved, left out',
  update: 'another version is there',
  broken: 'broken',
};

const KINDS: Readonly<Record<PluginView['parts'][number]['kind'], string>> = {
  hook: 'hook',
  server: 'tool server',
  languageServer: 'language server',
  command: 'command',
  skill: 'skill',
  agent: 'agent',
  outputStyle: 'output style',
  option: 'option',
  need: 'needs',
};

/** Prints a plugin with all it brings. */
function describe(plugin: PluginView, say: (line: string) => void): void {
  const { id, version, description, from, parts, state } = plugin;
  say(`${id}  ${version || '-'}  ${STATES[state]}`);
  say(`  from ${from}`);
  if (description !== '') say(`  ${printable(description)}`);
  for (const { kind, name, detail } of parts)
    say(`  ${KINDS[kind]}  ${printable(name)}${detail === '' ? '' : `: ${printable(detail)}`}`);
  if (parts.length === 0) say('  It brings nothing.');
}

/** Leaves out what a terminal would take for commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
