import { err, ok, type Result } from '../../../shared/result';
import { worktreeAround } from '../agents/worktree';
import { relativeInside } from '../permissions/paths';
import { SAFE_GIT } from '../prompt/git-facts';
import type { LspAnswer, LspOperation, LspQuestion } from '../tools/builtin/lsp/lsp';
import { shortPath } from '../tools/builtin/support/target';
import type { ToolContext } from '../tools/environment';
import { untilAborted } from '../until-aborted';
import { bounded, findingsText, leftOut, lineText, MAX_SHOWN, nameAt } from './answer-text';
import { uriOf } from './documents';
import { type Ask, hiddenAmong, mayShowText } from './hidden-places';
import type { LanguageServer, RunningServer } from './language-server';
import type { LanguageServers } from './language-servers';
import { type Finding, readCalls, readHover, readItems, readPlaces, readSymbols } from './results';

/** The longest that a question waits for a server that begins: then the model may do something else. Milliseconds. */
export const START_WAIT_MS = 15_000;
/** The longest that a server may take for an answer. Milliseconds. */
const ANSWER_MS = 30_000;

/** The codes with which a server says that what it began no longer holds, or that it has more urgent things to do. */
const BUSY: ReadonlySet<number | undefined> = new Set([-32_801, -32_802]);
/** The pauses before it is asked again then. Milliseconds. */
const AGAIN_AFTER_MS = [250, 500, 1_000] as const;

/** The request of a question, the ability that a server needs for it, and the words for what it finds. */
interface Way {
  readonly method: string;
  readonly ability: string;
  readonly words: readonly [string, string];
}

const CALLS = { method: 'textDocument/prepareCallHierarchy', ability: 'callHierarchyProvider' };
const WAYS: Readonly<Record<LspOperation, Way>> = {
  goToDefinition: {
    ...{ method: 'textDocument/definition', ability: 'definitionProvider' },
    words: ['definition', 'definitions'],
  },
  goToImplementation: {
    ...{ method: 'textDocument/implementation', ability: 'implementationProvider' },
    words: ['implementation', 'implementations'],
  },
  findReferences: {
    ...{ method: 'textDocument/references', ability: 'referencesProvider' },
    words: ['reference', 'references'],
  },
  hover: { method: 'textDocument/hover', ability: 'hoverProvider', words: ['text', 'texts'] },
  documentSymbol: {
    ...{ method: 'textDocument/documentSymbol', ability: 'documentSymbolProvider' },
    words: ['symbol', 'symbols'],
  },
  workspaceSymbol: {
    ...{ method: 'workspace/symbol', ability: 'workspaceSymbolProvider' },
    words: ['symbol', 'symbols'],
  },
  prepareCallHierarchy: { ...CALLS, words: ['function', 'functions'] },
  incomingCalls: { ...CALLS, words: ['caller', 'callers'] },
  outgoingCalls: { ...CALLS, words: ['called function', 'called functions'] },
};

/** Puts a question to the language server of a file. The error is for the model. */
export async function askLanguageServer(
  servers: LanguageServers,
  question: LspQuestion,
  context: ToolContext,
): Promise<Result<LspAnswer, string>> {
  const { operation, target } = question;
  const server = await servers.serverOf(target.realPath);
  if (server === null) return err(noServer(servers, target.realPath));
  if (typeof server === 'string') return err(`No language server can be started: ${server}`);
  const ready = await readySoon(server, context);
  if (!ready.ok) return ready;
  const running = ready.value;
  const { name } = server.setting;
  const { method, ability } = WAYS[operation];
  if (!running.offers(method, ability))
    return err(`The language server ${name} does not answer ${operation}.`);
  const text = await untilAborted(servers.bringUpToDate(server, target.realPath), context.signal);
  if (text === 'aborted') return err(INTERRUPTED);
  if (text === null)
    return err(`${target.path} cannot be read as text, or is too long for a language server.`);
  const ask = async (asked: string, params: unknown): Promise<Result<unknown, string>> => {
    let answer = await running.request(asked, params, ANSWER_MS, context.signal);
    for (const pause of AGAIN_AFTER_MS) {
      if (answer.ok || !BUSY.has(answer.error.code)) break;
      await context.services.clock.sleep(pause, context.signal);
      answer = await running.request(asked, params, ANSWER_MS, context.signal);
    }
    if (answer.ok) return answer;
    if (context.signal.aborted) return err(INTERRUPTED);
    const gone = server.running() === null ? server.problem() : null;
    return err(`The language server ${name} has no answer: ${gone ?? answer.error.message}`);
  };
  const found = await findingsOf(question, text, running, ask, context);
  if (!found.ok) return found;
  if (typeof found.value === 'string')
    return found.value === ''
      ? ok(nothing(question, text, running))
      : ok({ ...bounded(found.value), count: 1 });
  return answerOf(found.value, question, text, running, context);
}

const INTERRUPTED = 'Interrupted.';

/** Says which files have a server. */
function noServer(servers: LanguageServers, path: string): string {
  const known = servers
    .wanted()
    .map(({ name, languages }) => `${name} for ${Object.keys(languages).join(', ')}`);
  const end = /(\.[^./\\]+)$/.exec(path)?.[1];
  const which = end === undefined ? 'that file' : `${end} files`;
  return `No language server is for ${which}. There are: ${known.join('; ') || 'none'}.`;
}

/** Waits a while until a server runs. */
async function readySoon(
  server: LanguageServer,
  { services: { clock }, signal }: ToolContext,
): Promise<Result<RunningServer, string>> {
  const { name } = server.setting;
  const over = new AbortController();
  const late = clock
    .sleep(START_WAIT_MS, AbortSignal.any([signal, over.signal]))
    .then(() => 'late' as const);
  const ready = await Promise.race([server.ready(true), late]);
  over.abort();
  if (signal.aborted) return err(INTERRUPTED);
  if (ready === 'late')
    return err(
      `The language server ${name} is still starting. Go on without it, and ask again later.`,
    );
  return ready.ok ? ready : err(`The language server ${name} does not run: ${ready.error}`);
}

/** Returns what a server finds, or the text of a hover. */
async function findingsOf(
  question: LspQuestion,
  text: string,
  running: RunningServer,
  ask: Ask,
  context: ToolContext,
): Promise<Result<readonly Finding[] | string, string>> {
  const { operation, target, line = 1, character = 1 } = question;
  const uri = uriOf(target.realPath);
  const { method } = WAYS[operation];
  const textDocument = { uri };
  const position = { line: line - 1, character: character - 1 };
  const read = async (params: unknown, reads: (answer: unknown) => readonly Finding[] | string) => {
    const answer = await ask(method, params);
    return answer.ok ? ok(reads(answer.value)) : answer;
  };
  // Details are signatures, which may stand in another file.
  const details = !context.agent.hidesFiles();
  switch (operation) {
    case 'hover': {
      const at = { textDocument, position };
      const may = await mayShowText(at, target.realPath, running, ask, context);
      return may.ok ? read(at, readHover) : may;
    }
    case 'documentSymbol':
      return read({ textDocument }, (answer) => readSymbols(answer, uri, details));
    case 'workspaceSymbol': {
      const query = wantedName(question, text);
      return read({ query }, (answer) => readSymbols(answer, uri, details));
    }
    case 'findReferences':
      return read({ textDocument, position, context: { includeDeclaration: true } }, readPlaces);
    case 'goToDefinition':
    case 'goToImplementation':
      return read({ textDocument, position }, readPlaces);
    case 'prepareCallHierarchy':
      return read({ textDocument, position }, (answer) => readItems(answer, details));
    case 'incomingCalls':
    case 'outgoingCalls': {
      const prepared = await ask(method, { textDocument, position });
      if (!prepared.ok) return prepared;
      const [item] = Array.isArray(prepared.value) ? prepared.value : [];
      if (item === undefined) return ok([]);
      // Whom a function calls stands in the function.
      const [own] = operation === 'outgoingCalls' ? readItems([item], details) : [];
      if (own && (await hiddenAmong([own], target.realPath, context))(own)) return ok([own]);
      const calls = await ask(`callHierarchy/${operation}`, { item });
      const side = operation === 'incomingCalls' ? 'from' : 'to';
      return calls.ok ? ok(readCalls(calls.value, side, details)) : calls;
    }
  }
}

/** Returns the name that is looked for in all files: the one asked for, else the one at the place. */
const wantedName = ({ query, line, character = 1 }: LspQuestion, text: string): string =>
  query ?? (line === undefined ? null : nameAt(text, line, character)) ?? '';

/** Returns an answer without what rules or git hide. */
async function answerOf(
  found: readonly Finding[],
  question: LspQuestion,
  text: string,
  running: RunningServer,
  context: ToolContext,
): Promise<Result<LspAnswer, string>> {
  const isHidden = await hiddenAmong(found, question.target.realPath, context);
  const readable = found.filter((one) => !isHidden(one));
  const ignored = await ignoredAmong(
    [...new Set(readable.flatMap(({ path }) => path ?? []))].slice(0, MAX_CHECKED),
    question.target.realPath,
    context,
  );
  const visible = readable.filter(({ path }) => path === null || !ignored.has(path));
  // A definition is where it is: a library that git ignores is the answer, and no noise.
  const isOnly = visible.length === 0 && question.operation.startsWith('goTo');
  const findings = isOnly ? readable : visible;
  const left = {
    hidden: found.length - readable.length,
    ignored: readable.length - findings.length,
  };
  if (findings.length === 0) {
    const none = nothing(question, text, running);
    return ok({ ...none, text: [none.text, ...leftOut(left)].join('\n') });
  }
  const { words } = WAYS[question.operation];
  const nameOf = (path: string) => shortPath(path, context);
  const said = findingsText({ findings, words, ...left, nameOf });
  const busy = busyNote(running);
  return ok({
    text: busy === '' ? said.text : `${said.text}\n${busy}`,
    count: Math.min(findings.length, MAX_SHOWN),
    truncated: said.truncated,
  });
}

/** The most files that git is asked about: their names have to fit into one command. */
const MAX_CHECKED = 400;
const GIT_MS = 5_000;

/** Returns the files among some that git ignores, in the worktree of the one asked about; none outside of a repository. */
async function ignoredAmong(
  paths: readonly string[],
  asked: string,
  { services: { programs }, signal, session: { project } }: ToolContext,
): Promise<ReadonlySet<string>> {
  // The project itself ignores all that is in its worktrees.
  const root = worktreeAround(project, asked)?.path ?? project;
  // One path outside of the repository, and git would answer for none.
  const others = paths.filter(
    (path) => path !== asked && relativeInside(root, path, false) !== null,
  );
  if (others.length === 0) return new Set();
  const limits = { cwd: root, maxBytes: 1024 * 1024, timeoutMs: GIT_MS };
  const argv = [...SAFE_GIT, 'check-ignore', '-z', '--', ...others];
  const ran = await programs.run(argv, limits, signal);
  if (!ran.ok || ran.value.exitCode !== 0) return new Set();
  return new Set(new TextDecoder().decode(ran.value.stdout).split('\0'));
}

/** Returns the answer that there is nothing, with what helps to ask better. */
function nothing(question: LspQuestion, text: string, running: RunningServer): LspAnswer {
  const { operation, line } = question;
  const what = operation === 'hover' ? 'text' : WAYS[operation].words[1];
  const name = operation === 'workspaceSymbol' ? wantedName(question, text) : '';
  const none = `The language server knows no ${what} for ${name === '' ? 'it' : `“${name}”`}.`;
  const where = line === undefined ? [] : [lineText(text, line)];
  const busy = busyNote(running);
  return {
    text: [none, ...where, ...(busy === '' ? [] : [busy])].join('\n'),
    ...{ count: 0, truncated: false },
  };
}

const busyNote = (running: RunningServer): string => {
  const work = running.working();
  return work === null ? '' : `(It is still at work, so this may not be all: ${work})`;
};
