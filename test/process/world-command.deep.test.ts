import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isPossible } from '../support/possible.ts'
import { cleanEnv, cli, scratch, type Ended } from '../support/server-process.ts'

// `deskforge world …` and `serve --world` as processes.

const TOKEN = 'token-of-the-world-command'
const here = scratch()
let url: string

beforeAll(async () => {
  url = await here.start({ dataDir: here.path('data'), env: { DESKFORGE_ROOT_TOKEN: TOKEN } }).url
})
afterAll(() => here.clear())

/** Runs the command line and resolves when it has ended. */
async function run(words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...words], {
    cwd: here.folder,
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, ...output }
}

const world = (...words: string[]) => run(['world', ...words, '--url', url, '--token', TOKEN])
const get = async (path: string) =>
  (await fetch(`${url}/api/v4${path}`, { headers: { 'private-token': TOKEN } })).status

function file(name: string, text: string): string {
  writeFileSync(here.path(name), text)
  return name
}

describe('deskforge world', () => {
  it('lists the shipped worlds, also as JSON', async () => {
    const { code, stdout, stderr } = await world('list')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'small-team',
      'open-source',
      'monorepo',
      'thousand-projects',
      '',
    ])
    expect(await world()).toMatchObject({ code: 0, stdout })
    const json = await world('list', '--json')
    expect(JSON.parse(json.stdout)).toHaveLength(4)
  })

  it('checks a world without creating anything', async () => {
    const name = file('checked.yaml', 'groups:\n  - path: only-checked\n')
    expect(await world('check', name)).toEqual({
      code: 0,
      signal: null,
      stdout: 'The world has no mistake.\n',
      stderr: '',
    })
    expect(await get('/groups/only-checked')).toBe(404)
    const json = await world('check', name, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({
      dry_run: true,
      counts: [{ kind: 'groups', made: 1, kept: 0 }],
    })
  })

  it('applies a world, and again without a change', async () => {
    const name = file('applied.yaml', 'groups:\n  - path: applied\nprojects:\n  - path: applied/one\n')
    const first = await world('apply', name)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^ {5}1 groups\n {5}1 projects\nApplied in \d+ ms\.\n$/)
    expect(await get('/projects/applied%2Fone')).toBe(200)
    expect(await world('apply', name)).toMatchObject({ code: 0, stdout: 'Everything already exists.\n' })
    const again = await world('apply', name, '--json')
    expect(JSON.parse(again.stdout).counts).toEqual([
      { kind: 'groups', made: 0, kept: 1 },
      { kind: 'projects', made: 0, kept: 1 },
    ])
  })

  it('applies a shipped world by its name', async () => {
    expect(await world('check', 'monorepo')).toMatchObject({ code: 0 })
    expect(await world('apply', 'small-team')).toMatchObject({ code: 0, stderr: '' })
    expect(await get('/projects/lantern%2Fshop')).toBe(200)
    const unknown = await world('apply', 'large-team')
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toBe('The instance refused: 404 World Not Found\n')
  })

  it('reads the address and the token from the environment', async () => {
    const env = { DESKFORGE_URL: url, DESKFORGE_TOKEN: TOKEN }
    expect(await run(['world', 'check', 'small-team'], env)).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['world', 'list'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Give the token of an administrator with --token or DESKFORGE_TOKEN.\n',
    })
  })

  it('writes the instance as a file that creates the same world', async () => {
    file(
      'small.yaml',
      'users:\n  - { username: vera, name: Vera Holm }\nprojects:\n  - path: vera/kite\n    files: { README.md: "# Kite" }\n    issues:\n      - { title: The tail is torn, author: vera, at: 2026-03-01T09:30:00Z }\n',
    )
    const first = here.start({ dataDir: here.path('first'), env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
    const second = here.start({ dataDir: here.path('second'), env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
    const [from, to] = await Promise.all([first.url, second.url])
    const at = (address: string, ...words: string[]) =>
      run(['world', ...words, '--url', address, '--token', TOKEN])
    expect(await at(from, 'apply', 'small.yaml')).toMatchObject({ code: 0, stderr: '' })
    expect(await at(from, 'write', 'written.yaml')).toMatchObject({
      code: 0,
      stdout: 'Wrote written.yaml.\n',
    })
    const text = readFileSync(here.path('written.yaml'), 'utf8')
    expect(text).toContain('The tail is torn')
    expect(await at(to, 'apply', 'written.yaml')).toMatchObject({ code: 0, stderr: '' })
    const printed = await at(to, 'write')
    expect(printed).toEqual({ code: 0, signal: null, stdout: text, stderr: '' })

    file('written.yaml', 'from before')
    expect(await at(from, 'write', 'written.yaml')).toMatchObject({
      code: 0,
      stdout: 'Wrote written.yaml.\n',
    })
    expect(readFileSync(here.path('written.yaml'), 'utf8')).toBe(text)

    const nowhere = await at(from, 'write', 'missing/written.yaml')
    expect(nowhere).toMatchObject({ code: 1, stdout: '' })
    expect(nowhere.stderr).toMatch(/^The file missing\/written\.yaml cannot be written: .*\.\n$/)
    await Promise.all([first.stop(), second.stop()])
  })

  it('writes parts of the instance', async () => {
    const text = `groups: [{ path: in }, { path: in/deep }, { path: out }]
projects: [{ path: in/one }, { path: in/deep/two }, { path: out/three }, { path: out/four }]
`
    expect(await world('apply', file('parts.yaml', text))).toMatchObject({ code: 0, stderr: '' })
    const pathsOf = async (...words: string[]) => {
      const { code, stdout, stderr } = await world('write', ...words)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return [...stdout.matchAll(/^ {2}- (?:\{ )?path: ([^,\n]+)/gm)].map(([, path]) => path)
    }
    expect(await pathsOf('--group', 'in')).toEqual(['in', 'in/deep', 'in/one', 'in/deep/two'])
    expect(await pathsOf('--project', 'out/four')).toEqual(['out', 'out/four'])
    expect(await pathsOf('--project', 'out/four', '--project=out/three', '--group', 'in/deep')).toEqual([
      'in',
      'out',
      'in/deep',
      'in/deep/two',
      'out/three',
      'out/four',
    ])
    expect(await world('write', 'part.yaml', '--project', 'in/one')).toMatchObject({
      code: 0,
      stdout: 'Wrote part.yaml.\n',
    })
    expect(readFileSync(here.path('part.yaml'), 'utf8')).toContain('path: in/one')
  })

  it('writes no file if the instance refuses', async () => {
    const refusals: [words: string[], sentence: string][] = [
      [['--project', 'no/such'], 'The instance refused: 404 Project Not Found\n'],
      [['--group', 'no-such'], 'The instance refused: 404 Group Not Found\n'],
    ]
    for (const [words, stderr] of refusals) {
      file('before.yaml', 'from before')
      expect(await world('write', 'before.yaml', ...words)).toMatchObject({ code: 1, stdout: '', stderr })
      expect(readFileSync(here.path('before.yaml'), 'utf8')).toBe('from before')
    }
    const wrong = await run(['world', 'write', 'new.yaml', '--url', url, '--token', 'wrong'])
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: 'The instance refused: 401 Unauthorized\n' })
    expect(existsSync(here.path('new.yaml'))).toBe(false)
    expect(await world('write', 'one.yaml', 'two.yaml')).toMatchObject({
      code: 1,
      stderr: '"two.yaml" is not a known option; see --help.\n',
    })
  })

  it('reports each error with its file, line and column, and exits with 1', async () => {
    const name = file('wrong.yaml', 'users:\n  - usernam: anna\ngroups:\n  - { path: a, visibility: x }\n')
    const expected = [
      'wrong.yaml:2:5: The key "usernam" is unknown here; did you mean "username"?',
      'wrong.yaml:2:5: username is missing.',
      'wrong.yaml:4:28: visibility cannot be "x"; It is private, internal or public.',
    ]
    for (const action of ['check', 'apply']) {
      const { code, stdout, stderr } = await world(action, name)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(`${expected.join('\n')}\n`)
    }
    const json = await world('check', name, '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout).errors).toHaveLength(3)
    expect(JSON.parse(json.stdout).errors[0]).toMatchObject({ line: 2, column: 5 })
  })

  it('reports the failed step, and that the others are done', async () => {
    const ci = '    files: { .gitlab-ci.yml: "build: { script: make }" }\n'
    const pipelines = '    pipelines: [{ ref: main, jobs: { biuld: {} } }]\n'
    const name = file('half.yaml', `projects:\n  - path: root/half\n${ci}${pipelines}`)
    const { code, stderr } = await world('apply', name)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^half\.yaml:4:17: .*no job "biuld"; its jobs are build\n/)
    expect(stderr).toContain('correct the world and apply it again.\n')
    expect(await get('/projects/root%2Fhalf')).toBe(200)
  })

  it('refuses a missing file, a folder, and a file that is too large or cannot be read', async () => {
    const refusal = async (name: string) => {
      const { code, stdout, stderr } = await world('apply', name)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      return stderr
    }
    expect(await refusal('missing.yaml')).toBe(
      'The world missing.yaml cannot be read: the file does not exist.\n',
    )
    mkdirSync(here.path('folder.yaml'))
    expect(await refusal('./folder.yaml')).toBe('The world ./folder.yaml cannot be read: it is a folder.\n')
    file('large.yaml', '#'.repeat(16 * 1024 * 1024 + 1))
    expect(await refusal('large.yaml')).toBe('The world large.yaml is larger than 16 MB.\n')
    const isAlmighty = process.platform === 'win32' || process.getuid?.() === 0
    if (!isPossible(!isAlmighty, 'this user may read every file')) return
    chmodSync(here.path(file('closed.yaml', 'groups: []\n')), 0)
    expect(await refusal('closed.yaml')).toBe(
      'The world closed.yaml cannot be read: its permissions do not allow it.\n',
    )
  })

  it('reports an invalid token, and a token without administrator rights', async () => {
    const wrong = await run(['world', 'list', '--url', url, '--token', 'wrong'])
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: 'The instance refused: 401 Unauthorized\n' })
    await world(
      'apply',
      file('people.yaml', 'users: [{ username: pat, tokens: [{ name: t, token: token-of-pat }] }]'),
    )
    const pat = await run(['world', 'apply', 'small-team', '--url', url, '--token', 'token-of-pat'])
    expect(pat).toMatchObject({ code: 1, stdout: '', stderr: 'The instance refused: 403 Forbidden\n' })
  })

  it('reports that no instance answers', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const nobody = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await new Promise((resolve) => server.close(resolve))
    const { code, stdout, stderr } = await run(['world', 'list', '--url', nobody, '--token', TOKEN])
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `No instance answers at ${nobody}.\n`,
    })
    expect(await run(['world', 'list', '--url', 'nonsense', '--token', TOKEN])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: '"nonsense" is not the address of an instance.\n',
    })
  })

  it('refuses an unknown action, a missing file name and an additional argument', async () => {
    expect(await world('destroy')).toMatchObject({
      code: 1,
      stderr: 'There is no "world destroy"; it is apply, check, write or list.\n',
    })
    expect(await world('apply')).toMatchObject({
      code: 1,
      stderr: 'Name the world: deskforge world apply FILE\n',
    })
    expect(await world('apply', 'one.yaml', 'two.yaml')).toMatchObject({
      code: 1,
      stderr: '"two.yaml" is not a known option; see --help.\n',
    })
  })
})

describe('deskforge serve --world', () => {
  const serve = (name: string, ...more: string[]) =>
    here.start({
      dataDir: here.path(`served-${name.replaceAll(/\W/g, '-')}`),
      args: ['--world', here.path(name), ...more],
      env: { DESKFORGE_ROOT_TOKEN: TOKEN, DESKFORGE_ROOT_PASSWORD: 'a long enough password' },
    })

  it('is ready when the world is applied', async () => {
    file('served.yaml', 'projects:\n  - path: root/served\n    files: { README.md: "# Served" }\n')
    const instance = serve('served.yaml')
    const address = await instance.url
    const readme = `${address}/api/v4/projects/root%2Fserved/repository/files/README.md/raw?ref=main`
    const answer = await fetch(readme, { headers: { 'private-token': TOKEN } })
    expect(await answer.text()).toBe('# Served')
    expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' })
    const again = serve('served.yaml')
    await again.url
    expect(await again.stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('accepts the name of a shipped world', async () => {
    const child = spawn(process.execPath, [cli, 'serve', '--ephemeral', '--world', 'small-team'], {
      env: cleanEnv({ DESKFORGE_EPHEMERAL_DIR: here.folder }),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const ready = JSON.parse(line.toString()) as { url: string; token: string }
    const headers = { 'private-token': ready.token }
    expect((await fetch(`${ready.url}/api/v4/projects/lantern%2Fshop`, { headers })).status).toBe(200)
    child.stdin.end()
    expect((await once(child, 'close'))[0]).toBe(0)
    const unknown = await run(['serve', '--ephemeral', '--world', 'large-team'], {
      DESKFORGE_EPHEMERAL_DIR: here.folder,
    })
    expect(unknown).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'No built-in world has the name large-team.\n',
    })
  })

  it('reports every error, and leaves no process', async () => {
    file('mistaken.yaml', 'groups:\n  - pth: x\n')
    const path = here.path('mistaken.yaml')
    const { code, stdout, stderr } = await serve('mistaken.yaml').ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `${path}:2:5: The key "pth" is unknown here; did you mean "path"?\n${path}:2:5: path is missing.\n`,
    )
    const missing = await serve('not-there.yaml').ended
    expect(missing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `The world ${here.path('not-there.yaml')} cannot be read: the file does not exist.\n`,
    })
  })
})
