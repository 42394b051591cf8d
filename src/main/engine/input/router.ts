import { parseSlash } from '../../../shared/slash';

/** What a text of the person asks for. */
export type RoutedInput =
  | { readonly kind: 'prompt' }
  /** A command of Lathe, by its name; `args` is the rest of the text, trimmed. */
  | { readonly kind: 'command'; readonly name: string; readonly args: string }
  /** A line for the shell that the person runs themselves. */
  | { readonly kind: 'shell'; readonly command: string };

/** What a session takes besides prompts. */
export interface RouterOptions {
  readonly commands: ReadonlySet<string>;
  /** Whether `!` runs a command: only where a person types, never where a program passes on what others wrote. */
  readonly shell: boolean;
}

/**
 * Decides what a text asks for. Everything that is no known command and no shell line is a prompt, as are paths
 * (`/etc/hosts`) and code in a fence, whatever it begins with. Pure.
 */
export function routeInput(text: string, { commands, shell }: RouterOptions): RoutedInput {
  const trimmed = text.trim();
  if (/^(```|~~~)/.test(trimmed)) return PROMPT;
  if (trimmed.startsWith('!')) {
    const command = trimmed.slice(1).trim();
    return shell && command !== '' ? { kind: 'shell', command } : PROMPT;
  }
  const slash = parseSlash(trimmed);
  return slash !== null && commands.has(slash.name)
    ? { kind: 'command', name: slash.name, args: slash.rest }
    : PROMPT;
}

const PROMPT: RoutedInput = { kind: 'prompt' };
