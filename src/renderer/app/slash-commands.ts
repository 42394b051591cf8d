import { parseSlash } from '../../shared/slash';
import type { SlashChoice } from '../chat/slash-menu';
import type { Lathe } from '../store/lathe';
import { compactSession, configureSession } from '../store/sessions';
import { COMMANDS, type CommandId, type KeyedCommand } from './keys';

/** The acts of the key table that can be typed as `/name`, by name. */
const SLASH_COMMANDS: readonly (KeyedCommand & { readonly slash: string })[] = COMMANDS.flatMap(
  (command) => (command.slash === undefined ? [] : [{ ...command, slash: command.slash }]),
).toSorted((a, b) => a.slash.localeCompare(b.slash));

/** What the composer offers for a draft: every command while its name is being typed, none otherwise. Pure. */
export function slashChoices(draft: string): readonly SlashChoice[] {
  const typed = /^\/([\w:-]*)$/.exec(draft)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  return SLASH_COMMANDS.filter(({ slash }) => slash.startsWith(typed)).map(
    ({ slash, title, argument }) => ({
      name: slash,
      title,
      ...(argument === undefined ? {} : { argument }),
    }),
  );
}

/** What a text commands; null when it is a prompt. */
export interface SlashCommand {
  readonly id: CommandId;
  /** What follows the name. */
  readonly rest: string;
}

/** Returns the command in a text, if it begins with one of ours. Pure. */
export function slashCommandOf(text: string): SlashCommand | null {
  const slash = parseSlash(text);
  const command = SLASH_COMMANDS.find((one) => one.slash === slash?.name);
  return command === undefined || slash === null ? null : { id: command.id, rest: slash.rest };
}

/** Does what was typed; false when it failed, so that the text can be kept. Failures are shown on the way. */
export async function runSlash(
  lathe: Lathe,
  { id, rest }: SlashCommand,
  onCommand: (id: CommandId) => void,
): Promise<boolean> {
  if (id === 'compact') return compactSession(lathe, rest);
  if (id === 'model' && rest !== '') return configureSession(lathe, { model: rest });
  if (id === 'effort' && rest !== '') return configureSession(lathe, { effort: rest });
  onCommand(id);
  return true;
}
