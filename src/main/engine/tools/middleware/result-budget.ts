import { charsOf, saveResult } from '../../context/tool-result-budget';
import type { Files } from '../../ports';
import type { ToolContent } from '../tool';
import type { CallMiddleware } from './call-middleware';

/** Keeps single results within bounds. What those of one message have together is for the context pipeline. */
export interface ResultBudget {
  /** Cuts a result as {@link fitResult} does. */
  fit(callId: string, content: ToolContent, maxChars: number): Promise<ToolContent>;
}

/** Keeps the result of every call that ran within the limit of its tool. */
export const resultBudget =
  (budget: ResultBudget): CallMiddleware =>
  async (call, next) => {
    const outcome = await next(call);
    if (outcome.kind !== 'done' && outcome.kind !== 'failed') return outcome;
    const content = await budget.fit(call.id, outcome.content, call.tool.maxResultChars);
    return { ...outcome, content };
  };

/** Creates the budget of a session. Long results are saved in `folder`/tool-results. */
export const createResultBudget = (files: Files, folder: string): ResultBudget => ({
  fit: (callId, content, maxChars) => fitResult(files, folder, callId, content, maxChars),
});

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
): Promise<ToolContent> {
  if (isEmpty(content)) return [{ type: 'text', text: '(The tool finished without output.)' }];
  return charsOf(content) <= maxChars ? content : saveResult(files, folder, callId, content);
}

const isEmpty = (content: ToolContent): boolean =>
  content.every((block) => block.type === 'text' && block.text.trim() === '');
