import path from 'node:path';
import type { ContextEdit } from '../../../shared/context-edit';
import type { Message, ResultContent, ToolResultBlock } from '../../../shared/message';
import { project } from '../messages/projection';
import type { Files } from '../ports';
import { type ContextLayer, UNTOUCHED } from './layer';
import { freedTokens } from './tokens';

/** The limit of all results of one message together. Characters. docs/spec.md D5. */
const MAX_MESSAGE_CHARS = 200_000;

/** The length of a preview of a result that went to a file. Characters. */
const PREVIEW_CHARS = 2000;
/** The length of the words around a preview, which name its file. Characters. */
const NOTE_CHARS = 400;

type Content = readonly ResultContent[];

/**
 * Creates the layer that keeps the results of one message within their common limit (docs/spec.md F1). The longest are
 * saved in `folder`/tool-results and sent as a preview with the path.
 */
export const createToolResultBudget = (files: Files, folder: string): ContextLayer => ({
  name: 'tool_result_budget',
  apply: (messages) => {
    const results = newestResults(messages);
    const total = results.reduce((sum, { content }) => sum + charsOf(content), 0);
    if (total <= MAX_MESSAGE_CHARS) return UNTOUCHED;
    // Many results have little room each: then previews are shorter, or nothing.
    const share = Math.floor(MAX_MESSAGE_CHARS / results.length);
    const preview = Math.min(PREVIEW_CHARS, Math.max(0, share - NOTE_CHARS));
    return replaced(messages, longest(results, total, preview + NOTE_CHARS), async (result) => ({
      kind: 'replace_result',
      callId: result.tool_use_id,
      content: [...(await saveResult(files, folder, result.tool_use_id, result.content, preview))],
    }));
  },
});

/** Returns the results that follow the newest answer: they go as one message. */
function newestResults(messages: readonly Message[]): readonly ToolResultBlock[] {
  const results: ToolResultBlock[] = [];
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role === 'assistant') break;
    if (message?.role !== 'user') continue;
    results.push(...message.content.filter((block) => block.type === 'tool_result'));
  }
  return results;
}

/** Returns the longest results, as many as must go for the rest to fit. One that goes still takes `kept` characters. */
function longest(
  results: readonly ToolResultBlock[],
  total: number,
  kept: number,
): readonly ToolResultBlock[] {
  const going: ToolResultBlock[] = [];
  let left = total;
  for (const result of results.toSorted((a, b) => charsOf(b.content) - charsOf(a.content))) {
    const length = charsOf(result.content);
    if (left <= MAX_MESSAGE_CHARS || length <= kept) break;
    going.push(result);
    left -= length - kept;
  }
  return going;
}

async function replaced(
  messages: readonly Message[],
  results: readonly ToolResultBlock[],
  replace: (result: ToolResultBlock) => Promise<ContextEdit>,
) {
  const edits = await Promise.all(results.map(replace));
  return { edits, freed: freedTokens(messages, project(messages, edits)).freed };
}

/** Returns the characters of a result. Texts count, images and documents do not. */
export const charsOf = (content: Content): number =>
  content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);

/**
 * Saves the text of a result in `folder`/tool-results. Returns what stands for it: its size, where it is, and its first
 * `previewChars` characters. What is no text stays. Never fails: what could not be saved is said to be lost.
 */
export async function saveResult(
  files: Files,
  folder: string,
  callId: string,
  content: Content,
  previewChars = PREVIEW_CHARS,
): Promise<Content> {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const file = path.join(folder, 'tool-results', `${fileName(callId)}.txt`);
  const saved = await files.write(file, text, 0o600);
  const where = saved.ok
    ? `All of it is in ${file}: Read it in parts (offset, limit) or search it with Grep.`
    : `It could not be saved (${saved.error.message}), so only its beginning is left.`;
  const note = `(The result has ${text.length} characters, too many to show. ${where})`;
  return [
    { type: 'text', text: `${note}\n\n${beginning(text, previewChars)}\n…` },
    ...content.filter((block) => block.type !== 'text'),
  ];
}

/** Makes a file name of a call's id, which comes from a server and must not lead out of the folder. */
const fileName = (callId: string): string => callId.replace(/[^\w-]/g, '_').slice(0, 100) || 'call';

/** Returns the beginning of a text: whole lines where that is not much shorter, and whole characters. */
function beginning(text: string, chars: number): string {
  const line = text.lastIndexOf('\n', chars);
  if (line > chars / 2) return text.slice(0, line);
  const cut = text.slice(0, chars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
