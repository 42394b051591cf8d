import path from 'node:path';
import type { Files } from '../../ports';
import { cutText } from '../cut-text';
import type { ToolContent } from '../tool';
import type { CallMiddleware } from './call-middleware';

/** The limit of all results of one message together. Characters. docs/spec.md D5. */
export const MAX_MESSAGE_CHARS = 200_000;

/** The length of a preview of a result that went to a file. Characters. */
const PREVIEW_CHARS = 2000;
/** The length of the words around a preview, which name its file. Characters. */
const NOTE_CHARS = 400;
/** The share of a message that whole results leave to the previews and paths of others. */
const RESERVED_SHARE = 0.05;

/** Keeps the results of one message within bounds. Texts count, images and documents do not. */
export interface ResultBudget {
  /** Cuts a result as {@link fitResult} does, and to what the results before it left over. */
  fit(callId: string, content: ToolContent, maxChars: number): Promise<ToolContent>;
}

/** Keeps the result of every call that ran within its own limit and the budget of its message. */
export const resultBudget =
  (budget: ResultBudget): CallMiddleware =>
  async (call, next) => {
    const outcome = await next(call);
    if (outcome.kind !== 'done' && outcome.kind !== 'failed') return outcome;
    const content = await budget.fit(call.id, outcome.content, call.tool.maxResultChars);
    return { ...outcome, content };
  };

/** Creates the budget for the results of one message. Long results are saved in `folder`/tool-results. */
export function createResultBudget(
  files: Files,
  folder: string,
  totalChars = MAX_MESSAGE_CHARS,
): ResultBudget {
  let whole = totalChars * (1 - RESERVED_SHARE);
  let left = totalChars;
  return {
    fit: async (callId, content, maxChars) => {
      const room = Math.min(maxChars, whole, left);
      const length = charsOf(content);
      const preview = Math.min(PREVIEW_CHARS, Math.max(left - NOTE_CHARS, 0));
      const taken = length <= room ? length : preview + NOTE_CHARS;
      whole = Math.max(whole - taken, 0);
      left = Math.max(left - taken, 0);
      return fitResult(files, folder, callId, content, room, preview);
    },
  };
}

/**
 * Returns the result of one call as the model gets it. One longer than `maxChars` is saved in `folder`/tool-results and
 * replaced by a preview and its path. An empty one says that it is empty.
 */
export async function fitResult(
  files: Files,
  folder: string,
  callId: string,
  content: ToolContent,
  maxChars: number,
  previewChars = PREVIEW_CHARS,
): Promise<ToolContent> {
  if (isEmpty(content)) return [{ type: 'text', text: '(The tool finished without output.)' }];
  return charsOf(content) <= maxChars
    ? content
    : save(callId, content, files, folder, previewChars);
}

const charsOf = (content: ToolContent): number =>
  content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);

const isEmpty = (content: ToolContent): boolean =>
  content.every((block) => block.type === 'text' && block.text.trim() === '');

async function save(
  callId: string,
  content: ToolContent,
  files: Files,
  folder: string,
  previewChars: number,
): Promise<ToolContent> {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const file = path.join(folder, 'tool-results', `${fileName(callId)}.txt`);
  const saved = await files.write(file, text, 0o600);
  const where = saved.ok
    ? `All of it is in ${file}: Read it in parts (offset, limit) or search it with Grep.`
    : `It could not be saved (${saved.error.message}), so only its beginning is left.`;
  const preview = beginning(text, previewChars);
  const others = content.filter((block) => block.type !== 'text');
  return [
    {
      type: 'text',
      text: `(The result has ${text.length} characters, too many to show. ${where})\n\n${preview}\n…`,
    },
    ...others,
  ];
}

/** Call ids come from a server: they must not lead out of the folder. */
const fileName = (callId: string): string => callId.replace(/[^\w-]/g, '_').slice(0, 100) || 'call';

function beginning(text: string, chars: number): string {
  const line = text.lastIndexOf('\n', chars);
  return line > chars / 2 ? text.slice(0, line) : cutText(text, chars);
}
