import { readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { JOB_TOKEN_LOGIN } from '../../server/lib/aliases.ts'
import { fill, watchEvents, onDisk } from '../api/repository/fill.ts'
import { shell, tempDir } from '../support/git.ts'
import { world, type TestUser } from '../support/world.ts'
import { addressOf, clone, git, local } from './remote.ts'

const instance = await world()
const { as, make, drain } = instance
const address = addressOf(instance)

const owner = make.user({ username: 'owner' })
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })

async function project(params: Record<string, unknown> = {}) {
  const made = await make.project({ owner, ...params })
  await make.member('projects', made.id, developer, 30)
  await make.member('projects', made.id, guest, 10)
  return made
}

const row = (id: number) =>
  instance.ctx().db.one<Record<string, unknown>>('SELECT * FROM projects WHERE id = ?', id)!

const pushed: { id: number }[] = []

describe('a first push into an empty project', () => {
  it('updates the branch, the columns and the protection, and publishes the event', async () => {
    const made = await project()
    pushed.push(made)
    const received = watchEvents(instance, 'refs.updated')
    const folder = local()
    const tip = shell(folder, ['rev-parse', 'HEAD'])
    const { code, stderr } = await git(folder, 'push', address(made, owner), 'main')
    expect(stderr).toContain('main -> main')
    expect(code).toBe(0)
    expect(received).toEqual([
      {
        project_id: made.id,
        actor_id: owner.id,
        source: 'push',
        updates: [{ ref: 'refs/heads/main', old: null, new: tip }],
        part: 1,
        parts: 1,
        branches: 1,
        tags: 0,
      },
    ])
    expect(row(made.id)).toMatchObject({ empty_repo: false, default_branch: 'main' })
    // The statistics are updated soon after the response.
    await expect
      .poll(() => row(made.id), { timeout: 20_000 })
      .toMatchObject({ commit_count: 1, readme_path: 'README.md' })
    expect(row(made.id)['repository_size']).toBeGreaterThan(0)
    const { body } = await as(owner).get(`/projects/${made.id}/protected_branches`)
    expect(body).toMatchObject([
      {
        name: 'main',
        push_access_levels: [{ access_level: 40 }],
        merge_access_levels: [{ access_level: 40 }],
      },
    ])
    expect(instance.ctx().db.many('SELECT * FROM ref_journal')).toEqual([])
  })

  it('makes the pushed branch the default branch', async () => {
    const made = await project()
    pushed.push(made)
    const folder = local()
    expect((await git(folder, 'push', address(made, owner), 'main:trunk')).code).toBe(0)
    expect(row(made.id)['default_branch']).toBe('trunk')
    expect((await as(owner).get(`/projects/${made.id}`)).body.default_branch).toBe('trunk')
    const cloned = await clone(address(made, owner))
    expect(shell(cloned, ['branch', '--show-current'])).toBe('trunk')
  })

  it('of 1,000 tags is published in parts', async () => {
    const made = await project()
    pushed.push(made)
    const folder = local()
    const tip = shell(folder, ['rev-parse', 'HEAD'])
    shell(
      folder,
      ['update-ref', '--stdin'],
      Array.from({ length: 1000 }, (_, index) => `create refs/tags/v${index} ${tip}\n`).join(''),
    )
    const received = watchEvents(instance, 'refs.updated')
    expect((await git(folder, 'push', '-q', address(made, owner), 'main', '--tags')).code).toBe(0)
    expect(received).toHaveLength(6)
    expect(received.flatMap((event) => event['updates'])).toHaveLength(1001)
    expect(
      (await as(owner).get(`/projects/${made.id}/repository/tags?per_page=1`)).headers.get('x-total'),
    ).toBe('1000')
    await drain()
  })
})

describe('a clone', () => {
  it('is complete, in every version of the protocol', async () => {
    const made = await project()
    pushed.push(made)
    fill(instance, made, [{ files: { 'a.txt': 'a\n' } }, { files: { 'b.txt': 'b\n' } }])
    const expected = shell(onDisk(instance, made), ['rev-parse', 'main'])
    for (const version of ['0', '1', '2']) {
      const folder = path.join(tempDir(), 'clone')
      const { code } = await git(
        tempDir(),
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        address(made, developer),
        folder,
      )
      expect(code).toBe(0)
      expect(shell(folder, ['rev-parse', 'HEAD'])).toBe(expected)
      expect(shell(folder, ['fsck', '--full'])).toBe('')
    }
  })

  it('can be shallow and deepened, and partial', async () => {
    const made = await project()
    fill(instance, made, [
      { files: { 'a.txt': 'a\n' } },
      { files: { 'a.txt': 'b\n' } },
      { files: { 'a.txt': 'c\n' } },
    ])
    const shallow = await clone(address(made, developer), '--depth=1')
    expect(shell(shallow, ['rev-list', '--count', 'HEAD'])).toBe('1')
    expect((await git(shallow, 'fetch', '-q', '--unshallow')).code).toBe(0)
    expect(shell(shallow, ['rev-list', '--count', 'HEAD'])).toBe('3')
    const partial = await clone(address(made, developer), '--filter=blob:none', '--no-checkout')
    expect(shell(partial, ['rev-list', '--objects', '--missing=print', 'HEAD'])).toContain('?')
    expect((await git(partial, 'checkout', '-q', 'main')).code).toBe(0)
    expect(readFileSync(path.join(partial, 'a.txt'), 'utf8')).toBe('c\n')
  })

  it('of an empty project is empty', async () => {
    const made = await project()
    const { code, stderr } = await git(tempDir(), 'clone', address(made, developer), 'clone')
    expect(code).toBe(0)
    expect(stderr).toContain('empty repository')
  })

  it('follows the redirect from the address without .git', async () => {
    const made = await project()
    fill(instance, made, [{ files: { 'a.txt': 'a\n' } }])
    expect(await clone(address(made, developer).replace(/\.git$/, ''))).toBeTruthy()
  })

  it('fetches later commits', async () => {
    const made = await project()
    fill(instance, made, [{ files: { 'a.txt': 'a\n' } }])
    const folder = await clone(address(made, developer))
    const [later] = fill(instance, made, [{ files: { 'a.txt': 'later\n' } }])
    expect((await git(folder, 'fetch', '-q')).code).toBe(0)
    expect(shell(folder, ['rev-parse', 'origin/main'])).toBe(later)
  })

  it('never gets internal refs of the server', async () => {
    const made = await project()
    const [id] = fill(instance, made, [{ files: { 'a.txt': 'a\n' } }])
    shell(onDisk(instance, made), ['update-ref', `refs/keep-around/${id}`, id!])
    const { stdout } = await git(tempDir(), 'ls-remote', address(made, developer))
    expect(stdout).toContain('refs/heads/main')
    expect(stdout).not.toContain('keep-around')
  })
})

describe('access to a project', () => {
  const outcomeOf = async (user: TestUser | null, url: string, ...args: string[]) => {
    const { code, stderr } = await git(
      tempDir(),
      ...args,
      user ? url.replace('//', `//${user.username}:${user.token}@`) : url,
    )
    return { code, stderr }
  }

  it('to read is for members with a token or a password, and for everybody if the project is public', async () => {
    const made = await project({ visibility: 'private' })
    fill(instance, made, [{ files: { 'a.txt': 'a\n' } }])
    const url = address(made)
    expect((await outcomeOf(developer, url, 'ls-remote')).code).toBe(0)
    expect((await outcomeOf({ ...developer, username: 'oauth2' }, url, 'ls-remote')).code).toBe(0)
    // Release tools in a CI job sign in like this with a project token.
    const inJob = { ...developer, username: JOB_TOKEN_LOGIN }
    expect((await outcomeOf(inJob, url, 'ls-remote')).code).toBe(0)
    expect((await outcomeOf({ ...inJob, token: 'wrong' }, url, 'ls-remote')).stderr).toContain(
      'Authentication failed',
    )
    expect(
      (await outcomeOf({ ...instance.root, token: 'correct%20horse%20battery' }, url, 'ls-remote')).code,
    ).toBe(0)
    expect((await outcomeOf({ ...instance.root, token: 'wrong' }, url, 'ls-remote')).stderr).toContain(
      'Authentication failed',
    )
    expect((await outcomeOf(guest, url, 'ls-remote')).stderr).toContain('not allowed to download code')
    expect((await outcomeOf(stranger, url, 'ls-remote')).stderr).toContain('could not be found')
    expect((await outcomeOf(null, url, 'ls-remote')).stderr).toContain('could not read Username')
    await as(owner).put(`/projects/${made.id}`, { visibility: 'public' })
    expect((await outcomeOf(null, url, 'ls-remote')).code).toBe(0)
    expect((await outcomeOf(guest, url, 'ls-remote')).code).toBe(0)
  })

  it('returns the same to anonymous clients for a private project and a missing one', async () => {
    const made = await project({ visibility: 'private' })
    const answers = await Promise.all(
      [made.path_with_namespace, 'no/such'].map((name) =>
        as(null).get(`!/${name}.git/info/refs?service=git-upload-pack`),
      ),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="GitLab"')
    }
    expect(answers[0]!.text).toBe(answers[1]!.text)
  })

  it('to push requires the access level and the scope of the token', async () => {
    const made = await project({ visibility: 'public' })
    const folder = local()
    const url = address(made)
    // The first push creates the default branch, which requires the Maintainer role.
    await git(folder, 'push', '-q', address(made, owner), 'main')
    const push = (user: TestUser | null) =>
      git(folder, 'push', user ? url.replace('//', `//${user.username}:${user.token}@`) : url, 'main:work')
    const reader = { ...developer, token: make.token(developer, ['read_repository']) }
    const writer = { ...developer, token: make.token(developer, ['write_repository']) }
    const other = { ...developer, token: make.token(developer, ['read_user']) }
    expect((await push(null)).stderr).toContain('could not read Username')
    expect((await push(stranger)).stderr).toContain('not allowed to push code')
    expect((await push(reader)).stderr).toContain('scope of this token')
    expect((await push(other)).stderr).toContain('scope of this token')
    expect((await push({ ...writer, username: JOB_TOKEN_LOGIN })).code).toBe(0)
    expect((await outcomeOf(reader, url, 'ls-remote')).code).toBe(0)
    await as(owner).put(`/projects/${made.id}`, { visibility: 'private' })
    expect((await outcomeOf(other, url, 'ls-remote')).stderr).toContain('scope of this token')
  })

  it('is refused with revoked tokens, and with passwords if the settings disable them', async () => {
    const made = await project({ visibility: 'private' })
    const url = address(made)
    await as(instance.root).put('/application/settings', { password_authentication_enabled_for_git: false })
    const byPassword = await outcomeOf(
      { ...instance.root, token: 'correct%20horse%20battery' },
      url,
      'ls-remote',
    )
    await as(instance.root).put('/application/settings', { password_authentication_enabled_for_git: true })
    expect(byPassword.stderr).toContain('Authentication failed')
    const { body } = await as(owner).get('/personal_access_tokens')
    await as(owner).delete(`/personal_access_tokens/${body[0].id}`)
    expect((await outcomeOf(owner, url, 'ls-remote')).stderr).toContain('Authentication failed')
    owner.token = make.token(owner, ['api'])
  })
})

describe('every repository with a push', () => {
  it('is valid', () => {
    expect(pushed.length).toBeGreaterThan(2)
    for (const project of pushed)
      expect(shell(onDisk(instance, project), ['fsck', '--full', '--no-dangling'])).toBe('')
  })
})
