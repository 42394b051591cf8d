import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client';
import type { ImageBlock } from '../../../shared/message';
import { plainLine } from '../../../shared/plain-line';
import { err, ok, type Result } from '../../../shared/result';
import { plainName } from '../permissions/server-names';
import { splitArguments } from '../skills/substitute';
import { contentOf } from './mcp-tool';

/** The longest description of a prompt that is listed. Characters. */
const MAX_DESCRIPTION_CHARS = 500;
/** The most of a filled-in prompt that goes to the model. Characters; about 12 000 tokens. */
const MAX_CHARS = 50_000;

/** A prompt of a tool server as a command: `/mcp__server__prompt arguments`. */
export interface ServerPrompt {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly prompt: Prompt;
}

/** A prompt that a server has filled in. */
export interface FilledPrompt {
  readonly text: string;
  readonly images: ImageBlock[];
}

/** The prompts of the servers of a session. */
export interface ServerPrompts {
  /** Returns all of them, sorted by name; each name once. */
  list(): readonly ServerPrompt[];
  /** Returns the one of a name, in any case; null when there is none. */
  find(name: string): ServerPrompt | null;
  /** Has the server fill one in. The error is for a user. */
  fill(
    prompt: ServerPrompt,
    args: string,
    signal: AbortSignal,
  ): Promise<Result<FilledPrompt, string>>;
}

/** Returns a prompt of a server as a command. Pure. */
export function asCommand(server: string, prompt: Prompt): ServerPrompt {
  const args = prompt.arguments ?? [];
  return {
    name: `mcp__${plainName(server)}__${prompt.name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`,
    server,
    description: oneLine(prompt.description ?? prompt.title ?? ''),
    argumentHint: args
      .map(({ name, required }) => (required ? `<${oneLine(name)}>` : `[${oneLine(name)}]`))
      .join(' '),
    prompt,
  };
}

const oneLine = (text: string): string => plainLine(text, MAX_DESCRIPTION_CHARS);

/**
 * Gives the words behind a command to the arguments of its prompt, in order; the last one takes the rest. The error, for
 * a user, names what is missing or too much. Pure.
 */
export function promptArguments(
  { name, argumentHint, prompt }: ServerPrompt,
  args: string,
): Result<Readonly<Record<string, string>>, string> {
  const wanted = prompt.arguments ?? [];
  const words = splitArguments(args);
  if (wanted.length === 0 && words.length > 0) return err(`/${name} takes no arguments.`);
  const given = wanted.flatMap((argument, index) => {
    const isLast = index === wanted.length - 1;
    const value = isLast ? words.slice(index).join(' ') : (words[index] ?? '');
    return value === '' ? [] : [[argument.name, value] as const];
  });
  const named = new Set(given.map(([key]) => key));
  const missing = wanted.filter((one) => one.required === true && !named.has(one.name));
  return missing.length === 0
    ? ok(Object.fromEntries(given))
    : err(
        `/${name} needs ${missing.map((one) => `<${oneLine(one.name)}>`).join(' ')}. Write: /${name} ${argumentHint}`,
      );
}

/** Returns what the model is told of a filled-in prompt; words of another role say whose they are. Pure. */
export function filledPrompt({ messages }: GetPromptResult): FilledPrompt {
  const blocks = messages.flatMap(({ role, content }) =>
    contentOf({ content: [content] }).map((block) => ({ role, block })),
  );
  const whole = blocks
    .flatMap(({ role, block }) => {
      if (block.type !== 'text') return [];
      return role === 'user' ? block.text : `(As an answer of yours:) ${block.text}`;
    })
    .join('\n\n');
  const text = whole.slice(0, MAX_CHARS).toWellFormed();
  return {
    text: text.length === whole.length ? text : `${text}\n(the rest is left out)`,
    images: blocks.flatMap(({ block }) => (block.type === 'image' ? [block] : [])),
  };
}
