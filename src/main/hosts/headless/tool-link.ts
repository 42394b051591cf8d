import { err, ok } from '../../../shared/result';
import type { HeadlessSession } from '../../app/headless-session';
import { toolName } from '../../engine/permissions/server-names';
import type { Json } from './api-shape';
import type { ProgramLink } from './program-link';

/**
 * Creates a link whose questions about calls are answered by a tool of a tool server (`--permission-prompt-tool`). `complain`
 * hears once that it does not answer.
 */
export function createToolLink(
  tool: string,
  session: () => Pick<HeadlessSession, 'callTool'> | null,
  complain: (line: string) => void,
): Pick<ProgramLink, 'ask'> {
  let hasFailed = false;
  const failed = (error: string) => {
    const why = `--permission-prompt-tool ${tool}: ${error}`;
    if (!hasFailed) complain(`Warning: ${why}, so it was denied.`);
    hasFailed = true;
    return err(why);
  };
  const ask: ProgramLink['ask'] = async ({ tool_name, input, tool_use_id }, signal) => {
    const asked = session();
    if (asked === null) return err('the session is not open yet');
    // It cannot be asked whether it may be asked.
    if (tool_name === tool) return ok({ behavior: 'allow' });
    const answer = await asked.callTool(tool, { tool_name, input, tool_use_id }, signal);
    if (!answer.ok) return signal.aborted ? answer : failed(answer.error);
    const text = answer.value.flatMap((block) => (block.type === 'text' ? block.text : []));
    const read = parse(text.join('\n'));
    return read === null ? failed('it gave no JSON') : ok(read);
  };
  return { ask };
}

/**
 * Returns what is wrong with the tool that is to answer questions: no server has its name. One that is there may still be
 * starting. Pure.
 */
export function promptToolDoubt(
  tool: string | undefined,
  servers: readonly { readonly name: string }[],
): string | null {
  if (tool === undefined || tool === 'stdio') return null;
  if (servers.some(({ name }) => tool.startsWith(toolName(name, '')))) return null;
  return `--permission-prompt-tool ${tool}: there is no such tool server, so every question is denied.`;
}

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}
