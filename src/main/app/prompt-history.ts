import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../engine/damaged-file';
import { createMutex } from '../engine/mutex';
import type { Files } from '../engine/ports';
import { projectFolder } from '../engine/sessions/paths';

/** The prompts that a user sent in each project, whatever the session. */
export interface PromptHistory {
  /** Returns them, oldest first, each once. */
  list(project: string): Promise<readonly string[]>;
  /** Adds one as the newest. A disk that refuses costs the history, never the prompt. */
  add(project: string, text: string): Promise<void>;
}

/** Prompts kept per project, and characters of all of them together. */
const MAX_PROMPTS = 500;
const MAX_CHARS = 500_000;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Creates the history over `$LATHE_HOME/projects/<folder>/prompts.json`. */
export function createPromptHistory(files: Files, latheHome: string): PromptHistory {
  const turns = createMutex();
  const pathOf = (project: string) => join(projectFolder(latheHome, project), 'prompts.json');
  const read = async (project: string): Promise<readonly string[]> => {
    const bytes = await files.read(pathOf(project), MAX_FILE_BYTES);
    return (bytes.ok && parsed(bytes.value)) || [];
  };
  return {
    list: (project) => turns.run(() => read(project)),
    add: (project, text) =>
      turns.run(async () => {
        const next = withPrompt(await read(project), text);
        const json = `${JSON.stringify(next)}\n`;
        await replaceFile(files, pathOf(project), json, (bytes) => parsed(bytes) !== null);
      }),
  };
}

/** Adds a prompt as the newest one; the oldest give way where there are too many, or too long ones. Pure. */
export function withPrompt(prompts: readonly string[], text: string): readonly string[] {
  if (text.trim() === '' || text.length > MAX_CHARS) return prompts;
  const kept: string[] = [];
  let chars = 0;
  for (const one of [...prompts.filter((other) => other !== text), text].reverse()) {
    chars += one.length;
    if (kept.length === MAX_PROMPTS || chars > MAX_CHARS) break;
    kept.push(one);
  }
  return kept.reverse();
}

/** Reads the file's content; null when it is no list of texts. */
function parsed(bytes: Uint8Array): readonly string[] | null {
  try {
    return z.array(z.string()).safeParse(JSON.parse(new TextDecoder().decode(bytes))).data ?? null;
  } catch {
    return null;
  }
}
