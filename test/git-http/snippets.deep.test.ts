import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { storeRedirect } from '../../server/domains/namespaces/index.ts'
import { pushRulesOf } from '../../server/domains/snippets/service-git-target.ts'
import { repoOfSnippet } from '../../server/domains/snippets/service-repository.ts'
import { watchEvents } from '../api/repository/fill.ts'
import { addCommits, shell, tempDir } from '../support/git.ts'
import { world, type TestUser } from '../support/world.ts'
import { clone, commit, git, local } from './remote.ts'

let time = Date.parse('2026-11-22T08:00:00Z')
const instance = await world({ clock: { now: () => time } })
const { as, make, root, drain } = instance
const author = make.user({ username: 'author' })
const other = make.user({ username: 'other' })
const outsider = make.user({ username: 'outsider', external: true })

interface Snippet {
  id: number
  http_url_to_repo: string
  updated_at: string
  files: { path: string }[]
}

async function snippet(visibility = 'private', container = '', owner = author): Promise<Snippet> {
  const params = { title: 'A title', visibility, files: [{ file_path: 'b.txt', content: 'b\n' }] }
  const { status, body } = await as(owner).post(`${container}/snippets`, params)
  expect(status).toBe(201)
  return body
}
const get = async ({ id }: Snippet): Promise<Snippet> => (await as(author).get(`/snippets/${id}`)).body
const row = ({ id }: Snippet) =>
  instance.ctx().db.one<Record<string, unknown>>('SELECT * FROM snippets WHERE id = ?', id)!
const repoOf = (snippet: Snippet) =>
  repoOfSnippet(instance.ctx(), row(snippet) as { repository_storage: string; disk_path: string })
const waiting = () =>
  instance.ctx().db.many("SELECT * FROM jobs WHERE name = 'snippets.settle_push' AND state <> 'done'")

type Person = Pick<TestUser, 'username' | 'token'>
const address = ({ http_url_to_repo }: Pick<Snippet, 'http_url_to_repo'>, person?: Person) =>
  person ? http_url_to_repo.replace('://', `://${person.username}:${person.token}@`) : http_url_to_repo
const read = (snippet: Pick<Snippet, 'http_url_to_repo'>, person?: Person) =>
  git(tempDir(), 'ls-remote', '-q', address(snippet, person))
const DENIED = /Authentication failed|could not read Username/

/** A clone with a commit to push. */
async function changed(snippet: Snippet, file = 'a.txt', content: string | Buffer = 'a\n'): Promise<string> {
  const folder = await clone(address(snippet, author))
  commit(folder, file, content)
  return folder
}
async function refusal(folder: string, ...what: string[]): Promise<string> {
  const { code, stderr } = await git(folder, 'push', 'origin', ...what)
  expect(code).toBe(1)
  const lines = stderr.split('\n').filter((line) => line.startsWith('remote: '))
  return lines.map((line) => line.slice('remote: '.length).trim()).join(' ')
}

describe('a snippet', () => {
  it('can be cloned, changed and pushed', async () => {
    const made = await snippet()
    expect(made.http_url_to_repo).toBe(`${instance.url}/snippets/${made.id}.git`)
    const folder = await clone(address(made, author))
    expect(readFileSync(path.join(folder, 'b.txt'), 'utf8')).toBe('b\n')
    expect(shell(folder, ['branch', '--show-current'])).toBe('main')
    const received = watchEvents(instance, 'snippet.updated')
    commit(folder, 'a.txt', 'a\n')
    const tip = commit(folder, 'dir/c.bin', randomBytes(20_000))
    time += 1000
    const { code, stderr } = await git(folder, 'push', 'origin', 'main')
    expect([code, stderr]).toEqual([0, expect.stringContaining('main -> main')])
    expect(received).toEqual([{ snippet_id: made.id, actor_id: author.id }])
    const now = await get(made)
    // Existing files keep their order.
    expect(now.files.map((file) => file.path)).toEqual(['b.txt', 'a.txt', 'dir/c.bin'])
    expect(Date.parse(now.updated_at) - Date.parse(made.updated_at)).toBe(1000)
    expect(row(made)['repository_size']).toBeGreaterThan(20_000)
    expect((await as(author).get(`/snippets/${made.id}/files/main/a.txt/raw`)).text).toBe('a\n')
    expect(shell(repoOf(made), ['rev-parse', 'main'])).toBe(tip)
    expect(waiting()).toEqual([])
    const again = await git(folder, 'push', 'origin', 'main')
    expect([again.stderr, received.length]).toEqual([expect.stringContaining('up-to-date'), 1])
  })

  it('accepts pushes and API changes in turn', async () => {
    const made = await snippet()
    const folder = await changed(made)
    const files = [{ action: 'update', file_path: 'b.txt', content: 'changed' }]
    expect((await as(author).put(`/snippets/${made.id}`, { files })).status).toBe(200)
    expect((await git(folder, 'push', 'origin', 'main')).stderr).toContain('fetch first')
    expect((await git(folder, 'pull', '-q', '--rebase', 'origin', 'main')).code).toBe(0)
    expect((await git(folder, 'push', 'origin', 'main')).code).toBe(0)
    const title = await as(author).put(`/snippets/${made.id}`, { title: 'Other' })
    expect(title.body.files.map((file: { path: string }) => file.path)).toEqual(['b.txt', 'a.txt'])
    // A force push may rewrite the history.
    shell(folder, ['reset', '-q', '--hard', 'HEAD~1'])
    expect((await git(folder, 'push', 'origin', 'main')).code).toBe(1)
    expect((await git(folder, 'push', '--force', 'origin', 'main')).code).toBe(0)
    expect((await get(made)).files.map((file) => file.path)).toEqual(['b.txt'])
  })

  it('is deleted with its repository', async () => {
    const made = await snippet()
    const folder = await changed(made)
    expect((await git(folder, 'push', 'origin', 'main')).code).toBe(0)
    const { gitDir } = repoOf(made)
    expect((await as(author).delete(`/snippets/${made.id}`)).status).toBe(204)
    await drain()
    expect(existsSync(gitDir)).toBe(false)
    expect((await read(made, author)).stderr).toContain('could not be found')
    expect((await git(folder, 'push', 'origin', 'main')).stderr).toContain('could not be found')
  })
})

describe('a push is refused', async () => {
  const made = await snippet()
  const before = shell(repoOf(made), ['rev-parse', 'main'])
  const unchanged = async () => {
    expect(shell(repoOf(made), ['for-each-ref', '--format=%(refname) %(objectname)'])).toBe(
      `refs/heads/main ${before}`,
    )
    expect(await get(made)).toEqual(made)
    expect(waiting()).toEqual([])
  }

  it('to another ref than the branch main', async () => {
    const folder = await changed(made)
    shell(folder, ['tag', 'v1'])
    const only = /^\S+: A snippet has only the branch main; nothing else can be pushed\.$/
    expect(await refusal(folder, 'main:other')).toMatch(only)
    expect(await refusal(folder, 'main:refs/notes/x')).toMatch(only)
    expect(await refusal(folder, 'v1')).toMatch(/^\S+: A snippet has no tags\.$/)
    // The push is atomic, so the branch is refused, too.
    expect(await refusal(folder, 'main', 'v1')).toContain('A snippet has no tags.')
    expect(await refusal(folder, ':main')).toMatch(/The branch main of a snippet cannot be deleted\.$/)
    await unchanged()
  })

  it('with too many files, no files, or submodules', async () => {
    const folder = await clone(address(made, author))
    for (let n = 1; n < 10; n++) writeFileSync(path.join(folder, `file${n}`), String(n))
    commit(folder, 'file10', '10')
    expect(await refusal(folder, 'main')).toMatch(/^\S+: A snippet can have at most 10 files\.$/)
    shell(folder, ['rm', '-q', '-r', '.'])
    shell(folder, ['commit', '-q', '-m', 'Nothing'])
    expect(await refusal(folder, 'main')).toMatch(/^\S+: A snippet needs at least one file\.$/)
    shell(folder, ['update-index', '--add', '--cacheinfo', `160000,${before},module`])
    shell(folder, ['commit', '-q', '-m', 'Module'])
    expect(await refusal(folder, 'main')).toMatch(/^\S+: A snippet cannot contain other repositories\.$/)
    await unchanged()
  })

  it('with a tree of more files than can be counted', async () => {
    const folder = await clone(address(made, author))
    let line = `100644 blob ${shell(folder, ['hash-object', '-w', '--stdin'], 'x')}`
    for (let depth = 0; depth < 9; depth++) {
      const entries = Array.from({ length: 10 }, (_, n) => `${line}\t${n}\n`).join('')
      line = `040000 tree ${shell(folder, ['mktree'], entries)}`
    }
    const bomb = shell(folder, ['commit-tree', '-p', 'HEAD', '-m', 'Much', line.split(' ')[2]!])
    expect(await refusal(folder, `${bomb}:main`)).toContain('at most 10 files')
    await unchanged()
  })

  it('with more bytes than the settings allow, in the last commit or an earlier one', async () => {
    const set = (snippet_size_limit: number) => as(root).put('/application/settings', { snippet_size_limit })
    expect((await set(5000)).status).toBe(200)
    const sentence = /^\S+: The files of a snippet can have at most 5000 bytes\.$/
    const large = await changed(made, 'large', 'x'.repeat(6000))
    expect(await refusal(large, 'main')).toMatch(sentence)
    const passing = await changed(made, 'large', randomBytes(6000))
    rmSync(path.join(passing, 'large'))
    commit(passing, 'small', 'x')
    expect(await refusal(passing, 'main')).toMatch(sentence)
    await unchanged()
    await set(52_428_800)
  })

  it('with objects that git refuses as an attack', async () => {
    const folder = await clone(address(made, author))
    const blob = shell(folder, ['hash-object', '-w', '--stdin'], 'x')
    const inner = shell(folder, ['mktree'], `100644 blob ${blob}\tconfig\n`)
    // Git itself does not create such a tree.
    const tree = Buffer.concat([Buffer.from('40000 .git\0'), Buffer.from(inner, 'hex')])
    const outer = shell(folder, ['hash-object', '-w', '--literally', '-t', 'tree', '--stdin'], tree)
    const id = shell(folder, ['commit-tree', '-p', 'HEAD', '-m', 'Attack', outer])
    const { code, stderr } = await git(folder, 'push', 'origin', `${id}:main`)
    expect([code, stderr]).toEqual([1, expect.stringContaining("contains '.git'")])
    await unchanged()
  })

  it('that moves the branch to an object that is no commit', async () => {
    const folder = await clone(address(made, author))
    const blob = shell(folder, ['hash-object', '-w', '--stdin'], 'x')
    shell(folder, ['tag', '-a', '-m', 'Tag', 'v1'])
    expect(await refusal(folder, '--force', `${blob}:refs/heads/main`)).toContain('at least one file')
    for (const what of ['HEAD^{tree}', 'v1'])
      expect(await refusal(folder, '--force', `${what}:refs/heads/main`)).toContain('non-commit object')
    await unchanged()
  })

  it('when the snippet was deleted meanwhile', async () => {
    const gone = await snippet()
    const rules = pushRulesOf(instance.ctx(), gone.id)
    await as(author).delete(`/snippets/${gone.id}`)
    const push = { updates: [], options: [], quarantineEnv: {}, signal: new AbortController().signal }
    expect(await rules.refusal([], push)).toBe('The snippet no longer exists.')
  })
})

describe('access to a snippet', async () => {
  const all = {
    private: await snippet('private'),
    internal: await snippet('internal'),
    public: await snippet('public'),
  }
  const codes = async (person?: Person) => {
    const answers = await Promise.all(Object.values(all).map((value) => read(value, person)))
    return answers.map(({ code }) => code)
  }

  it('depends on its visibility', async () => {
    expect(await codes()).toEqual([128, 128, 0])
    expect(await codes(author)).toEqual([0, 0, 0])
    expect(await codes(root)).toEqual([0, 0, 0])
    expect(await codes(other)).toEqual([128, 0, 0])
    expect(await codes(outsider)).toEqual([128, 128, 0])
  })

  it('is refused like that to a missing snippet', async () => {
    const nowhere = { http_url_to_repo: `${instance.url}/snippets/999999.git` }
    expect((await read(all.private)).stderr).toMatch(DENIED)
    const service = 'info/refs?service=git-upload-pack'
    const [hidden, missing] = await Promise.all(
      [all.private, nowhere].map(async ({ http_url_to_repo }) => {
        const answer = await fetch(`${http_url_to_repo}/${service}`)
        return [answer.status, answer.headers.get('www-authenticate'), await answer.text()]
      }),
    )
    expect(hidden).toEqual(missing)
    expect(hidden![0]).toBe(401)
    const message = (await read(all.private, other)).stderr
    const nothing = (await read(nowhere, other)).stderr
    expect(message).toContain('could not be found')
    expect(message.replaceAll(`snippets/${all.private.id}`, 'snippets/999999')).toBe(nothing)
    // A snippet ID below a project that does not exist, or below a user name.
    for (const namespace of ['nobody/nothing/', 'author/']) {
      const wrong = {
        http_url_to_repo: all.public.http_url_to_repo.replace('snippets', `${namespace}snippets`),
      }
      expect((await read(wrong, author)).stderr).toContain('could not be found')
    }
  })

  it('to push requires the permission to change it', async () => {
    const folder = await changed(all.public)
    const push = async (person?: Person) => git(folder, 'push', address(all.public, person), 'main')
    expect((await push()).stderr).toMatch(DENIED)
    for (const person of [other, outsider]) {
      const { code, stderr } = await push(person)
      expect([code, stderr]).toEqual([128, expect.stringContaining('not allowed to change this snippet')])
    }
    expect(await get(all.public)).toEqual(all.public)
    expect((await push(root)).code).toBe(0)
  })

  it('with a token requires the scopes of git', async () => {
    const token = (...scopes: string[]) => ({ username: 'author', token: make.token(author, scopes) })
    expect((await read(all.private, token('read_repository'))).code).toBe(0)
    expect((await read(all.private, token('read_api'))).stderr).toContain('403')
    const folder = await changed(all.private)
    const url = (scope: string) => address(all.private, token(scope))
    expect((await git(folder, 'push', url('read_repository'), 'main')).stderr).toContain(
      'scope of this token',
    )
    expect((await git(folder, 'push', url('write_repository'), 'main')).code).toBe(0)
  })

  it('is refused while git over HTTP is disabled', async () => {
    const set = (value: string) =>
      as(root).put('/application/settings', { enabled_git_access_protocol: value })
    await set('ssh')
    expect((await read(all.public, author)).stderr).toContain('Git access over HTTP is not allowed')
    expect((await read(all.private, other)).stderr).toContain('Git access over HTTP is not allowed')
    await set('nil')
    expect((await read(all.public, author)).code).toBe(0)
  })
})

describe('a snippet of a project', async () => {
  const maintainer = make.user({ username: 'maintainer' })
  const reporter = make.user({ username: 'reporter' })
  const group = await make.group({ owner: root, visibility: 'public' })
  const project = await make.project({ owner: root, namespace_id: group.id, visibility: 'private' })
  await make.member('projects', project.id, maintainer, 40)
  await make.member('projects', project.id, reporter, 20)
  const path = `/projects/${project.id}`
  const made = await snippet('public', path, reporter)
  const set = async (params: object) => {
    expect((await as(root).put(path, params)).status).toBe(200)
  }

  it('is found below the project, and requires the permissions of both', async () => {
    const below = `${project.path_with_namespace}/snippets/${made.id}.git`
    expect(made.http_url_to_repo).toBe(`${instance.url}/${below}`)
    for (const person of [root, maintainer, reporter]) expect((await read(made, person)).code).toBe(0)
    expect((await read(made)).stderr).toMatch(DENIED)
    expect((await read(made, other)).stderr).toContain('could not be found')
    const bare = { http_url_to_repo: `${instance.url}/snippets/${made.id}.git` }
    expect((await read(bare, root)).stderr).toContain('could not be found')
  })

  it('is pushed to by its author and by maintainers, and publishes events with its project', async () => {
    const received = watchEvents(instance, 'snippet.updated')
    const folder = await clone(address(made, maintainer))
    commit(folder, 'a.txt', 'a\n')
    expect((await git(folder, 'push', address(made, maintainer), 'main')).code).toBe(0)
    expect(received).toEqual([{ snippet_id: made.id, actor_id: maintainer.id, project_id: project.id }])
    commit(folder, 'a.txt', 'c\n')
    expect((await git(folder, 'push', address(made, reporter), 'main')).code).toBe(0)
    const mine = await snippet('private', path, maintainer)
    const theirs = await clone(address(mine, reporter))
    commit(theirs, 'a.txt', 'a\n')
    const refused = await git(theirs, 'push', address(mine, reporter), 'main')
    expect([refused.code, refused.stderr]).toEqual([128, expect.stringContaining('not allowed to change')])
  })

  it('cannot be read if the feature is disabled, or pushed to if the project is archived', async () => {
    await set({ snippets_access_level: 'disabled' })
    for (const person of [root, reporter])
      expect((await read(made, person)).stderr).toContain('could not be found')
    await set({ snippets_access_level: 'private', visibility: 'public' })
    expect((await read(made)).stderr).toMatch(DENIED)
    expect((await read(made, other)).stderr).toContain('could not be found')
    expect((await read(made, reporter)).code).toBe(0)
    await set({ snippets_access_level: 'enabled' })
    expect((await read(made)).code).toBe(0)
    const folder = await clone(address(made, reporter))
    commit(folder, 'a.txt', 'd\n')
    await as(root).post(`${path}/archive`)
    expect((await read(made, reporter)).code).toBe(0)
    expect((await git(folder, 'push', 'origin', 'main')).stderr).toContain('This project is archived')
    await as(root).post(`${path}/unarchive`)
    expect((await git(folder, 'push', 'origin', 'main')).code).toBe(0)
  })

  it('cannot be read with deploy tokens', async () => {
    const params = { name: 'CI', scopes: ['read_repository'] }
    const { body } = await as(root).post(`${path}/deploy_tokens`, params)
    expect((await read({ http_url_to_repo: project.http_url_to_repo }, body)).code).toBe(0)
    const authorization = `Basic ${btoa(`${body.username}:${body.token}`)}`
    const refs = `${made.http_url_to_repo}/info/refs?service=git-upload-pack`
    expect((await fetch(refs, { headers: { authorization } })).status).toBe(401)
    expect((await fetch(refs)).status).toBe(200)
  })

  it('follows the allowed protocols of its group, and the new address of its project', async () => {
    const { db, now } = instance.ctx()
    const sql = 'UPDATE namespaces SET enabled_git_access_protocol = ? WHERE id = ?'
    db.exec(sql, 'ssh', group.id)
    expect((await read(made, reporter)).stderr).toContain('Git access over HTTP is not allowed')
    db.exec(sql, null, group.id)
    storeRedirect(db, { full_path: 'root/before', project_id: project.id }, now)
    const old = { http_url_to_repo: `${instance.url}/root/before/snippets/${made.id}.git` }
    expect((await read(old, reporter)).code).toBe(0)
  })
})

// The test writes the state that a killed instance leaves: an announced push that may have moved the ref, and was not recorded.
describe('an interrupted push', () => {
  const change = (snippet: Snippet, to: string) => ({
    ref: 'refs/heads/main',
    old: shell(repoOf(snippet), ['rev-parse', 'main']),
    new: to,
  })

  it('is recorded once, a minute later', async () => {
    const made = await snippet()
    const received = watchEvents(instance, 'snippet.updated')
    const from = change(made, '')
    const [id] = addCommits(repoOf(made), [{ files: { 'a.txt': 'a', 'b.txt': 'c' } }])
    const settle = pushRulesOf(instance.ctx(), made.id).announce([{ ...from, new: id! }], [])
    await drain()
    expect([received.length, waiting().length]).toEqual([0, 1])
    time += 61_000
    await drain()
    expect(received).toEqual([{ snippet_id: made.id, actor_id: null }])
    const now = await get(made)
    expect(now.files.map((file) => file.path)).toEqual(['b.txt', 'a.txt'])
    expect(now.updated_at > made.updated_at).toBe(true)
    expect(waiting()).toEqual([])
    await settle([{ ...from, new: id! }])
    expect(received).toHaveLength(1)
  })

  it('is dropped if the branch did not move, or the snippet was deleted', async () => {
    const [still, gone] = [await snippet(), await snippet()]
    const received = watchEvents(instance, 'snippet.updated')
    for (const target of [still, gone]) {
      pushRulesOf(instance.ctx(), target.id).announce([change(target, 'f'.repeat(40))], [])
    }
    await as(author).delete(`/snippets/${gone.id}`)
    time += 61_000
    await drain()
    expect(received).toEqual([])
    expect(await get(still)).toEqual(still)
    expect(waiting()).toEqual([])
  })

  it('needs no further work if it failed in the end', async () => {
    const made = await snippet()
    const settle = pushRulesOf(instance.ctx(), made.id).announce([change(made, 'f'.repeat(40))], [])
    await settle([])
    expect([waiting(), await get(made)]).toEqual([[], made])
  })
})

it('an address without .git redirects to the one with it', async () => {
  const made = await snippet('public')
  const url = made.http_url_to_repo.replace(/\.git$/, '')
  expect((await git(tempDir(), 'ls-remote', '-q', url)).code).toBe(0)
  expect((await git(local(), 'push', address(made, author), 'main')).stderr).toContain('fetch first')
})
