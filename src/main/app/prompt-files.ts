import { err, fault, ok, type Result } from '../../shared/result';
import type { Files } from '../engine/ports';
import type { HeadlessOptions } from './headless-session';

/** A longer prompt leaves no room for work. */
const MAX_PROMPT_BYTES = 1024 * 1024;

/** The prompts a command line asks for, from its words or from files. */
export interface AskedPrompts {
  readonly system: string | undefined;
  readonly append: string | undefined;
}

/** Reads them; a file that cannot be read is named with its flag. */
export async function readPrompts(
  files: Files,
  options: Pick<
    HeadlessOptions,
    'systemPrompt' | 'systemPromptFile' | 'appendSystemPrompt' | 'appendSystemPromptFile'
  >,
): Promise<Result<AskedPrompts>> {
  const system = await readPrompt(files, '--system-prompt-file', options.systemPromptFile);
  if (!system.ok) return system;
  const flag = '--append-system-prompt-file';
  const append = await readPrompt(files, flag, options.appendSystemPromptFile);
  if (!append.ok) return append;
  return ok({
    system: options.systemPrompt ?? system.value,
    append: options.appendSystemPrompt ?? append.value,
  });
}

async function readPrompt(
  files: Files,
  flag: string,
  file: string | undefined,
): Promise<Result<string | undefined>> {
  if (file === undefined) return ok(undefined);
  const bytes = await files.read(file, MAX_PROMPT_BYTES);
  return bytes.ok
    ? ok(new TextDecoder().decode(bytes.value))
    : err(fault('no_prompt_file', `${flag}: ${bytes.error.message}`, 'Name a text file.'));
}
