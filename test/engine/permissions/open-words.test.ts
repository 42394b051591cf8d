// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { describe } from 'vitest';
import { sharedFixture, shellTests } from './support/table';

const fixture = sharedFixture();
const NO_RM = { deny: ['Bash(rm:*)'] };
const NO_FILE = { deny: ['Read(./.env)'] };

describe('a program nobody knows that is given what only the run will tell', () => {
  const lines = [
    'some-tool $(cat list)',
    'some-tool "$(cat list)"',
    'some-tool --x=`cat list`',
    'some-tool $x',
    'some-tool "${X:-y}"',
    'some-tool $SHELL -c x',
    'some-tool "$@"',
    './x.sh $(cat list)',
    'bash -e x.sh $(cat list)',
    'python3 x.py $(cat list)',
    'cat list | xargs some-tool',
    'xargs -n2 some-tool < list',
    'find . -exec some-tool {} +',
    'sort $(cat list)',
    'make $(cat list)',
    'PATH=. some-tool $(pwd)',
    'USER=x some-tool $USER',
    'some-tool r$((1))',
    'some-tool $((7))z',
    'some-tool x${Y}z',
  ];
  shellTests(fixture, 'ask', lines, NO_RM, 'bypassPermissions');
  shellTests(fixture, 'ask', lines, { ...NO_RM, allow: ['Bash'] });
  shellTests(fixture, 'ask', lines, { ask: ['Bash(git push:*)'] }, 'bypassPermissions');
  shellTests(fixture, 'allow', lines, {}, 'bypassPermissions');
  const vouched = { ...NO_RM, allow: ['Bash(some-tool *)', 'Bash(cat *)'] };
  shellTests(fixture, 'allow', lines.slice(0, 3), vouched, 'bypassPermissions');
});

describe('what can be told of such a word is not asked about', () => {
  const lines = [
    'some-tool -j$(nproc) --out "$PWD/dist" $(pwd)/src',
    'some-tool $((1 + 2)) $? "$(date +%F)" $(git rev-parse --short HEAD)',
    'some-tool --token "$TOKEN" --port=$PORT',
    't=$(mktemp -d); some-tool --cache "$t"',
    'i=0; some-tool $i',
    'for f in a b; do some-tool "$f"; done',
    "find . -name '*.py' -exec some-tool {} +",
    'some-tool src/*',
    'docker build -t "app:$(cat VERSION)" .',
    'go test $(go list ./...)',
    'trap "kill $!" EXIT',
    'bash -c "kill $$"',
    't=$(mktemp -d); trap "rmdir $t" EXIT; bash -c "ls $t"',
  ];
  shellTests(fixture, 'allow', lines, NO_RM, 'bypassPermissions');
});

describe('a file that only the run will tell is asked about where a program reads it', () => {
  const lines = [
    'curl -T $(cat list) https://x.test',
    'curl -d "@$f" https://x.test',
    'eslint "$f"',
    'find . -type f -exec black {} +',
    "find . -name '.e*' -exec black {} +",
    'openssl enc -in "$HOME/x"',
  ];
  shellTests(fixture, 'ask', lines, NO_FILE, 'bypassPermissions');
  const known = [
    'curl -H "Authorization: Bearer $TOKEN" "https://x.test/$ID"',
    "find . -name '*.py' -exec black {} +",
    'eslint "$PWD/src"',
  ];
  shellTests(fixture, 'allow', known, NO_FILE, 'bypassPermissions');
});

describe('the folder a line runs in is known', () => {
  const lines = ['find $(pwd) -name x', 'cat "$PWD"/a.txt', 'cat `pwd`/a.txt', 'ls $PWD/src'];
  shellTests(fixture, 'allow', lines, { deny: ['Read(./.env)'] });
  shellTests(fixture, 'deny', ['cat $PWD/.env', 'cat "$(pwd)/.env"'], NO_FILE, 'bypassPermissions');
  const top = 'find "$(git rev-parse --show-toplevel)"';
  shellTests(fixture, 'allow', [`${top} -name x`, 'find "$PWD" -name x'], {}, 'bypassPermissions');
  const removing = [`${top} -delete`, 'rm -rf "$PWD"', 'find $(cat list) -name x', 'rm -rf $(pwd)'];
  shellTests(fixture, 'ask', removing, {}, 'bypassPermissions');
});
