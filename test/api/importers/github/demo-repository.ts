import { createHash } from 'node:crypto'

import { shell } from '../../../support/git.ts'
import { bareRepository, type StubHost } from './stub-host.ts'

/** The lines `line 1` to `line 20` of a file, some of them replaced. */
function lines(
  changes: Readonly<Record<number, string | null>> = {},
  insertAfter: Readonly<Record<number, string>> = {},
): string {
  const all: string[] = []
  for (let number = 1; number <= 20; number++) {
    const line: string | null | undefined = number in changes ? changes[number] : `line ${number}`
    const after = insertAfter[number]
    if (line != null) all.push(line)
    if (after !== undefined) all.push(after)
  }
  return all.map((line) => `${line}\n`).join('')
}

const LARGE = 'the content of a large file\n'.repeat(40)
export const LARGE_OID = createHash('sha256').update(LARGE).digest('hex')

/** IDs of the commits of the demo. */
export interface Commits {
  readonly first: string
  readonly early: string
  readonly feature: string
  readonly fork: string
  readonly mergedHead: string
  readonly merge: string
  readonly gone: string
}

/** Creates `octo/demo` and its wiki. Pull requests are refs, as on GitHub. */
export function demoCode(host: StubHost): Commits {
  const path = bareRepository(host, 'octo/demo.git')
  const git = (args: readonly string[], input?: string): string => shell(path, args, input)
  const commit = (
    message: string,
    parents: readonly string[],
    files: Readonly<Record<string, string>>,
  ): string => {
    const entries = Object.entries(files).map(
      ([name, text]) => `100644 blob ${git(['hash-object', '-w', '--stdin'], text)}\t${name}\n`,
    )
    const tree = git(['mktree'], entries.join(''))
    const who = ['-c', 'user.name=Octo Cat', '-c', 'user.email=octo@example.com']
    return git([...who, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message])
  }
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${LARGE_OID}\nsize ${LARGE.length}\n`
  const base = { 'README.md': '# Demo\n', 'large.bin': pointer }
  const first = commit('First', [], { ...base, 'app.txt': lines() })
  const early = commit('Early', [first], {
    ...base,
    'app.txt': lines({ 3: 'line three', 10: null, 15: 'first try' }, { 5: 'inserted' }),
  })
  const feature = commit('Feature', [early], {
    ...base,
    'app.txt': lines({ 3: 'line three', 10: null, 18: 'line eighteen' }, { 5: 'inserted' }),
  })
  const fork = commit('From a fork', [first], { ...base, 'app.txt': lines({ 1: 'line one' }) })
  const mergedHead = commit('To be merged', [first], { ...base, 'app.txt': lines(), 'more.txt': 'more\n' })
  const merge = commit('Merge pull request #3', [first, mergedHead], {
    ...base,
    'app.txt': lines(),
    'more.txt': 'more\n',
  })
  const gone = commit('Of a fork that is gone', [first], { ...base, 'app.txt': lines({ 2: 'line two' }) })
  const refs: Record<string, string> = {
    'refs/heads/main': merge,
    'refs/heads/feature': feature,
    'refs/tags/v1.0': first,
    'refs/pull/1/head': feature,
    'refs/pull/2/head': fork,
    'refs/pull/3/head': mergedHead,
    'refs/pull/4/head': gone,
  }
  for (const [ref, id] of Object.entries(refs)) git(['update-ref', ref, id])
  makeWiki(host)
  host.files.set(`/large/${LARGE_OID}`, { content: LARGE })
  return { first, early, feature, fork, mergedHead, merge, gone }
}

function makeWiki(host: StubHost): void {
  const path = bareRepository(host, 'octo/demo.wiki.git')
  const blob = shell(path, ['hash-object', '-w', '--stdin'], 'Welcome to the wiki\n')
  const tree = shell(path, ['mktree'], `100644 blob ${blob}\tHome.md\n`)
  const who = ['-c', 'user.name=Octo Cat', '-c', 'user.email=octo@example.com']
  shell(path, ['update-ref', 'refs/heads/master', shell(path, [...who, 'commit-tree', tree, '-m', 'Home'])])
  shell(path, ['symbolic-ref', 'HEAD', 'refs/heads/master'])
}
