import { byRule, type Cause } from './decision';
import { followsWhatItLinks, readsWhatItCopies, runsWhatItMakes } from './made-files';
import { matchesSegment } from './patterns';
import { MAX_COMPARED } from './printed-files';
import type { ShellCommand, Touch, TrackedFiles } from './request';
import {
  coversParams,
  type FileMatcher,
  fileMatcher,
  mayCoverBelow,
  mayNameOneOf,
  restrictsCommand,
  type Spellings,
  spellingsOf,
} from './rule-match';
import type { Lookup } from './rule-set';
import { coversTool, type ParsedRule } from './rules';
import { VISIBLE } from './shell-analysis/find-names';
import {
  hiddenFrom,
  isVouchedFor,
  type OwnFacts,
  startsByPattern,
  unseenIn,
  wordsThatStart,
} from './shell-hiding';
import { realPathsOf, type ShellContext } from './shell-paths';

/** The rules that fit a line for sure, and those that fit perhaps and are asked in every mode. */
interface Restrictions {
  readonly sure: Cause[];
  readonly perhaps: Cause[];
}

/** Facts about a line that every rule is held against. */
interface LineFacts extends OwnFacts {
  /** The ways to write each command, and the whole line as if it were one. */
  readonly spellings: readonly Spellings[];
  readonly wholeLine: Spellings;
}

/** Returns the search for the deny (or ask) rules that fit a line. What it needs of the line is found once. */
export function restrictionsOf(shell: ShellContext): (behavior: 'deny' | 'ask') => Restrictions {
  let facts: LineFacts | null = null;
  return (behavior) => {
    if (!shell.rules.all.some(({ rule }) => rule.behavior === behavior))
      return { sure: [], perhaps: [] };
    facts ??= factsOf(shell);
    return restrictions(shell, facts, behavior);
  };
}

function factsOf(shell: ShellContext): LineFacts {
  const { caseInsensitive } = shell.context;
  const { analysis, command } = shell.request;
  const text = command.trim();
  return {
    spellings: analysis.commands.map((one) => spellingsOf(one, caseInsensitive)),
    wholeLine: { texts: caseInsensitive ? [text, text.toLowerCase()] : [text], open: null },
    ownMakings: runsWhatItMakes(shell),
    ownCopies: readsWhatItCopies(shell),
    ownLinks: followsWhatItLinks(shell),
    unseen: unseenIn(shell),
  };
}

/** Causes of one kind that are told; what more there are changes nothing. */
const MAX_CAUSES = 100;

/** Returns the facts of a line by which rules are found that fit it for sure. */
function namedBy(shell: ShellContext, { spellings, wholeLine }: LineFacts): Lookup {
  const { touches, params } = shell.request;
  const paths = touches.flatMap((one) =>
    one.touches.flatMap((touch) => [touch.path, ...(realPathsOf(shell, touch) ?? [])]),
  );
  return {
    texts: new Set([...spellings, wholeLine].flatMap(({ texts }) => texts)),
    paths: new Set(paths),
    params,
  };
}

/** Returns the facts by which further rules are found that perhaps fit it. */
function hintedBy(shell: ShellContext, { spellings }: LineFacts): Lookup {
  const { root = '', names = [], added = [] } = shell.request.tracked ?? {};
  return {
    open: spellings.flatMap(({ open }) => (open === null ? [] : [open])),
    paths: [...names, ...added].map((name) => `${root}/${name}`),
    words: wordsThatStart(shell),
  };
}

/** Tells whether every rule may fit a line perhaps, because nobody knows what it does. */
const isHidden = (shell: ShellContext, facts: LineFacts): boolean =>
  startsByPattern(shell) ||
  facts.ownMakings !== null ||
  facts.ownCopies !== null ||
  facts.ownLinks !== null ||
  facts.unseen.some(
    ({ what, printed }) =>
      what !== 'printsTracked' || !printed.isCurrent || !isCompared(shell.request.tracked),
  );

/** Tells whether every rule for files may fit a line perhaps: it reaches more than the paths that it names. */
const reachesMore = ({ request }: ShellContext): boolean =>
  request.touches.some(
    ({ touches, runtime }) =>
      runtime.size > 0 ||
      touches.some(
        (touch) => touch.glob || touch.deep || OPEN_FILES.test(touch.route ?? touch.path),
      ),
  );

const isCompared = (tracked: TrackedFiles | undefined): boolean =>
  tracked !== undefined &&
  !tracked.isMoved &&
  tracked.others === undefined &&
  tracked.names.length > 0 &&
  tracked.names.length <= MAX_COMPARED;

function restrictions(
  shell: ShellContext,
  facts: LineFacts,
  behavior: 'deny' | 'ask',
): Restrictions {
  const sure: Cause[] = [];
  const perhaps: Cause[] = [];
  const what = behavior === 'deny' ? 'a deny rule covers it' : 'an ask rule covers it';
  const { select, all } = shell.rules;
  const named = new Set(select(behavior, () => namedBy(shell, facts)));
  const hinted = select(behavior, () => hintedBy(shell, facts));
  const isAny = isHidden(shell, facts);
  const isAnyFile = reachesMore(shell);
  const isMeant = new Set([...named, ...hinted]);
  for (const rule of isAny || isAnyFile ? all : inOrder(all, isMeant)) {
    if (rule.rule.behavior !== behavior) continue;
    const isNamed = named.has(rule);
    if (perhaps.length > MAX_CAUSES && !isNamed) continue;
    if (sure.length > MAX_CAUSES) break;
    if (!isMeant.has(rule) && !isAny && !isFileRule(rule)) continue;
    if (isMeant.has(rule) && coversTool(rule.tool, shell.request.tool))
      commandRule(shell, facts, rule, what, sure, perhaps);
    const hidden = hiddenFrom(shell, rule, facts);
    if (hidden)
      perhaps.push(byRule(rule.rule, `${hidden.why}, and a rule may cover it`, hidden.command));
    if (isFileRule(rule)) {
      const access = rule.tool === 'Read' ? 'read' : 'edit';
      fileRule(shell, rule, access, isNamed, what, sure, perhaps);
    }
  }
  return { sure, perhaps };
}

const isFileRule = ({ tool }: ParsedRule): boolean => /^(?:Read|Edit|Write)$/.test(tool);

const inOrder = (
  all: readonly ParsedRule[],
  some: ReadonlySet<ParsedRule>,
): readonly ParsedRule[] => all.filter((rule) => some.has(rule));

function commandRule(
  shell: ShellContext,
  facts: LineFacts,
  rule: ParsedRule,
  what: string,
  sure: Cause[],
  perhaps: Cause[],
): void {
  const { request } = shell;
  if (coversParams(rule, request.params) || restrictsCommand(rule, facts.wholeLine) === 'yes')
    sure.push(byRule(rule.rule, what));
  for (const [at, command] of request.analysis.commands.entries()) {
    const spellings = facts.spellings[at];
    if (!spellings || (command.words.length === 0 && rule.specifier !== null)) continue;
    const fit = restrictsCommand(rule, spellings);
    if (fit === 'yes') sure.push(byRule(rule.rule, what, command));
    if (fit === 'perhaps')
      perhaps.push(
        byRule(rule.rule, 'a part that is only known at run time may fall under a rule', command),
      );
  }
}

/**
 * Applies a file rule: Read rules reach every file a command reads, Edit rules every file it
 * writes.
 */
function fileRule(
  shell: ShellContext,
  rule: ParsedRule,
  access: 'read' | 'edit',
  isNamed: boolean,
  what: string,
  sure: Cause[],
  perhaps: Cause[],
): void {
  // A rule that was not found by a path covers none; its pattern need not be read for that.
  const covers = isNamed ? fileMatcher(rule, shell.context) : () => false;
  shell.request.analysis.commands.forEach((command, index) => {
    const { runtime, runtimeNames } = shell.request.touches[index] ?? {};
    if (runtime?.has(access) && mayNameOneOf(rule, runtimeNames, shell.context))
      perhaps.push(
        byRule(rule.rule, 'a path only known at run time may fall under a rule', command),
      );
    for (const touch of shell.request.touches[index]?.touches ?? []) {
      if (touch.access !== access) continue;
      if (OPEN_FILES.test(touch.route ?? touch.path))
        perhaps.push(byRule(rule.rule, 'what a process has open may fall under a rule', command));
      if (!touch.certain && rule.specifier === null) continue;
      if (touch.vouchable && isVouchedFor(shell, command)) continue;
      const ends = [...new Set([touch.path, ...(realPathsOf(shell, touch) ?? [])])];
      const isCovered = ends.some((end) => coversTouch(shell, covers, rule, end, touch));
      if (isCovered && touch.guessed)
        perhaps.push(byRule(rule.rule, 'a part of a word may name a file under a rule', command));
      else if (isCovered) sure.push(byRule(rule.rule, what, command));
      else if (
        touch.deep &&
        mayNameOneOf(rule, touch.names, shell.context) &&
        ends.some((end) => below(shell, rule, end, command, touch))
      )
        perhaps.push(
          byRule(
            rule.rule,
            `it reaches everything below ${touch.path}, and a rule restricts a part`,
            command,
          ),
        );
    }
  });
}

/** Paths by which a process sees itself: its folder and its open files, whatever those are. */
const OPEN_FILES = /^\/(?:proc\/.|dev\/fd\/.*\/)/;

function coversTouch(
  shell: ShellContext,
  covers: FileMatcher,
  rule: ParsedRule,
  end: string,
  touch: Touch,
): boolean {
  if (covers(end, true)) return true;
  // A glob may name what the rule names, whether such a file exists now or not.
  const last = touch.path.split('/').at(-1) ?? '';
  return touch.glob && globMayName(shell, rule, end === touch.path ? end : `${end}/${last}`);
}

/** Tells whether a rule's last name fits a glob's last segment: `cat .e*` and `Read(.env)`. */
function globMayName(shell: ShellContext, rule: ParsedRule, glob: string): boolean {
  const name = rule.specifier?.split('/').at(-1) ?? '';
  const last = glob.split('/').at(-1) ?? '';
  if (/[*?[]/.test(name) || name === '' || !matchesSegment(last, name)) return false;
  if (!mayHoldFolder(rule.specifier ?? '', glob)) return false;
  // Hidden names need their dot written; what Git keeps holds files under other names.
  const isPlain = /^[*?][^(]*$/.test(last) && !glob.includes('/.git/');
  return !name.startsWith('.') || !isPlain || mayTakeHidden(shell);
}

/** Tells whether the folders of a glob fit those that a rule names right above its last name: `config/*` and `config/a.json`. */
function mayHoldFolder(specifier: string, glob: string): boolean {
  const folders = specifier.split('/').slice(0, -1).reverse();
  const end = folders.findIndex((folder) => /^(?:|\.|~|.*[*?[\\].*)$/.test(folder));
  const segments = glob.split('/').slice(0, -1).reverse();
  const fixed = folders.slice(0, end < 0 ? undefined : end);
  return (
    segments.some((segment) => segment.includes('**') || /^\.{1,2}$/.test(segment)) ||
    fixed.every((folder, at) => matchesSegment(segments[at] ?? '', folder))
  );
}

/** The words by which a shell is told that its patterns take hidden names too. */
const TAKES_HIDDEN = /dot_*glob|glob_*dots|globignore|bashopts/i;
/** Commands that can tell it, by words that are only known at run time. */
const SETS_OPTIONS = /^(?:.*\/)?(?:shopt|set|setopt|unsetopt|emulate|[a-z]*sh)$/;

/** Tells whether a line may have its patterns take hidden names. */
function mayTakeHidden({ request }: ShellContext): boolean {
  const { analysis, command } = request;
  if (TAKES_HIDDEN.test(command)) return true;
  return analysis.commands.some(
    ({ words }) =>
      words.some((word) => word !== null && TAKES_HIDDEN.test(word)) ||
      (SETS_OPTIONS.test(words[0] ?? '') && words.includes(null)),
  );
}

/**
 * Tells whether a rule may cover something below a folder; ripgrep leaves hidden files out unless
 * told otherwise.
 */
function below(
  shell: ShellContext,
  rule: ParsedRule,
  folder: string,
  command: ShellCommand,
  { names }: Touch,
): boolean {
  const name =
    rule.specifier
      ?.replace(/\/(\*\*)?$/, '')
      .split('/')
      .at(-1) ?? '';
  const skipsHidden =
    names?.[0] === VISIBLE ||
    (command.words[0] === 'rg' &&
      !command.words.some((word) =>
        /^(-[a-zA-Z]*[u.]|--hidden|--no-ignore|--unrestricted)/.test(word ?? ''),
      ));
  if (skipsHidden && name.startsWith('.')) return false;
  return mayCoverBelow(rule, folder, shell.context);
}
