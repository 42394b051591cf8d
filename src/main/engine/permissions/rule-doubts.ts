import { nearestName } from '../../../shared/nearest-name';
import {
  coversTool,
  hasBackslashes,
  isBlankBeforeEnd,
  isFileTool,
  isKnownTool,
  KNOWN_TOOLS,
  type ParsedRule,
} from './rules';
import { toolNamesMeant } from './server-names';
import { specifiersMeant } from './specifiers-meant';

/** Returns why a rule can never match anything, for the user; null when it can. Pure. */
export function ruleDoubt({ rule, tool, specifier }: ParsedRule): string | null {
  const quoted = `The rule “${rule.text.length > 80 ? `${rule.text.slice(0, 77)}…` : rule.text}”`;
  if (/^mcp__(__|$)/.test(tool)) return `${quoted} can never match: it names no server`;
  if (tool.startsWith('mcp__')) {
    const [meant] = /[^\w*-]|__$/.test(tool) ? toolNamesMeant(tool) : [];
    if (meant !== undefined)
      return rule.behavior === 'allow'
        ? `${quoted} can never match: no tool is called so; “${meant}” may be meant`
        : `${quoted}: no tool is called so; “${meant}” may be meant, which it covers, too`;
  }
  if (tool.includes('*'))
    return mayBeTool(tool) ? null : `${quoted} can never match: no tool has such a name`;
  if (!mayBeTool(tool)) {
    const meant = nearestName(tool, KNOWN_TOOLS);
    const advice = meant === null ? '' : `; “${meant}” may be meant`;
    return `${quoted} can never match: there is no tool ${tool}${advice}`;
  }
  if (specifier === null) return null;
  const meant = rule.behavior === 'allow' ? [] : specifiersMeant(tool, specifier);
  if (meant.length > 0) {
    const shown = meant.slice(0, MAX_SHOWN).map((text) => `“${tool}(${text})”`);
    const more = meant.length > MAX_SHOWN ? ' and others' : '';
    const why = oddityOf(tool, specifier);
    return `${quoted}: ${why === null ? '' : `${why}; `}${shown.join(', ')}${more} may be meant, which it covers, too`;
  }
  if (isFileTool(tool)) return pathDoubt(quoted, specifier, rule.behavior === 'allow');
  const why = neverMatches(tool, specifier, rule.behavior === 'allow');
  return why === null ? null : `${quoted} can never match: ${why}`;
}

/** Tells whether a rule's name or pattern of tools may stand for one. */
export const mayBeTool = (tool: string): boolean =>
  tool.startsWith('mcp__') ||
  (tool.includes('*')
    ? mayReachServers(tool) || KNOWN_TOOLS.some((name) => coversTool(tool, name))
    : isKnownTool(tool));

/** More of what a rule may mean is not shown. */
const MAX_SHOWN = 3;

/** Returns why a denial is not as it should be; null where what is meant says it. */
const oddityOf = (tool: string, specifier: string): string | null =>
  isFileTool(tool) ? neverExpanded(specifier) : neverMatches(tool, specifier, false);

/** Tells whether a name with `*` may stand for the name of a server's tool: all of them begin with `mcp__`. */
function mayReachServers(tool: string): boolean {
  const head = tool.slice(0, tool.indexOf('*'));
  return 'mcp__'.startsWith(head) || head.startsWith('mcp__');
}

/** Tools about which nothing can be said in parentheses but a parameter, and that in deny and ask rules only. */
const BARE =
  /^(mcp__.*|TodoWrite|AskUserQuestion|EnterPlanMode|ExitPlanMode|ToolSearch|Task(Output|Stop|List|Get))$/;

function neverMatches(tool: string, specifier: string, allows: boolean): string | null {
  if (allows && isBlankBeforeEnd(specifier)) return 'leave out the blank before “:*”';
  if (tool === 'WebFetch') return neverFetches(specifier, allows);
  if (tool === 'Bash' || tool === 'Monitor') return neverRuns(specifier, allows);
  const parameter = /^[\w-]+\s*:/.test(specifier);
  if (BARE.test(tool) && (allows || !parameter))
    return `a rule for ${tool} has nothing in parentheses${allows ? '' : ' but “parameter:value”'}`;
  return null;
}

function pathDoubt(quoted: string, specifier: string, allows: boolean): string | null {
  if (/^(?:\.?[\\/]+)?[a-z]:[\\/]/i.test(specifier))
    return `${quoted} can never match: no path here begins with the drive of Windows; write //absolute/path`;
  const unread = neverExpanded(specifier);
  if (unread !== null) return `${quoted} can never match: ${unread}`;
  if (!hasBackslashes(specifier)) return null;
  const meant = `folders are parted by “/”, as in “${specifier.replaceAll('\\', '/')}”`;
  return allows
    ? `${quoted} can never match: ${meant}`
    : `${quoted}: ${meant}, which it covers, too`;
}

/** Returns what stands in a path that only a shell or a browser would read; null where nothing does. */
function neverExpanded(specifier: string): string | null {
  const path = specifier.replace(/^!/, '');
  if (/^(["'`]).*\1$/s.test(path)) return 'a path stands in no quotes of its own';
  if (/^[a-z][a-z+.-]+:\/\//i.test(path))
    return 'a path stands here, not an address; write //absolute/path or ~/path';
  const variable =
    /(?:^|\/)(\$\{[^/]*\}|\$\([^/]*\)|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]\w*%)(?:[\\/]|$)/.exec(path);
  if (variable !== null)
    return `“${variable[1]}” is not filled in here; write //absolute/path, ~/path or path`;
  if (/^~[A-Za-z_][\w.-]*\//.test(path))
    return 'only “~/” stands for a home folder, your own; write //absolute/path';
  return /^(?:\.\/|\/)+~\//.test(path) ? 'nothing stands before “~/”' : null;
}

function neverFetches(specifier: string, allows: boolean): string | null {
  if (!specifier.startsWith('domain:')) {
    const parameter = !allows && /^[\w-]+\s*:(?!\/\/)/.test(specifier);
    return parameter ? null : 'write WebFetch(domain:example.com)';
  }
  const host = specifier.slice('domain:'.length).trim();
  return host === '' || /[\s/:@?#]/.test(host.replace(/^\[[0-9a-f:.]+\]$/i, ''))
    ? 'after “domain:” stands a host alone, without scheme, port and path'
    : null;
}

/** A command line is judged command by command, so an allowed pattern with an operator in it meets none. */
function neverRuns(specifier: string, allows: boolean): string | null {
  const unquoted = specifier.replace(/\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs, '');
  const compound = /&&|\|\||[;|\n]|(^|\s)&(\s|$)/.test(unquoted);
  return allows && compound && unquoted.includes('*')
    ? 'each command of a line is judged by itself; write one rule for each'
    : null;
}
