import type { Client, Tool as ServerTool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { plainLine, withoutHidden } from '../../../shared/plain-line';
import { toolName } from '../permissions/server-names';
import { plainSchema, schemaForModel } from './input-schema';

/** The tools of a server that can be offered, and which of its list cannot, with the reasons. */
export interface ListedTools {
  readonly tools: readonly ServerTool[];
  readonly leftOut: readonly string[];
}

/** The most tools of one server; more would drown the others. */
const MAX_TOOLS = 1000;
/** The most pages of a list: one that does not end is given up. */
const MAX_PAGES = 64;
/** The longest name that the Messages API takes. */
const MAX_NAME_CHARS = 128;
/** The part of a name that is told. Characters. */
const MAX_SHOWN_CHARS = 80;

/** Names the ecosystem's own fields of a tool: whether its definition is always sent, and what ToolSearch finds it by. */
export const ALWAYS_LOAD = 'anthropic/alwaysLoad';
export const SEARCH_HINT = 'anthropic/searchHint';

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const Item = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  annotations: z
    .looseObject({ title: z.string(), readOnlyHint: z.boolean() })
    .partial()
    .optional()
    .catch(undefined),
  _meta: z
    .looseObject({ [ALWAYS_LOAD]: z.boolean(), [SEARCH_HINT]: z.string() })
    .partial()
    .optional()
    .catch(undefined),
  execution: z.looseObject({ taskSupport: z.string() }).partial().optional().catch(undefined),
});

/** Lists the tools of a server, all pages. Throws where it does not answer, or not with a list. */
export async function listTools(
  server: string,
  client: Pick<Client, 'request'>,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<ListedTools> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
    if (pages === MAX_PAGES) throw new Error(`Its list of tools has no end: ${MAX_PAGES} pages`);
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, Page, options);
    items.push(...page.tools);
    cursor = page.nextCursor;
  }
  return readTools(server, items);
}

/** The most tools that are named when they are left out. */
export const MAX_TOLD = 10;

/** Returns what to tell a user of the tools that are left out; '' when none is. Pure. */
export function leftOutText(server: string, leftOut: readonly string[]): string {
  if (leftOut.length === 0) return '';
  const more = leftOut.length - MAX_TOLD;
  const named = leftOut.slice(0, MAX_TOLD).join('; ');
  return `Tools of the server "${server}" are left out: ${named}${more > 0 ? `; and ${more} more` : ''}.`;
}

/**
 * Reads the list of a server's tools. What the Messages API would refuse is left out: with it every request would fail. So
 * is a tool that rules could not tell from one before it. Pure.
 */
export function readTools(server: string, items: readonly unknown[]): ListedTools {
  const tools = new Map<string, ServerTool>();
  const leftOut: string[] = [];
  for (const [at, item] of items.entries()) {
    const parsed = Item.safeParse(item);
    const shown = parsed.success ? `"${plainLine(parsed.data.name, MAX_SHOWN_CHARS)}"` : '';
    const leave = (why: string) => leftOut.push(`${shown || `number ${at + 1}`}: ${why}`);
    if (!parsed.success) {
      leave('it has no name');
      continue;
    }
    const { name, title, description, annotations, execution, _meta } = parsed.data;
    const full = toolName(server, name);
    const first = tools.get(full);
    const schema = schemaForModel(parsed.data['inputSchema']);
    if (full.length > MAX_NAME_CHARS)
      leave(`with its server its name is longer than ${MAX_NAME_CHARS} characters`);
    else if (first?.name === name) leave('another one has the same name');
    else if (first !== undefined)
      leave(`rules could not tell it from "${plainLine(first.name, MAX_SHOWN_CHARS)}"`);
    else if (!schema.ok) leave(schema.error);
    else if (tools.size === MAX_TOOLS) {
      leftOut.push(`all behind the first ${MAX_TOOLS}`);
      break;
    } else
      tools.set(full, {
        name,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description: withoutHidden(description) }),
        inputSchema: plainSchema(schema.value),
        ...(annotations === undefined ? {} : { annotations }),
        ...(execution === undefined ? {} : { execution }),
        ...(_meta === undefined ? {} : { _meta }),
      } as ServerTool);
  }
  return { tools: [...tools.values()], leftOut };
}
