import type { Node } from 'web-tree-sitter';

/**
 * The shell a line runs in. Lines are judged as bash reads them; `other` stands for every shell that may read them
 * otherwise (zsh, dash, the `sh` of a system).
 */
export type Dialect = 'bash' | 'other';

/** Returns the dialect of a shell, given by its path. */
export const dialectOf = (shell: string): Dialect =>
  /(?:^|[\\/])bash(?:\.exe)?$/.test(shell) ? 'bash' : 'other';

/** Nodes that every shell reads alike. */
const COMMON = new Set(
  (
    'program list pipeline command command_name word raw_string string string_content concatenation number comment subshell redirected_statement file_redirect file_descriptor ' +
    'heredoc_redirect heredoc_start heredoc_body heredoc_end simple_expansion variable_name special_variable_name if_statement elif_clause else_clause for_statement while_statement ' +
    'do_group negated_command test_command unary_expression binary_expression test_operator variable_assignment variable_assignments command_substitution'
  ).split(' '),
);

/** Operators and signs that do not mean the same everywhere. */
const OWN_SIGNS = new Set(
  '[[ ]] (( )) |& &> &>> <<< <> >| == =~ += $( ` { } <( >( ;& ;;&'.split(' '),
);

/** Builtins whose arguments every shell takes as they are. Others may evaluate them, or be words of one shell alone. */
const SAFE_BUILTINS = new Set('cd pwd echo true false : exit'.split(' '));

/** Builtins and words of some shell: what they do with their arguments differs. */
const BUILTINS = new Set(
  (
    '. alias autoload bg bindkey break builtin bye caller cap chdir clone command compgen complete compopt continue declare dirs disable disown echotc echoti emulate enable eval exec export fc fg ' +
    'float foreach function functions getcap getln getopts hash history if integer jobs kill let limit local log logout mapfile nocorrect noglob popd print printf private pushd pushln r read ' +
    'readarray readonly rehash repeat return sched select set setcap setopt shift shopt source suspend test time times trap ttyctl type typeset ulimit umask unalias unfunction unhash unlimit ' +
    'unset unsetopt vared wait whence where which zcompile zformat zftp zle zmodload zparseopts zprof zpty zregexparse zselect zsocket zstat zstyle ztcp - always end [ [['
  ).split(' '),
);

/**
 * Returns why a shell other than bash may read a parsed line otherwise than bash does; null when all of them read it alike.
 * Lists what is common, and asks for the rest.
 */
export function readsOtherwise(root: Node): string | null {
  for (const waiting = [root]; waiting.length > 0; ) {
    const node = waiting.pop();
    if (node === undefined) break;
    const reason = ownReading(node);
    if (reason !== null) return `the shell it runs in may read ${reason} otherwise than bash`;
    waiting.push(...node.children);
  }
  return null;
}

function ownReading(node: Node): string | null {
  const { type, text } = node;
  if (node.isNamed ? !COMMON.has(type) : OWN_SIGNS.has(type)) return `“${shorten(text)}”`;
  switch (type) {
    case 'word':
      // Braces, home folders of others, `=command`, glob qualifiers, history and flags of patterns.
      return /[{}^#!]|^~[^/]|^=|[*?\])]\(|\*\*|\\/.test(text) || /^~./.test(text.slice(1))
        ? `“${shorten(text)}”`
        : null;
    case 'string':
      return /[`\\]|\$[^A-Za-z_]/.test(text) ? `“${shorten(text)}”` : null;
    case 'raw_string':
      return null;
    case 'heredoc_start':
      return /^(['"])\w+\1$/.test(text) ? null : 'a here-document';
    case 'variable_assignment':
      return /^[A-Za-z_]\w*=(?:[\w./:@%+,-]*|'[^']*')$/.test(text) ? null : `“${shorten(text)}”`;
    case 'command':
      return ownCommand(node);
    case 'test_command':
      return /^\[\s+(?:-[defrswxz]|-n)\s+[\w./"'$-]+\s+\]$/.test(text)
        ? null
        : `“${shorten(text)}”`;
    default:
      return null;
  }
}

function ownCommand(node: Node): string | null {
  const name = node.childForFieldName('name')?.text ?? '';
  if (!/^[\w./+-]+$/.test(name)) return `“${shorten(name)}”`;
  if (BUILTINS.has(name)) return name;
  const quoted = node.children.some((child) => /[`$[]/.test(child.text));
  return SAFE_BUILTINS.has(name) && quoted && name !== 'echo' ? name : null;
}

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
