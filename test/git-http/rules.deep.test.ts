import { createHash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

import { beforeEach, describe, expect, it } from 'vitest'

import { watchEvents, onDisk } from '../api/repository/fill.ts'
import { shell, tempDir } from '../support/git.ts'
import { world } from '../support/world.ts'
import { addressOf, clone, commit, git, local } from './remote.ts'

const instance = await world()
const { as, make, drain } = instance
const address = addressOf(instance)
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let folder: string
let theirs: string
let ours: string

beforeEach(async () => {
  project = await make.project({ owner: maintainer })
  await make.member('projects', project.id, developer, 30)
  ours = address(project, maintainer)
  theirs = address(project, developer)
  folder = local()
  await git(folder, 'push', '-q', ours, 'main', 'main:work')
})

const tip = (ref: string) => shell(onDisk(instance, project), ['rev-parse', '--verify', '-q', ref])
const protect = (name: string, more: Record<string, unknown> = {}) =>
  as(maintainer).post(`/projects/${project.id}/protected_branches`, { name, ...more })

describe('a protected branch', () => {
  it('refuses the push of a developer, with the reason in the terminal', async () => {
    const before = tip('main')
    commit(folder, 'a.txt', 'a\n')
    const { code, stderr } = await git(folder, 'push', theirs, 'main')
    expect(code).not.toBe(0)
    expect(stderr).toContain(
      'remote: GitLab: You are not allowed to push code to protected branches on this project.',
    )
    expect(stderr).toContain('pre-receive hook declined')
    expect(tip('main')).toBe(before)
    expect(instance.ctx().db.many('SELECT * FROM ref_journal')).toEqual([])
    expect((await git(folder, 'push', '-q', ours, 'main')).code).toBe(0)
  })

  it('applies its levels: developers, no one, administrators', async () => {
    const cases: [number, number, number][] = [
      [30, 0, 0],
      [0, 1, 1],
      [60, 1, 1],
    ]
    for (const [level, forDeveloper, forMaintainer] of cases) {
      const name = `level-${level}`
      expect((await protect(name, { push_access_level: level })).status).toBe(201)
      expect((await git(folder, 'push', theirs, `main:${name}`)).code, name).toBe(forDeveloper)
      if (forDeveloper === 0) continue
      expect((await git(folder, 'push', ours, `main:${name}`)).code, name).toBe(forMaintainer)
    }
    const root = address(project, instance.root)
    expect((await git(folder, 'push', root, 'main:level-60')).code).toBe(0)
    expect((await git(folder, 'push', root, 'main:level-0')).code).toBe(1)
  })

  it('cannot be force-pushed, unless the protection allows it', async () => {
    await protect('work')
    shell(folder, ['commit', '-q', '--amend', '-m', 'Another history'])
    const refused = await git(folder, 'push', '--force', ours, 'main:work')
    expect(refused.stderr).toContain('not allowed to force push')
    await as(maintainer).patch(`/projects/${project.id}/protected_branches/work`, { allow_force_push: true })
    expect((await git(folder, 'push', '-q', '--force', ours, 'main:work')).code).toBe(0)
    expect(tip('work')).toBe(shell(folder, ['rev-parse', 'main']))
  })

  it('cannot be deleted by a push', async () => {
    await protect('work')
    expect((await git(folder, 'push', theirs, ':work')).stderr).toContain(
      'not allowed to delete protected branches',
    )
    expect((await git(folder, 'push', ours, ':work')).stderr).toContain(
      'only delete protected branches using',
    )
    expect((await git(folder, 'push', ours, ':main')).stderr).toContain(
      'default branch of a project cannot be deleted',
    )
    expect(tip('work')).not.toBe('')
  })

  it('refuses all other refs of the same push', async () => {
    commit(folder, 'a.txt', 'a\n')
    expect((await git(folder, 'push', theirs, 'main', 'main:other')).code).not.toBe(0)
    expect((await git(folder, 'ls-remote', theirs, 'other')).stdout).toBe('')
  })
})

describe('a group in a protection', () => {
  it('lets its members and those of parent groups push, and no others', async () => {
    const [above, inside, reporter] = [make.user(), make.user(), make.user()]
    const parent = await make.group()
    const group = await make.group({ parent_id: parent.id })
    await make.member('groups', parent.id, above, 30)
    await make.member('groups', group.id, inside, 30)
    await make.member('groups', group.id, reporter, 20)
    await as(instance.root).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 30 })
    const made = await protect('main-*', { allowed_to_push: [{ group_id: group.id }] })
    expect(made.status).toBe(201)
    const push = (user: typeof developer, name: string) =>
      git(folder, 'push', address(project, user), `main:${name}`)
    expect((await push(inside, 'main-1')).stderr).toContain('new branch')
    expect((await push(above, 'main-2')).stderr).toContain('new branch')
    expect((await push(developer, 'main-3')).stderr).toContain('not allowed to create protected branches')
    expect((await push(reporter, 'main-4')).stderr).toContain('not allowed to push code')
    expect((await push(instance.root, 'main-5')).code).toBe(0)
  })
})

describe('the first push', () => {
  const first = async (protection: number) => {
    const group = await make.group({ default_branch_protection: protection })
    const made = await make.project({ namespace_id: group.id })
    await make.member('projects', made.id, developer, 30)
    const mine = local()
    const push = () => git(mine, 'push', address(made, developer), 'main')
    const levels = async () => {
      const { body } = await as(instance.root).get(`/projects/${made.id}/protected_branches`)
      return body.map((protectedBranch: Record<string, { access_level: number }[]>) => [
        protectedBranch['push_access_levels']![0]!.access_level,
        protectedBranch['merge_access_levels']![0]!.access_level,
      ])
    }
    const { code, stderr } = await push()
    return { code, stderr, levels: await levels(), again: () => (commit(mine, 'b.txt', 'b\n'), push()) }
  }

  it('requires the Maintainer role if the default branch is protected like that', async () => {
    for (const protection of [2, 3]) {
      const { code, stderr, levels } = await first(protection)
      expect(code).toBe(1)
      expect(stderr).toContain('A default branch (e.g. main) does not yet exist')
      expect(levels).toEqual([])
    }
  })

  it('is allowed for developers if they may push, or may make only the first push', async () => {
    const open = await first(0)
    expect([open.code, open.levels, (await open.again()).code]).toEqual([0, [], 0])
    const shared = await first(1)
    expect([shared.code, shared.levels, (await shared.again()).code]).toEqual([0, [[30, 30]], 0])
    const initial = await first(4)
    expect([initial.code, initial.levels, (await initial.again()).code]).toEqual([0, [[40, 40]], 1])
  })
})

describe('a protected tag', () => {
  beforeEach(async () => {
    await as(maintainer).post(`/projects/${project.id}/protected_tags`, { name: 'v*' })
  })

  it('is created by permitted users, and cannot be moved', async () => {
    shell(folder, ['tag', 'v1'])
    shell(folder, ['tag', 'other'])
    const refused = await git(folder, 'push', theirs, 'v1', 'other')
    expect(refused.stderr).toContain(
      'remote: GitLab: You are not allowed to create this tag as it is protected.',
    )
    // The push is atomic, so the other tag is refused, too.
    expect((await git(folder, 'ls-remote', '--tags', theirs)).stdout).toBe('')
    expect((await git(folder, 'push', '-q', theirs, 'other')).code).toBe(0)
    expect((await git(folder, 'push', '-q', ours, 'v1')).code).toBe(0)
    commit(folder, 'a.txt', 'a\n')
    shell(folder, ['tag', '-f', 'v1'])
    expect((await git(folder, 'push', '--force', ours, 'v1')).stderr).toContain(
      'Protected tags cannot be updated.',
    )
  })

  it('can be deleted by maintainers through the API, and not by a push', async () => {
    shell(folder, ['tag', 'v1'])
    await git(folder, 'push', '-q', ours, 'v1')
    expect((await git(folder, 'push', theirs, ':v1')).stderr).toContain(
      'not allowed to delete protected tags',
    )
    expect((await git(folder, 'push', ours, ':v1')).stderr).toContain('only delete protected tags using')
    expect(tip('v1')).not.toBe('')
  })
})

describe('files with code owners', () => {
  const OWNERS = '# Who looks after what\n*.js @developer\n\n[Docs]\ndocs/ @maintainer\n'

  beforeEach(async () => {
    commit(folder, 'CODEOWNERS', OWNERS)
    commit(folder, 'lib/a.js', 'a\n')
    await git(folder, 'push', '-q', ours, 'main:owned')
    await protect('owned', { code_owner_approval_required: true, allow_force_push: true })
  })

  it('cannot be pushed to a branch that requires their approval', async () => {
    const before = tip('owned')
    commit(folder, 'lib/a.js', 'b\n')
    const { code, stderr } = await git(folder, 'push', ours, 'main:owned')
    expect(code).not.toBe(0)
    expect(stderr).toContain(
      'remote: GitLab: Pushes to protected branches that contain changes to files that',
    )
    expect(stderr).toContain('remote: - *.js')
    expect(stderr).not.toContain('docs/')
    expect(tip('owned')).toBe(before)
    // They cannot be deleted or moved either.
    shell(folder, ['reset', '-q', '--hard', 'HEAD~1'])
    shell(folder, ['mv', 'lib/a.js', 'a.txt'])
    shell(folder, ['commit', '-q', '-m', 'Move'])
    expect((await git(folder, 'push', ours, 'main:owned')).stderr).toContain('- *.js')
    expect((await git(folder, 'push', '-q', ours, 'main:another')).code).toBe(0)
  })

  it('do not restrict other files, or other branches of the same protection', async () => {
    commit(folder, 'README.md', 'Other\n')
    expect((await git(folder, 'push', '-q', ours, 'main:owned')).code).toBe(0)
    await as(maintainer).patch(`/projects/${project.id}/protected_branches/owned`, {
      code_owner_approval_required: false,
    })
    commit(folder, 'lib/a.js', 'b\n')
    expect((await git(folder, 'push', '-q', ours, 'main:owned')).code).toBe(0)
  })

  it('cannot be changed through the API either', async () => {
    const at = `/projects/${project.id}/repository`
    const change = (file_path: string) =>
      as(maintainer).post(`${at}/commits`, {
        branch: 'owned',
        commit_message: 'Change',
        actions: [{ action: 'create', file_path, content: 'x' }],
      })
    const refused = await change('docs/new.md')
    expect(refused.status).toBe(403)
    expect(refused.body.message).toMatch(
      /^403 Forbidden - Pushes to protected branches .* matched: - docs\/$/,
    )
    const file = await as(maintainer).put(`${at}/files/lib%2Fa.js`, {
      branch: 'owned',
      commit_message: 'Change',
      content: 'x',
    })
    expect(file.status).toBe(400)
    expect(file.body.message).toContain('submit these changes via a merge request')
    expect((await change('free.md')).status).toBe(201)
  })
})

describe('an unprotected branch', () => {
  it('can be rewritten and deleted by developers', async () => {
    const received = watchEvents(instance, 'refs.updated')
    const before = tip('work')
    shell(folder, ['commit', '-q', '--amend', '-m', 'Another history'])
    const fresh = shell(folder, ['rev-parse', 'main'])
    expect((await git(folder, 'push', theirs, 'main:work')).stderr).toContain('non-fast-forward')
    expect((await git(folder, 'push', '-q', '--force', theirs, 'main:work')).code).toBe(0)
    expect((await git(folder, 'push', '-q', theirs, ':work')).code).toBe(0)
    expect(received.map((event) => event['updates'])).toEqual([
      [{ ref: 'refs/heads/work', old: before, new: fresh }],
      [{ ref: 'refs/heads/work', old: fresh, new: null }],
    ])
    await drain()
  })

  it('is updated by only one of several concurrent pushes', async () => {
    const clones = await Promise.all([1, 2, 3, 4].map(() => clone(theirs, '--branch=work')))
    clones.forEach((clone, index) => commit(clone, `file-${index}.txt`, `${index}\n`))
    const results = await Promise.all(clones.map((clone) => git(clone, 'push', theirs, 'work')))
    expect(results.filter((result) => result.code === 0)).toHaveLength(1)
    const winner = clones[results.findIndex((result) => result.code === 0)]!
    expect(tip('work')).toBe(shell(winner, ['rev-parse', 'HEAD']))
    expect(shell(onDisk(instance, project), ['fsck', '--full', '--no-dangling'])).toBe('')
    expect(instance.ctx().db.many('SELECT * FROM ref_journal')).toEqual([])
  })
})

describe('ref names', () => {
  it('outside of branches and tags are refused', async () => {
    for (const ref of ['refs/odd/x', 'refs/heads-up', 'refs/merge-requests/1/head', 'refs/keep-around/x']) {
      const { code, stderr } = await git(folder, 'push', ours, `main:${ref}`)
      expect(code, ref).not.toBe(0)
      expect(stderr).toMatch(/Only branches, tags and notes|deny updating a hidden ref/)
    }
  })

  it('of notes can be pushed with push access, and publish no event', async () => {
    instance.jobs()
    for (const remote of [ours, theirs]) {
      const { code } = await git(folder, 'push', '--force', remote, 'main:refs/notes/releases-v1.0.0')
      expect(code).toBe(0)
    }
    expect(shell(onDisk(instance, project), ['for-each-ref', '--format=%(refname)', 'refs/notes'])).toBe(
      'refs/notes/releases-v1.0.0',
    )
    // Languages are updated after the earlier push.
    const subscribers = instance.jobs().filter((name) => name.startsWith('event:'))
    expect(subscribers.filter((name) => name !== 'event:languages.refresh')).toEqual([])
    expect(instance.ctx().db.many('SELECT * FROM ref_journal')).toEqual([])
  })

  it('that look like commit IDs or options are refused', async () => {
    const bad = [createHash('sha1').update('x').digest('hex'), '-x', 'HEAD']
    for (const name of bad) {
      const { code, stderr } = await git(folder, 'push', ours, `main:refs/heads/${name}`)
      expect(code, name).not.toBe(0)
      expect(stderr).toContain('remote: GitLab:')
    }
  })
})

describe('a read-only project', () => {
  it('refuses pushes with a message in the terminal, and can be cloned', async () => {
    await as(maintainer).post(`/projects/${project.id}/archive`)
    const { code, stderr } = await git(folder, 'push', ours, 'main:new')
    expect(code).not.toBe(0)
    expect(stderr).toContain('remote: This project is archived and cannot be changed.')
    expect(await clone(theirs)).toBeTruthy()
    await as(maintainer).post(`/projects/${project.id}/unarchive`)
    instance.ctx().db.exec('UPDATE projects SET repository_read_only = 1 WHERE id = ?', project.id)
    expect((await git(folder, 'push', ours, 'main:new')).stderr).toContain('temporarily read-only')
  })
})

describe('limits', () => {
  it('apply to the size of a push', async () => {
    await as(instance.root).put('/application/settings', { receive_max_input_size: 1 })
    commit(folder, 'big.bin', randomBytes(2 * 1024 * 1024))
    const { code, stderr } = await git(folder, 'push', ours, 'main')
    await as(instance.root).put('/application/settings', { receive_max_input_size: null })
    expect(code).not.toBe(0)
    expect(stderr).toContain('exceeds maximum allowed size')
    expect((await git(folder, 'push', '-q', ours, 'main')).code).toBe(0)
  })
})

describe('requests', () => {
  const basic = () => ({
    authorization: `Basic ${Buffer.from(`x:${maintainer.token}`).toString('base64')}`,
  })
  const post = async (body: Buffer, headers: Record<string, string>) => {
    const url = `${instance.url}/${project.path_with_namespace}.git/git-upload-pack`
    const type = { 'content-type': 'application/x-git-upload-pack-request' }
    const answer = await fetch(url, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { ...basic(), ...type, ...headers },
    })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  const lsRefs = Buffer.from('0014command=ls-refs\n00010000')

  it('can be compressed', async () => {
    const version = { 'git-protocol': 'version=2' }
    const plain = await post(lsRefs, version)
    expect(plain.status).toBe(200)
    expect(plain.text).toContain('refs/heads/main')
    expect(plain.headers.get('content-type')).toBe('application/x-git-upload-pack-result')
    expect(plain.headers.get('cache-control')).toContain('no-cache')
    for (const encoding of ['gzip', 'x-gzip']) {
      const packed = await post(gzipSync(lsRefs), { ...version, 'content-encoding': encoding })
      expect(packed.text).toBe(plain.text)
    }
  })

  it('for a check of the credentials get a response without git', async () => {
    const send = (body: string, headers: Record<string, string>) =>
      fetch(`${instance.url}/${project.path_with_namespace}.git/git-receive-pack`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-git-receive-pack-request', ...headers },
      })
    const accepted = await send('0000', basic())
    expect([accepted.status, await accepted.text()]).toEqual([200, ''])
    expect(accepted.headers.get('content-type')).toBe('application/x-git-receive-pack-result')
    expect((await send('0000', {})).status).toBe(401)
    expect((await send('ffff', basic())).status).toBe(400)
  })

  it('that are invalid get a clear error, and their processes end', async () => {
    expect((await post(Buffer.from('nonsense'), {})).status).toBe(400)
    expect((await post(Buffer.from('nonsense'), { 'content-encoding': 'gzip' })).status).toBe(400)
    expect((await post(lsRefs, { 'content-encoding': 'br' })).status).toBe(415)
    expect((await post(lsRefs, { 'content-type': 'text/plain' })).status).toBe(415)
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
    expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBeGreaterThanOrEqual(400)
    expect((await post(lsRefs, { 'git-protocol': 'version=2' })).status).toBe(200)
  })

  it('of the dumb protocol and for unknown services are refused with a message', async () => {
    const at = `!/${project.path_with_namespace}.git`
    for (const rest of ['info/refs', 'HEAD', 'objects/info/packs', 'info/refs?service=git-evil', 'config']) {
      const { status, text } = await as(null).get(`${at}/${rest}`)
      expect(status, rest).toBe(403)
      expect(text).toContain('smart protocol')
    }
    expect((await as(null).post(`${at}/git-upload-archive`)).status).toBe(404)
  })

  it('with hostile paths are refused', async () => {
    const raw = (target: string) =>
      new Promise<string>((resolve) => {
        const { hostname, port } = new URL(instance.url)
        const socket = connect(Number(port), hostname)
        let answer = ''
        socket.on('data', (chunk) => (answer += chunk.toString()))
        socket.on('close', () => resolve(answer))
        const credentials = basic().authorization
        socket.write(
          `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${credentials}\r\nConnection: close\r\n\r\n`,
        )
      })
    const service = 'info/refs?service=git-upload-pack'
    const name = project.path_with_namespace
    const paths = [
      `/../${name}.git`,
      `/%2e%2e/%2e%2e/etc.git`,
      `/${name}/../${name}.git`,
      `/${name}%00.git`,
      `/--upload-pack=x.git`,
      `/${project.id}.git`,
      `/${name}.git/../${name}.git`,
      `/%zz.git`,
      `/@hashed/aa/bb.git`,
      `//example.test/x`,
      `//example.test/x.git`,
    ]
    for (const path of paths) expect(await raw(`${path}/${service}`), path).toMatch(/^HTTP\/1.1 40[0134] /)
    expect(await raw(`/${name}.git/${service}`)).toMatch(/^HTTP\/1.1 200 /)
  })

  it('for a missing or damaged repository get an error, and do not affect others', async () => {
    const { gitDir } = onDisk(instance, project)
    const object = shell(gitDir, ['rev-parse', 'main'])
    writeFileSync(path.join(gitDir, 'HEAD'), 'nonsense')
    expect((await git(tempDir(), 'ls-remote', theirs)).code).not.toBe(0)
    rmSync(gitDir, { recursive: true })
    const { stderr } = await git(tempDir(), 'ls-remote', theirs)
    expect(stderr).toContain('is not on disk')
    expect((await git(folder, 'push', ours, 'main:x')).code).not.toBe(0)
    expect((await as(developer).get(`/projects/${project.id}/repository/commits/${object}`)).status).toBe(404)
    expect((await as(developer).get('/user')).status).toBe(200)
  })
})
