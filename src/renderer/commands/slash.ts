import type { CommandInfo } from '../../shared/contract';
import { parseSlash } from '../../shared/slash';
import { type AppCommand, COMMANDS, type CommandId } from '../../shared/window-commands';

/** One line of the slash menu. */
export interface SlashChoice {
  readonly name: string;
  readonly title: string;
  /** A hint at the argument after the name, in brackets: `[level]`, `<folder>`. */
  readonly argument?: string;
}

const OWN: readonly (AppCommand & { readonly slash: string })[] = COMMANDS.flatMap((command) =>
  command.slash === undefined ? [] : [{ ...command, slash: command.slash }],
);

/** Returns the host's commands whose names the window does not have. */
export const hostOnly = (host: readonly CommandInfo[]): readonly CommandInfo[] =>
  host.filter(({ name }) => !OWN.some(({ slash }) => slash === name.toLowerCase()));

/** Returns every slash command by name; one that window and host both have is listed once. */
function slashCommands(host: readonly CommandInfo[]): readonly SlashChoice[] {
  const own = OWN.map(({ slash, title, argument }) => choice(slash, title, argument));
  const theirs = hostOnly(host).map(({ name, description, argumentHint }) =>
    choice(name, description, argumentHint),
  );
  return [...own, ...theirs].toSorted((a, b) => a.name.localeCompare(b.name));
}

const choice = (name: string, title: string, argument = ''): SlashChoice =>
  argument === ''
    ? { name, title }
    : { name, title, argument: /^[[<]/.test(argument) ? argument : `[${argument}]` };

/**
 * Returns the commands to offer for a draft: those whose names begin with what is being typed, behind them those with
 * another name that does.
 */
export function slashChoices(draft: string, host: readonly CommandInfo[]): readonly SlashChoice[] {
  const typed = /^\/([\w:.-]*)$/.exec(draft)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const all = slashCommands(host);
  const named = all.filter(({ name }) => name.toLowerCase().startsWith(typed));
  const also = OWN.filter(({ aliases = [] }) =>
    aliases.some((alias) => typed !== '' && alias.startsWith(typed) && !hasName(host, alias)),
  ).map(({ slash }) => slash);
  return [...named, ...all.filter((one) => also.includes(one.name) && !named.includes(one))];
}

const hasName = (host: readonly CommandInfo[], name: string): boolean =>
  host.some((one) => one.name.toLowerCase() === name);

/** A command of the window as it was typed. */
export interface TypedCommand {
  readonly id: CommandId;
  readonly argument: string;
}

/**
 * Returns the window's own command in a text, or null when the text goes to the host: a prompt, a command of the
 * host, or the argument form of a command that both have.
 */
export function ownCommandOf(text: string, host: readonly CommandInfo[]): TypedCommand | null {
  const slash = parseSlash(text);
  if (slash === null) return null;
  const shared = hasName(host, slash.name);
  const command = OWN.find(
    (one) => one.slash === slash.name || (!shared && one.aliases?.includes(slash.name)),
  );
  if (command === undefined) return null;
  return shared && slash.rest !== '' ? null : { id: command.id, argument: slash.rest };
}
