import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { pack, type Header } from 'tar-stream'
import { beforeAll, expect, it } from 'vitest'

import { dataPaths } from '../../../../server/config.ts'
import { shell, tempDir } from '../../../support/git.ts'
import { world } from '../../../support/world.ts'

const w = await world()
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any

beforeAll(async () => {
  await w.as(w.root).put('/application/settings', { project_import_limit: 600 })
})

const send = async (name: string, kind: string, tar: Buffer, who = w.root): Promise<Any> => {
  const body = new FormData()
  body.append('kind', kind)
  body.append('folder', name)
  body.append('path', name)
  body.append('file', new Blob([new Uint8Array(tar)]), 'folder.tar')
  return w.as(who).post('/-/imports/folder', body)
}
/** Sends a folder and returns the project after the import. */
const take = async (name: string, kind: string, tar: Buffer): Promise<Any> => {
  const answer = await send(name, kind, tar)
  expect(answer.status, answer.text).toBe(201)
  await w.drain()
  return (await w.as(w.root).get(`/projects/${answer.body.id}`)).body
}
const tarOf = (
  entries: readonly (Partial<Header> & { name: string; content?: string })[],
): Promise<Buffer> => {
  const tar = pack()
  for (const { content, ...header } of entries) tar.entry(header, content ?? '')
  tar.finalize()
  return buffer(tar)
}
const tarOfFolder = (folder: string): Buffer =>
  execFileSync('tar', ['-cf', '-', '-C', folder, '--format=ustar', '.'], { maxBuffer: 1 << 26 })

const repository = (): string => {
  const folder = tempDir()
  shell(folder, ['init', '--quiet', '--initial-branch=trunk', '.'])
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test']
  for (const text of ['one', 'two']) {
    writeFileSync(join(folder, 'a.txt'), `${text}\n`)
    shell(folder, ['add', '.'])
    shell(folder, [...who, 'commit', '-qm', text])
  }
  shell(folder, ['branch', 'side', 'HEAD~1'])
  shell(folder, ['tag', 'v1'])
  return folder
}

it('an import has the history of a repository, but not its configuration', async () => {
  const folder = repository()
  shell(folder, ['config', 'core.fsmonitor', 'touch /tmp/never'])
  mkdirSync(join(folder, '.git/objects/info'), { recursive: true })
  writeFileSync(join(folder, '.git/objects/info/alternates'), '/etc\n')
  const project = await take('kept', 'repository', tarOfFolder(folder))
  expect(project).toMatchObject({ import_status: 'finished', import_error: null, default_branch: 'trunk' })
  const api = async (path: string) => (await w.as(w.root).get(`/projects/${project.id}${path}`)).body as Any[]
  expect((await api('/repository/commits')).map((commit) => commit.title)).toEqual(['two', 'one'])
  expect((await api('/repository/branches')).map((branch) => branch.name)).toEqual(['side', 'trunk'])
  expect((await api('/repository/tags')).map((tag) => tag.name)).toEqual(['v1'])
})

it('an import accepts a bare repository with packed objects', async () => {
  const folder = tempDir()
  shell(folder, ['clone', '--quiet', '--bare', repository(), 'x.git'])
  shell(join(folder, 'x.git'), ['gc', '--quiet'])
  const project = await take('bare', 'bare', tarOfFolder(join(folder, 'x.git')))
  expect(project).toMatchObject({ import_status: 'finished', import_error: null, default_branch: 'trunk' })
})

it('an import has the files in a first commit, except files that .gitignore names', async () => {
  const tar = await tarOf([
    { name: 'README.md', content: '# Hello\n' },
    { name: '.gitignore', content: 'node_modules/\n*.log\n!keep.log\n' },
    { name: 'node_modules/x/index.js', content: 'x' },
    { name: 'a.log', content: 'x' },
    { name: 'keep.log', content: 'x' },
    { name: 'bin/run', content: '#!/bin/sh\n' },
    { name: 'sub/.git/config', content: '[core]\n' },
  ])
  const project = await take('plain', 'files', tar)
  expect(project).toMatchObject({ import_status: 'finished', import_error: null })
  const tree = (await w.as(w.root).get(`/projects/${project.id}/repository/tree?recursive=true`))
    .body as Any[]
  expect(tree.filter((entry) => entry.type === 'blob').map((entry) => [entry.path, entry.mode])).toEqual([
    ['.gitignore', '100644'],
    ['README.md', '100644'],
    ['bin/run', '100644'],
    ['keep.log', '100644'],
  ])
  const [commit] = (await w.as(w.root).get(`/projects/${project.id}/repository/commits`)).body
  expect(commit).toMatchObject({ title: 'Initial commit', author_email: 'admin@example.com' })
})

it.each<[string, string, () => Buffer | Promise<Buffer>, string | RegExp]>([
  ['climbing', 'files', () => tarOf([{ name: '../../x', content: 'x' }]), /an invalid path/],
  ['rooted', 'files', () => tarOf([{ name: '/etc/x', content: 'x' }]), /an invalid path/],
  [
    'linked',
    'files',
    () => tarOf([{ name: 'x', type: 'symlink', linkname: '/etc/passwd' }]),
    /links or devices/,
  ],
  ['device', 'files', () => tarOf([{ name: 'x', type: 'character-device' }]), /links or devices/],
  [
    'twice',
    'files',
    () =>
      tarOf([
        { name: 'x', content: '1' },
        { name: 'x', content: '2' },
      ]),
    /two files with the same name/,
  ],
  ['none', 'files', () => tarOf([]), 'The folder is empty.'],
  ['noise', 'files', () => Buffer.from('no tar at all '.repeat(100)), 'The upload is not a folder.'],
  [
    'cut',
    'files',
    async () => (await tarOf([{ name: 'x', content: 'x'.repeat(5000) }])).subarray(0, 2000),
    'The upload is not a folder.',
  ],
  [
    'ignored',
    'files',
    () => tarOf([{ name: '.gitignore', content: '*\n' }]),
    /only files that its .gitignore/,
  ],
  [
    'torn',
    'repository',
    () =>
      tarOf([
        { name: '.git/HEAD', content: 'ref: refs/heads/main\n' },
        { name: '.git/refs/heads/main', content: `${'a'.repeat(40)}\n` },
      ]),
    /damaged/,
  ],
  [
    'unborn',
    'repository',
    () => tarOf([{ name: '.git/HEAD', content: 'ref: refs/heads/main\n' }]),
    /no commits/,
  ],
  [
    'tree',
    'repository',
    () => tarOf([{ name: '.git', content: 'gitdir: /elsewhere\n' }]),
    'The folder is empty.',
  ],
])('an import reports the error of a folder that is %s', async (name, kind, tar, error) => {
  const project = await take(`bad-${name}`, kind, await tar())
  expect(project.import_status).toBe('failed')
  expect(project.import_error).toMatch(error)
  expect(project.empty_repo).toBe(true)
})

it('a failed import leaves nothing behind', () => {
  const { imports, tmp } = dataPaths(w.dataDir)
  expect(readdirSync(imports)).toEqual([])
  expect(readdirSync(tmp).filter((name) => name.startsWith('folder-'))).toEqual([])
})

it('an import refuses taken names and users without access', async () => {
  const tar = await tarOf([{ name: 'a', content: 'a' }])
  expect((await send('kept', 'files', tar)).body).toEqual({ message: 'Name has already been taken' })
  expect((await send('bad/path', 'files', tar)).status).toBe(400)
})
