import type { AssistantBlock } from '../../../shared/message';
import { OWN } from './claude-transcript';
import {
  blocksOf,
  isObject,
  type Json,
  type OtherStep,
  type OtherSteps,
  type PlacedLine,
  partsOf,
  str,
  timeOf,
} from './other-steps';

/** A line of the log that others may follow. */
interface Node {
  /** Its place among all nodes. */
  readonly at: number;
  readonly offset: number;
  readonly line: Json;
  readonly uuid: string;
  readonly parent: string;
}

/**
 * Reads what leads to one message of a log of Claude Code, or to its newest one. Lines name the line before them, so that a log
 * is a tree: answers that were taken back, and the work of sub-agents, stand beside the branch. Pure.
 *
 * @param lines the lines with their places in bytes.
 * @param until the place of the line up to which it is read: before a prompt, or behind an answer with its results; null: all.
 */
export function claudeSteps(lines: readonly PlacedLine[], until: number | null): OtherSteps {
  const { nodes, title, unread } = nodesOf(lines);
  const chosen =
    until === null
      ? nodes.findLast(({ line }) => isMessage(line))
      : nodes.find(({ offset }) => offset === until);
  const chain = chosen === undefined ? new Set<number>() : chainTo(nodes, chosen);
  const promptLine = until !== null && chosen !== undefined && isPrompt(chosen.line);
  if (promptLine) chain.delete(chosen.at);
  const kept = withBeside(nodes, chain);
  const cwd = kept.find(({ line }) => typeof line['cwd'] === 'string')?.line['cwd'];
  return {
    steps: kept.flatMap(stepsOf),
    prompt: promptLine ? typedParts(messageOf(chosen.line)['content']) : null,
    cwd: typeof cwd === 'string' ? cwd : null,
    title,
    unread,
  };
}

function nodesOf(lines: readonly PlacedLine[]): {
  readonly nodes: readonly Node[];
  readonly title: string;
  readonly unread: number;
} {
  const nodes: Node[] = [];
  const seen = new Set<string>();
  let [title, unread] = ['', 0];
  for (const { line, offset } of lines) {
    if (line === null) unread += 1;
    else if (line['type'] === 'summary') title = str(line['summary']) || title;
    else if (line['type'] === 'custom-title') title = str(line['customTitle']) || title;
    else if (line['isSidechain'] !== true) {
      const uuid = str(line['uuid']);
      // A session that was resumed in another file begins with copies of the lines before.
      if ((uuid === '' && !isMessage(line)) || seen.has(uuid)) continue;
      if (uuid !== '') seen.add(uuid);
      const parent = str(line['parentUuid']) || str(line['logicalParentUuid']);
      nodes.push({ at: nodes.length, offset, line, uuid, parent });
    }
  }
  return { nodes, title, unread };
}

/**
 * Returns the places of a line and of all before it. Where it names none that is there, or one that leads back to it, the one
 * before it in the file counts.
 */
function chainTo(nodes: readonly Node[], last: Node): Set<number> {
  const byId = new Map(nodes.flatMap((node) => (node.uuid === '' ? [] : [[node.uuid, node]])));
  const chain = new Set<number>();
  const above = (at: number): Node | undefined => {
    let place = at - 1;
    while (chain.has(place)) place -= 1;
    return nodes[place];
  };
  let node: Node | undefined = last;
  while (node !== undefined) {
    chain.add(node.at);
    const isRoot: boolean =
      node.uuid !== '' && node.parent === '' && node.line['type'] !== 'system';
    const named: Node | undefined = byId.get(node.parent);
    const isNew = named !== undefined && !chain.has(named.at);
    node = isRoot ? undefined : isNew ? named : above(node.at);
  }
  return chain;
}

/** Adds what belongs to a branch but hangs beside it: other blocks of its answers, and the results of calls that ran together. */
function withBeside(nodes: readonly Node[], chain: ReadonlySet<number>): readonly Node[] {
  const answers = new Set(
    nodes.flatMap(({ at, line }) => (chain.has(at) ? [answerOf(line)] : [])).filter(Boolean),
  );
  const isKept = ({ at, line }: Node) => chain.has(at) || answers.has(answerOf(line));
  const calls = new Set(
    nodes
      .filter(isKept)
      .flatMap(({ line }) => blocksOf(messageOf(line)['content']))
      .flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])),
  );
  const isResult = ({ line }: Node) =>
    line['type'] === 'user' &&
    blocksOf(messageOf(line)['content']).some(
      (block) => block['type'] === 'tool_result' && calls.has(block['tool_use_id']),
    );
  return nodes.filter((node) => isKept(node) || isResult(node));
}

const messageOf = (line: Json): Json => (isObject(line['message']) ? line['message'] : {});

/** Returns the id of the answer that a line has a part of; empty for any other line. Some proxies have one id for all answers. */
function answerOf(line: Json): string {
  const id = line['type'] === 'assistant' ? str(messageOf(line)['id']) : '';
  return id === '' ? '' : [id, str(line['requestId'])].filter(Boolean).join('_');
}

const isMessage = ({ type }: Json): boolean => type === 'user' || type === 'assistant';

/** Tells whether a user wrote a line. */
const isPrompt = (line: Json): boolean =>
  line['type'] === 'user' &&
  line['isMeta'] !== true &&
  line['isCompactSummary'] !== true &&
  !blocksOf(messageOf(line)['content']).some(({ type }) => type === 'tool_result');

function stepsOf({ line, offset }: Node): readonly OtherStep[] {
  const at = timeOf(line['timestamp']);
  const { content, model } = messageOf(line);
  if (line['type'] === 'assistant') {
    // The program's own words in the place of an answer.
    if (line['isApiErrorMessage'] === true || model === '<synthetic>') return [];
    const facts = {
      at,
      ...ownId(line, messageOf(line)['id']),
      messageId: answerOf(line) || str(line['uuid']) || `answer_${offset}`,
      model: str(model),
    };
    return blocksOf(content).flatMap((block): readonly OtherStep[] => {
      const known = answerBlock(block);
      return known === null ? [] : [{ ...facts, kind: 'answer', block: known }];
    });
  }
  if (line['type'] !== 'user') return [];
  if (line['isCompactSummary'] === true) return [{ at, kind: 'summary', text: textOf(content) }];
  const results = blocksOf(content).filter(({ type }) => type === 'tool_result');
  const rest = blocksOf(content).filter(({ type }) => type !== 'tool_result');
  const words = typedParts(rest);
  const synthetic = line['isMeta'] === true || results.length > 0 || isPrinted(words);
  return [
    ...results.map(
      (result): OtherStep => ({
        ...{ at, kind: 'result', callId: str(result['tool_use_id']) },
        ...{ content: partsOf(result['content']), isError: result['is_error'] === true },
      }),
    ),
    ...(words.length === 0
      ? []
      : [
          {
            ...({ at, kind: 'prompt', content: words, synthetic, offset } as const),
            ...ownId(line, line['uuid']),
          },
        ]),
  ];
}

/** Returns the id of a message for its steps, where Lathe wrote the line. */
const ownId = (line: Json, id: unknown): Pick<OtherStep, 'id'> =>
  line['entrypoint'] === OWN && typeof id === 'string' && id !== '' ? { id } : {};

/** Returns a block of an answer that another session can send: thinking is bound to its own. */
function answerBlock(block: Json): AssistantBlock | null {
  if (block['type'] === 'text' && str(block['text']).trim() !== '')
    return { type: 'text', text: str(block['text']) };
  if (block['type'] !== 'tool_use') return null;
  const { id, name, input } = block;
  return { type: 'tool_use', id: str(id), name: str(name), input: isObject(input) ? input : {} };
}

const textOf = (content: unknown): string =>
  blocksOf(content)
    .map(({ text }) => str(text))
    .join('\n');

/** Returns a prompt as it was typed, with its images. */
const typedParts = (content: unknown) =>
  partsOf(content).map((part) =>
    part.type === 'text' ? { ...part, text: typedText(part.text) } : part,
  );

/** Returns the words of a prompt as they were typed: a command stands in them as tags. */
function typedText(text: string): string {
  const tag = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1];
  const command = tag('command-name');
  if (command !== undefined) return `${command} ${tag('command-args') ?? ''}`.trim();
  const line = tag('bash-input');
  return line === undefined ? text : `! ${line}`;
}

/** Tells whether a line holds what a command of the program printed. */
const isPrinted = (parts: readonly { readonly type: string; readonly text?: string }[]): boolean =>
  parts.length > 0 &&
  parts.every(({ text }) => /^\s*<(?:local-command-|bash-std)/.test(text ?? ''));
