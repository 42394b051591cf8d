import { err, ok } from '../../../shared/result';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import type { ProgramLink } from './program-link';

/** Creates a link whose questions about calls are answered by a tool of a tool server (`--permission-prompt-tool`). */
export const createToolLink = (
  tool: string,
  session: () => Pick<HeadlessSession, 'callTool'> | null,
): Pick<ProgramLink, 'ask'> => ({
  ask: async ({ tool_name, input, tool_use_id }, signal) => {
    const asked = session();
    if (asked === null) return err('the session is not open yet');
    // It cannot be asked whether it may be asked.
    if (tool_name === tool) return ok({ behavior: 'allow' });
    const answer = await asked.callTool(tool, { tool_name, input, tool_use_id }, signal);
    if (!answer.ok) return answer;
    const text = answer.value.flatMap((block) => (block.type === 'text' ? block.text : []));
    const read = parse(text.join('\n'));
    return read === null ? err(`${tool} gave no JSON`) : ok(read);
  },
});

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}
