import type { Node } from 'web-tree-sitter';

/**
 * The way a shell reads a line, compared with bash, as which all lines are judged. `posix`: what POSIX defines it reads
 * alike (dash, ash). `other`: it shares what every Bourne shell does (zsh, ksh). `foreign`: a language of its own (fish).
 */
export type Dialect = 'bash' | 'posix' | 'other' | 'foreign';

/** Returns the dialect of a shell, given by its name or its path. */
export function dialectOf(shell: string): Dialect {
  const name = /([^\\/]*?)(?:\.exe)?$/.exec(shell)?.[1] ?? '';
  if (name === 'bash') return 'bash';
  if (/^(?:sh|dash|ash|busybox-sh)$/.test(name)) return 'posix';
  return /^(?:fish|t?csh|nu|elvish|rc|es|xonsh|pwsh|powershell|cmd)$/.test(name)
    ? 'foreign'
    : 'other';
}

/** Nodes that every shell reads alike. */
const COMMON = new Set(
  (
    'program list pipeline command command_name word raw_string string string_content concatenation number comment subshell redirected_statement file_redirect file_descriptor ' +
    'heredoc_redirect heredoc_start heredoc_body heredoc_end simple_expansion variable_name special_variable_name if_statement elif_clause else_clause for_statement while_statement ' +
    'do_group negated_command test_command unary_expression binary_expression test_operator variable_assignment variable_assignments command_substitution'
  ).split(' '),
);

/** Further nodes that POSIX defines. */
const POSIX = new Set(
  'heredoc_content extglob_pattern case_statement case_item function_definition compound_statement expansion arithmetic_expansion declaration_command unset_command'.split(
    ' ',
  ),
);

/** Operators and signs that do not mean the same everywhere. */
const OWN_SIGNS = new Set(
  '[[ ]] (( )) |& &> &>> <<< <> >| == =~ += $( ` { } <( >( ;& ;;&'.split(' '),
);

/** The signs that POSIX defines. */
const POSIX_SIGNS = new Set('$( { }'.split(' '));

/** Builtins whose arguments every shell takes as they are. Others may evaluate them, or be words of one shell alone. */
const SAFE_BUILTINS = new Set('cd pwd echo true false : exit'.split(' '));

/** Builtins of POSIX that evaluate no argument, or run it as a line that is judged by itself. */
const POSIX_BUILTINS = new Set(
  '. break command continue eval exec kill return set shift times trap umask wait'.split(' '),
);

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
 * Returns why a shell other than bash may read a parsed line otherwise than bash does; null when it reads it alike.
 * Lists what is common, and asks for the rest.
 */
export function readsOtherwise(root: Node, dialect: Dialect): string | null {
  if (dialect === 'bash') return null;
  if (dialect === 'foreign') return 'the shell it runs in has a language of its own';
  const isPosix = dialect === 'posix';
  for (const waiting = [root]; waiting.length > 0; ) {
    const node = waiting.pop();
    if (node === undefined) break;
    if (isPosix && isWholePosix(node)) continue;
    if (!(isPosix && isPosixPart(node))) {
      const reason = ownReading(node);
      if (reason !== null) return `the shell it runs in may read ${reason} otherwise than bash`;
    }
    for (const child of node.children) waiting.push(child);
  }
  return null;
}

/** Words whose text every POSIX shell takes for one operand of a test. */
const OPERAND = '(?:"[^"`\\\\[]*"|\'[^\']*\'|[\\w./$?#-]+)';
const POSIX_TEST = new RegExp(
  `^\\[\\s+(?:!\\s+)?(?:-[a-z]\\s+${OPERAND}|${OPERAND}(?:\\s+(?:!?=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))\\s+${OPERAND})?)\\s+\\]$`,
);
const VALUE = '(?:[\\w./:@%+,-]*|\'[^\']*\'|"[^"`\\\\$]*"|"?\\$\\w+"?)';

/** Tells whether a node, with all that is in it, is read alike by every POSIX shell. */
function isWholePosix({ type, text }: Node): boolean {
  switch (type) {
    case 'expansion':
      return /^\$\{(?:#?\w+|\w+(?::?[-=?+]|##?|%%?)[\w./:@,+*-]*)\}$/.test(text);
    case 'arithmetic_expansion':
      return /^\$\(\([\w\s$+*/%<>=!&|()-]*\)\)$/.test(text);
    case 'test_command':
      return POSIX_TEST.test(text);
    case 'declaration_command':
      return new RegExp(`^(?:export|readonly)(?:\\s+[A-Za-z_]\\w*(?:=${VALUE})?)+$`).test(text);
    case 'unset_command':
      return /^unset(?:\s+-[fv])?(?:\s+[A-Za-z_]\w*)+$/.test(text);
    case 'command':
      return /^(?:read(?:\s+-r)?(?:\s+[A-Za-z_]\w*)+|printf\s+(?:'[^']*'|"[^"`\\$]*"))$/.test(text);
    default:
      return false;
  }
}

/** Tells whether a node is read alike by every POSIX shell, as far as its parts are. */
function isPosixPart(node: Node): boolean {
  const { type, text } = node;
  if (!node.isNamed) return POSIX_SIGNS.has(type);
  switch (type) {
    case 'word':
      // `{}` alone is a word everywhere; other braces are words of their own to some.
      return (
        /^[{}]$/.test(text) ||
        (!/[{}^!]|^~[^/]|[*?\])@+]\(|\*\*|\n/.test(text) && !/^~./.test(text.slice(1)))
      );
    case 'extglob_pattern':
      return /^[\w./*?-]+$/.test(text);
    case 'string':
      return !/`|\$\[/.test(text);
    case 'heredoc_start':
      return /^\w+$/.test(text);
    case 'variable_assignment':
      return /^[A-Za-z_]\w*=(?!\()/.test(text);
    case 'function_definition':
      return /^[A-Za-z_]\w*\s*\(\)\s*\{/.test(text);
    case 'command': {
      const name = node.childForFieldName('name')?.text ?? '';
      return SAFE_BUILTINS.has(name) || POSIX_BUILTINS.has(name);
    }
    case 'expansion':
    case 'arithmetic_expansion':
    case 'declaration_command':
    case 'unset_command':
      return false;
    default:
      return POSIX.has(type);
  }
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
