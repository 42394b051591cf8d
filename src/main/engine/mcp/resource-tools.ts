import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ResultContent } from '../../../shared/message';
import type { Result } from '../../../shared/result';
import { ownNeeds } from '../tools/needs';
import { NO_ACCESS } from '../tools/resource-access';
import { type AnyTool, defineTool } from '../tools/tool';
import { contentText, imageOf } from './mcp-tool';

/** The resources of the servers of a session. */
export interface ServerResources {
  /** Returns the names of the servers that have resources. */
  servers(): readonly string[];
  list(server: string, signal: AbortSignal): Promise<Result<readonly Resource[], string>>;
  /** Lists patterns of addresses, as in `file:///{path}`. */
  templates(
    server: string,
    signal: AbortSignal,
  ): Promise<Result<readonly ResourceTemplateType[], string>>;
  read(
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<Result<ReadResourceResult, string>>;
}

/** The most of a list that goes to the model. Characters. */
const MAX_LIST_CHARS = 40_000;
/** The most of a resource that goes to the model. Characters. */
const MAX_TEXT_CHARS = 100_000;
const MAX_SHOWN_CHARS = 2000;

const ListInput = z.strictObject({
  server: z.string().optional().describe('One server; default: all.'),
});
const ReadInput = z.strictObject({ server: z.string().min(1), uri: z.string().min(1) });

/** Creates the tools that list and read what servers have to read. The model has to look for them. */
export const createResourceTools = (resources: ServerResources): readonly AnyTool[] => [
  defineTool<z.infer<typeof ListInput>, string>({
    name: 'ListMcpResourcesTool',
    description: 'Lists the resources of tool servers: texts and images to read, by their uri.',
    input: ListInput,
    deferred: true,
    access: async () => NO_ACCESS,
    needs: ownNeeds('ListMcpResourcesTool'),
    title: ({ server = '' }) => ({ verb: 'List resources', target: server }),
    execute: async function* ({ server }, { signal }) {
      const names = resources.servers().filter((name) => server === undefined || name === server);
      if (server !== undefined && names.length === 0)
        return { ok: false, message: noServer(server, resources) };
      const parts = await Promise.all(
        names.map(async (name) => {
          const [listed, templates] = await Promise.all([
            resources.list(name, signal),
            resources.templates(name, signal),
          ]);
          return listed.ok
            ? listText(name, listed.value, templates.ok ? templates.value : [])
            : `# ${name}\n${listed.error}`;
        }),
      );
      const text = parts.join('\n\n') || 'No server has resources.';
      const output =
        text.length > MAX_LIST_CHARS
          ? `${text.slice(0, MAX_LIST_CHARS).toWellFormed()}\n(the rest is left out)`
          : text;
      return { ok: true, output };
    },
    toModel: (text) => [{ type: 'text', text }],
    view: (_, text) => ({
      kind: 'generic',
      title: 'Resources',
      detail: text.slice(0, MAX_SHOWN_CHARS),
    }),
  }),
  defineTool<z.infer<typeof ReadInput>, readonly ResultContent[]>({
    name: 'ReadMcpResourceTool',
    description: 'Reads one resource of a tool server.',
    input: ReadInput,
    deferred: true,
    access: async () => NO_ACCESS,
    needs: ownNeeds('ReadMcpResourceTool'),
    title: ({ server = '', uri = '' }) => ({ verb: 'Read resource', target: `${server} ${uri}` }),
    // biome-ignore lint/correctness/useYield: a resource comes in one piece
    execute: async function* ({ server, uri }, { signal }) {
      if (!resources.servers().includes(server))
        return { ok: false, message: noServer(server, resources) };
      const read = await resources.read(server, uri, signal);
      return read.ok
        ? { ok: true, output: resourceContent(read.value) }
        : { ok: false, message: read.error };
    },
    toModel: (content) => content,
    view: ({ uri }, content) => ({
      kind: 'generic',
      title: uri,
      detail: contentText(content).slice(0, MAX_SHOWN_CHARS),
    }),
  }),
];

const noServer = (server: string, resources: ServerResources): string =>
  `No server "${server}" has resources. There are: ${resources.servers().join(', ') || 'none'}.`;

function listText(
  server: string,
  listed: readonly Resource[],
  templates: readonly ResourceTemplateType[],
): string {
  const lines = [
    ...listed.map((one) => lineOf(one.uri, one)),
    ...templates.map((one) => lineOf(`${one.uriTemplate} (fill it in)`, one)),
  ];
  return `# ${server}\n${lines.join('\n') || '(none)'}`;
}

const lineOf = (
  address: string,
  { title, name, mimeType, description }: Resource | ResourceTemplateType,
): string =>
  [address, title ?? name, mimeType, description?.replace(/\s+/g, ' ').slice(0, 200)]
    .filter(Boolean)
    .join(' · ');

/** Returns what the model is shown of a resource. What it cannot be shown is named. Pure. */
export const resourceContent = ({ contents }: ReadResourceResult): readonly ResultContent[] =>
  contents.map((part) => {
    if ('text' in part) {
      const cut = part.text.slice(0, MAX_TEXT_CHARS).toWellFormed();
      const rest = part.text.length - cut.length;
      return { type: 'text', text: rest === 0 ? cut : `${cut}\n(${rest} more characters)` };
    }
    const type = part.mimeType ?? 'binary';
    return type.startsWith('image/')
      ? imageOf(type, part.blob)
      : { type: 'text', text: `[${part.uri}, ${type}: it cannot be shown]` };
  });
