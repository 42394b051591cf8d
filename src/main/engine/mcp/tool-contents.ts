import { createHash } from 'node:crypto';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';

/**
 * Remembers the contents of one server's tools (name, description, schema), because a yes counts for what was read. A tool that is
 * no longer as it was first listed in a session, last allowed, or allowed for good in an earlier one, is asked about again.
 */
export interface ToolContents {
  /** Lets tools be known as what they were when they were allowed for good. */
  recall(allowed: ReadonlyMap<string, string>): void;
  /** Takes a list over: what it does not name is gone for now, and known still when it comes back. */
  take(listed: readonly ServerTool[]): void;
  /** Returns what stands for a tool as it is now; '' when it is not there. */
  now(name: string): string;
  /** Tells whether it is another one than it was known as. */
  isChanged(name: string): boolean;
  /** Lets a tool be known as what it was when a call of it was allowed. */
  know(name: string, content: string): void;
}

/** Names that were listed once are remembered; a server that makes up more has those asked about. */
const MAX_KNOWN = 10_000;

/** Creates the record of one server in a session. */
export function createToolContents(): ToolContents {
  const known = new Map<string, string>();
  let listed: ReadonlyMap<string, string> = new Map();
  return {
    recall: (allowed) => {
      for (const [name, content] of allowed) if (!known.has(name)) known.set(name, content);
    },
    take: (tools) => {
      // Of one name the first counts, as it is the one that is offered.
      listed = new Map(tools.toReversed().map((tool) => [tool.name, contentOf(tool)]));
      for (const [name, content] of listed)
        if (!known.has(name) && known.size < MAX_KNOWN) known.set(name, content);
    },
    now: (name) => listed.get(name) ?? '',
    isChanged: (name) => known.get(name) !== listed.get(name),
    know: (name, content) => {
      known.set(name, content);
    },
  };
}

const contentOf = ({ name, description, inputSchema }: ServerTool): string =>
  createHash('sha256')
    .update(JSON.stringify([name, description, inputSchema]))
    .digest('base64url');
