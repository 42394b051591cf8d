// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFixture, type Fixture } from './support/judge';

let fixture: Fixture;
beforeAll(() => {
  fixture = createFixture();
});
afterAll(() => fixture.remove());

/** Plain arithmetic on what variables held before the line. */
const INHERITED = [
  'i=$((i+1))',
  'i=$(( i + 1 )); echo $i',
  'i=$((i+1)) && npm test',
  '((i++))',
  '((i += 2))',
  'while ((i < 3)); do i=$((i+1)); done',
  'for ((i=0; i<n; i++)); do echo $i; done',
  'for ((i=0; i<${#a[@]}; i++)); do echo $i; done',
  '[[ $i -lt 3 ]] && echo a',
  '[ "$i" -lt 3 ] && echo a',
  'echo $((x ? 1 : 2)) $((x , y)) $((n << 2))',
  'echo ${x:-$((i+1))}',
  'a[i]=1; a[$n]=2',
  'i=0; a[0]=1; a[$i]=x; echo ${a[$i]}',
  'a=([i]=1 [$n]=2)',
  'echo ${a[i]} "${a[$n]}" ${#a[n]}',
  'n=$(ls | wc -l); [ "$n" -gt 3 ] && echo a',
  'n=$(wc -l < a.txt); if [[ $n -gt 3 ]]; then echo a; fi',
];

test.each(INHERITED)(
  'plain arithmetic is not asked about under a rule for all: %s',
  async (line) => {
    expect(await fixture.shell(line, { allow: ['Bash'] })).toMatchObject({ behavior: 'allow' });
    expect(await fixture.shell(line, {}, 'bypassPermissions')).toMatchObject({ behavior: 'allow' });
    for (const rules of [{}, { allow: ['Bash(echo:*)', 'Bash(i=*)', 'Bash(npm test)'] }])
      expect(await fixture.shell(line, rules), JSON.stringify(rules)).toMatchObject({
        behavior: 'ask',
      });
    expect(await fixture.shell(line, { allow: ['Bash'] }, 'plan')).toMatchObject({
      behavior: 'ask',
    });
  },
);

test.each([
  'i=0; i=$((i+1)); echo $i',
  'i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done',
  'i=0 && n=3 && [[ $i -lt $n ]] && echo $((n - i))',
  'for i in 1 2 3; do echo $((i * 2)); done',
  'for ((i=0; i<3; i++)); do echo $i; done',
  'if (( $# > 1 )); then echo a; fi',
  'echo $((RANDOM % 10)) $((16#ff)) $((2 ** 3))',
])('arithmetic on numbers that the line shows needs no permission: %s', async (line) => {
  expect(await fixture.shell(line)).toMatchObject({ behavior: 'allow' });
});

test.each([
  'n=$(cat a.txt); echo $((n * 2))',
  'read n < a.txt; echo $((n+1))',
  "x='a[$(touch z)]'; echo $((x))",
  'x=y; echo $((x))',
  'x=$1; echo $((x+1))',
  'echo $(($1))',
  'echo $((_))',
  'echo $((REPLY))',
  'echo $((BASH_REMATCH))',
  'echo $((a[0]))',
  'echo $((a[$(touch z)]))',
  'echo $(( $(cat a.txt) + 1 ))',
  'echo $((PATH=1)); ls',
  '((PATH++)); ls',
  'eval "$(cat a.txt)"; echo $((x))',
  'source a.txt; echo $((x))',
  'export $o=1; echo $((x))',
  'o=x; mapfile $o < a.txt; echo $((x))',
  'for i in *; do echo $((i+1)); done',
  'set -- x; for i; do echo $((i)); done',
  "printf -v x 'a[$(touch z)]'; ((x))",
  "bash -c 'echo $((x))'",
  "bash -c 'echo $(($1))' _ 'a[$(touch z)]'",
  '((a) || (ls))',
  '((ls); (ls))',
  '(( $(ls) ))',
  '[ $x = y ]',
  'a=([$(touch z)]=1)',
  'a=([$1]=1)',
  'x=y; a[x]=1',
  'x=y; echo ${a[x]}',
  'n=$(wc -l +a*); [[ $n -gt 3 ]]',
  'declare -A m; m[$(touch z)]=1',
  '[[ $(cat a.txt) -gt 3 ]]',
  'k=$(cat a.txt); echo ${m[$k]} # declare -A m',
  '(declare -A m); k=$(cat a.txt); echo ${m[$k]}',
  'git commit -m "declare -A m"; k=$(cat a.txt); m[$k]=1',
  'declare -A m; unset m; read k < a.txt; echo ${m[$k]}',
  'f() { local m; m[$k]=1; }; declare -A m; k=$(cat a.txt); f',
  'n=$(grep -c -r TODO); echo $((n+1))',
  'n=$(grep -c foo -r); a[$n]=1',
  'n=$(grep -ci -R TODO); echo $((n+1))',
  "n=$(grep -c '-r' x); echo $((n+1))",
  'n=$(grep -c "$o" x); echo $((n+1))',
  'n=$(cat a.txt || nproc); echo $((n+1))',
  'n=$(cat a.txt \\| nproc); echo $((n+1))',
  'n=$(cat a.txt >| nproc); echo $((n+1))',
  'n=$(cat a.txt # | nproc\n); echo $((n+1))',
])('values that are not known ask under a rule for all: %s', async (line) => {
  expect(await fixture.shell(line, { allow: ['Bash'] })).toMatchObject({ behavior: 'ask' });
});

test('a key of an array of names, and a name that is looked up, are not asked about under a rule for all', async () => {
  for (const line of [
    'declare -A m; m[x]=1; m[$k]=2; echo "${m[x]} ${m[$k]}"',
    'declare -A m n && m[x]=1; echo "${m[x]}"',
    'n=$(grep -c x a.txt); m=$(ls src | grep -ci "x y"); echo $((n + m))',
    '[ -v HOME ] && [[ -v x ]]',
  ])
    expect(await fixture.shell(line, { allow: ['Bash'] })).toMatchObject({ behavior: 'allow' });
});

test.each([
  'n=$(grep -c -r TODO); a[$n]=1',
  'n=$(grep -c foo -R); echo $((n+1))',
  'n=$(cat a.txt || wc -l); echo $((n+1))',
  'declare -A m; unset m; k=$(cat a.txt); m[$k]=1',
])('a text of which nobody knows that it is a number asks under a denial: %s', async (line) => {
  const rules = { deny: ['Bash(rm:*)'] };
  expect(await fixture.shell(line, rules, 'bypassPermissions')).toMatchObject({ behavior: 'ask' });
});
