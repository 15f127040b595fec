import { spawn, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isPossible } from '../support/possible.ts'
import { cleanEnv, cli, scratch, type Ended } from '../support/server-process.ts'

// Local folders as the content of projects. The command line reads them, not the instance.

const TOKEN = 'token-of-the-world-folders'
const here = scratch()
let url: string

beforeAll(async () => {
  url = await here.start({ dataDir: here.path('data'), env: { DESKFORGE_ROOT_TOKEN: TOKEN } }).url
})
afterAll(() => here.clear())

async function world(...words: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [cli, 'world', ...words, '--url', url, '--token', TOKEN], {
    cwd: here.folder,
    env: cleanEnv({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, ...output }
}

const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }
const get = async (path: string, at = url) =>
  (await fetch(`${at}/api/v4${path}`, { headers })).json() as Promise<Record<string, string>[]>
const namesIn = async (path: string, at = url) =>
  (await get(`/projects/${encodeURIComponent(path)}/repository/tree?recursive=true&per_page=100`, at))
    .filter((entry) => entry['type'] === 'blob')
    .map((entry) => entry['path'])

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(here.path(name)), { recursive: true })
    writeFileSync(here.path(name), text)
  }
}

const git = (folder: string, ...words: string[]) =>
  execFileSync('git', [
    '-C',
    here.path(folder),
    '-c',
    'user.name=Ann',
    '-c',
    'user.email=ann@example.com',
    ...words,
  ])

function repository(folder: string): void {
  write({ [`${folder}/first.txt`]: 'one\n' })
  git(folder, 'init', '-q', '-b', 'trunk')
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'First')
  git(folder, 'branch', 'other')
  git(folder, 'tag', 'v1')
  write({ [`${folder}/second.txt`]: 'two\n' })
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'Second')
  write({ [`${folder}/not-committed.txt`]: 'three\n' })
}

describe('a project from a folder', () => {
  it('has its files, relative to the world, without ignored files and targets of links', async () => {
    write({
      'worlds/plain.yaml':
        'groups: [{ path: plain, visibility: internal }]\nprojects:\n  - path: plain/site\n    visibility: internal\n    description: From a folder\n    at: 2026-01-02T03:04:05Z\n    folder: ../site\n',
      'site/index.html': '<h1>Site</h1>',
      'site/css/main.css': 'body {}',
      'site/.gitignore': 'node_modules/\n*.log\n',
      'site/node_modules/dependency/index.js': '',
      'site/css/build.log': '',
      'site/nested/.git/config': '',
      'outside/secret.txt': 'secret',
    })
    symlinkSync(here.path('outside/secret.txt'), here.path('site/secret.txt'))
    symlinkSync(here.path('outside'), here.path('site/linked'))
    expect(await world('check', 'worlds/plain.yaml')).toMatchObject({
      code: 0,
      stdout: 'The world has no mistake.\n',
    })
    const { code, stdout, stderr } = await world('apply', 'worlds/plain.yaml')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('1 projects\n')
    expect(await namesIn('plain/site')).toEqual(['.gitignore', 'css/main.css', 'index.html'])
    expect(await get('/projects/plain%2Fsite')).toMatchObject({
      description: 'From a folder',
      visibility: 'internal',
    })
    const [commit] = await get('/projects/plain%2Fsite/repository/commits')
    expect(commit).toMatchObject({ title: 'Initial commit', authored_date: '2026-01-02T03:04:05.000+00:00' })
    expect(await world('apply', 'worlds/plain.yaml')).toMatchObject({
      code: 0,
      stdout: 'Everything already exists.\n',
    })
  })

  it('has the history of a repository, and the other attributes of the world', async () => {
    repository('repo')
    git('.', 'clone', '-q', '--bare', here.path('repo'), here.path('bare.git'))
    write({
      'history.yaml': `projects:
  - path: root/history
    folder: repo
    issues: [{ title: One }]
    merge_requests: [{ title: Merge it, source: trunk, target: other }]
  - path: root/bare
    folder: ${here.path('bare.git')}
`,
    })
    expect(await world('apply', 'history.yaml')).toMatchObject({ code: 0, stderr: '' })
    for (const path of ['root/history', 'root/bare']) {
      const project = `/projects/${encodeURIComponent(path)}`
      expect(await namesIn(path)).toEqual(['first.txt', 'second.txt'])
      const names = async (list: string) =>
        (await get(`${project}/repository/${list}`)).map((item) => item['name'])
      expect(await names('branches')).toEqual(['other', 'trunk'])
      expect(await names('tags')).toEqual(['v1'])
      expect(await get(project)).toMatchObject({ default_branch: 'trunk' })
    }
    expect(await get('/projects/root%2Fhistory/merge_requests')).toMatchObject([{ title: 'Merge it' }])
    expect(await get('/projects/root%2Fhistory/pipelines')).toEqual([])
    expect(await world('apply', 'history.yaml')).toMatchObject({ stdout: 'Everything already exists.\n' })
  })

  it('fills an empty project of an interrupted application', async () => {
    write({ 'empty.yaml': 'projects:\n  - path: root/empty\n', 'content/a.txt': 'a' })
    expect(await world('apply', 'empty.yaml')).toMatchObject({ code: 0 })
    write({ 'filled.yaml': 'projects:\n  - path: root/empty\n    folder: content\n' })
    expect(await world('apply', 'filled.yaml')).toMatchObject({ code: 0 })
    expect(await namesIn('root/empty')).toEqual(['a.txt'])
    write({ 'content/b.txt': 'b' })
    expect(await world('apply', 'filled.yaml')).toMatchObject({ stdout: 'Everything already exists.\n' })
    expect(await namesIn('root/empty')).toEqual(['a.txt'])
  })

  it('is created by a start with the world', async () => {
    write({
      'start/world.yaml': 'projects:\n  - path: root/started\n    folder: ./code\n',
      'start/code/a.txt': 'a',
    })
    const instance = here.start({
      dataDir: here.path('started'),
      args: ['--world', here.path('start/world.yaml')],
      env: { DESKFORGE_ROOT_TOKEN: TOKEN, DESKFORGE_ROOT_PASSWORD: 'a long enough password' },
    })
    expect(await namesIn('root/started', await instance.url)).toEqual(['a.txt'])
    expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a folder', () => {
  const refused = async (folder: string) => {
    write({ 'refused.yaml': `projects:\n  - path: root/refused\n    folder: ${folder}\n` })
    const { code, stdout, stderr } = await world('apply', 'refused.yaml')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr
  }
  const at = 'refused.yaml:3:13: '

  it('is refused with the line and column of the error', async () => {
    write({ 'a-file': '', 'linked-tree/.git': 'gitdir: /elsewhere', 'huge/large.bin': '' })
    mkdirSync(here.path('nothing'))
    truncateSync(here.path('huge/large.bin'), 3 * 1024 ** 3)
    repository('lender')
    git('.', 'clone', '-q', '--shared', here.path('lender'), here.path('borrower'))
    git('.', 'init', '-q', here.path('unborn'))
    expect(await refused('missing')).toBe(`${at}There is no folder ${here.path('missing')}.\n`)
    expect(await refused('a-file')).toBe(`${at}${here.path('a-file')} is no folder.\n`)
    expect(await refused('a-file/below')).toBe(`${at}There is no folder ${here.path('a-file/below')}.\n`)
    expect(await refused('nothing')).toBe(`${at}${here.path('nothing')} is empty.\n`)
    expect(await refused('huge')).toBe(`${at}${here.path('huge')} is larger than 2 GB.\n`)
    expect(await refused('linked-tree')).toContain('is a work tree of a repository elsewhere')
    expect(await refused('borrower')).toContain('has objects in another repository')
    expect(await refused('unborn')).toMatch(
      /^refused\.yaml:3:13: .*The repository in the folder has no commits\./,
    )
    expect((await fetch(`${url}/api/v4/projects/root%2Frefused`, { headers })).status).toBe(200)
  })

  it('is refused if it is larger than the instance allows', async () => {
    const set = (max_import_size: number) =>
      fetch(`${url}/api/v4/application/settings`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ max_import_size }),
      })
    write({ 'big/big.txt': 'x'.repeat(2 * 1024 * 1024) })
    expect((await set(1)).status).toBe(200)
    expect(await refused('big')).toBe(`${at}The instance refused: The folder is larger than 1 MB\n`)
    expect((await set(0)).status).toBe(200)
  })

  it('is refused if it cannot be read', async () => {
    const isAlmighty = process.platform === 'win32' || process.getuid?.() === 0
    if (!isPossible(!isAlmighty, 'this user may read every folder')) return
    mkdirSync(here.path('closed'), { mode: 0 })
    expect(await refused('closed')).toContain(`The permissions of ${here.path('closed')} do not allow`)
  })

  it('is never read by the instance, also if a request names one', async () => {
    write({ 'outside/secret.txt': 'secret' })
    const content = `projects:\n  - path: root/asked\n    folder: ${join(here.folder, 'outside')}\n`
    const post = async (body: object) => {
      const answer = await fetch(`${url}/-/workbench/worlds`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: (await answer.json()) as unknown }
    }
    expect(await post({ content })).toMatchObject({
      status: 400,
      body: {
        errors: [{ line: 3, column: 13, message: expect.stringMatching(/^Only the command line reads/) }],
      },
    })
    expect(await post({ content, folders: { 'root/asked': here.path('outside') } })).toMatchObject({
      status: 400,
      body: { message: 'The folder of root/asked is missing; send it again.' },
    })
    expect((await fetch(`${url}/api/v4/projects/root%2Fasked`, { headers })).status).toBe(404)
  })
})
