import { createHash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

import { beforeEach, describe, expect, it } from 'vitest'

import { hear, onDisk } from '../api/repository/fill.ts'
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
  it('takes no push of a developer, who reads why at the prompt', async () => {
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

  it('keeps to its levels: developers, no one, administrators', async () => {
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

  it('is not rewritten, unless that is allowed', async () => {
    await protect('work')
    shell(folder, ['commit', '-q', '--amend', '-m', 'Another history'])
    const refused = await git(folder, 'push', '--force', ours, 'main:work')
    expect(refused.stderr).toContain('not allowed to force push')
    await as(maintainer).patch(`/projects/${project.id}/protected_branches/work`, { allow_force_push: true })
    expect((await git(folder, 'push', '-q', '--force', ours, 'main:work')).code).toBe(0)
    expect(tip('work')).toBe(shell(folder, ['rev-parse', 'main']))
  })

  it('is not deleted at a prompt', async () => {
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

  it('refuses everything that was pushed together with it', async () => {
    commit(folder, 'a.txt', 'a\n')
    expect((await git(folder, 'push', theirs, 'main', 'main:other')).code).not.toBe(0)
    expect((await git(folder, 'ls-remote', theirs, 'other')).stdout).toBe('')
  })
})

describe('an ordinary branch', () => {
  it('can be rewritten and deleted by developers', async () => {
    const heard = hear(instance, 'refs.updated')
    const before = tip('work')
    shell(folder, ['commit', '-q', '--amend', '-m', 'Another history'])
    const fresh = shell(folder, ['rev-parse', 'main'])
    expect((await git(folder, 'push', theirs, 'main:work')).stderr).toContain('non-fast-forward')
    expect((await git(folder, 'push', '-q', '--force', theirs, 'main:work')).code).toBe(0)
    expect((await git(folder, 'push', '-q', theirs, ':work')).code).toBe(0)
    expect(heard.map((fact) => fact['updates'])).toEqual([
      [{ ref: 'refs/heads/work', old: before, new: fresh }],
      [{ ref: 'refs/heads/work', old: fresh, new: null }],
    ])
    await drain()
  })

  it('has one winner when several push to it at once', async () => {
    const clones = await Promise.all([1, 2, 3, 4].map(() => clone(theirs, '--branch=work')))
    clones.forEach((one, index) => commit(one, `file-${index}.txt`, `${index}\n`))
    const results = await Promise.all(clones.map((one) => git(one, 'push', theirs, 'work')))
    expect(results.filter((one) => one.code === 0)).toHaveLength(1)
    const winner = clones[results.findIndex((one) => one.code === 0)]!
    expect(tip('work')).toBe(shell(winner, ['rev-parse', 'HEAD']))
    expect(shell(onDisk(instance, project), ['fsck', '--full', '--no-dangling'])).toBe('')
    expect(instance.ctx().db.many('SELECT * FROM ref_journal')).toEqual([])
  })
})

describe('names', () => {
  it('outside of branches and tags are not written by users', async () => {
    for (const ref of ['refs/notes/x', 'refs/heads-up', 'refs/merge-requests/1/head', 'refs/keep-around/x']) {
      const { code, stderr } = await git(folder, 'push', ours, `main:${ref}`)
      expect(code, ref).not.toBe(0)
      expect(stderr).toMatch(/Only branches and tags|deny updating a hidden ref/)
    }
  })

  it('that look like commits or options are refused', async () => {
    const bad = [createHash('sha1').update('x').digest('hex'), '-x', 'HEAD']
    for (const name of bad) {
      const { code, stderr } = await git(folder, 'push', ours, `main:refs/heads/${name}`)
      expect(code, name).not.toBe(0)
      expect(stderr).toContain('remote: GitLab:')
    }
  })
})

describe('a project that takes no writes', () => {
  it('says so at the prompt and can still be cloned', async () => {
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
  it('hold for the size of a push', async () => {
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

  it('are unpacked', async () => {
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

  it('that only try the credentials are answered without asking git', async () => {
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

  it('that are broken get a clear answer and end their processes', async () => {
    expect((await post(Buffer.from('nonsense'), {})).status).toBe(400)
    expect((await post(Buffer.from('nonsense'), { 'content-encoding': 'gzip' })).status).toBe(400)
    expect((await post(lsRefs, { 'content-encoding': 'br' })).status).toBe(415)
    expect((await post(lsRefs, { 'content-type': 'text/plain' })).status).toBe(415)
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
    expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBeGreaterThanOrEqual(400)
    expect((await post(lsRefs, { 'git-protocol': 'version=2' })).status).toBe(200)
  })

  it('of the dumb protocol and of unknown services are refused with a sentence', async () => {
    const at = `!/${project.path_with_namespace}.git`
    for (const rest of ['info/refs', 'HEAD', 'objects/info/packs', 'info/refs?service=git-evil', 'config']) {
      const { status, text } = await as(null).get(`${at}/${rest}`)
      expect(status, rest).toBe(403)
      expect(text).toContain('smart protocol')
    }
    expect((await as(null).post(`${at}/git-upload-archive`)).status).toBe(404)
  })

  it('with hostile addresses lead nowhere', async () => {
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
    ]
    for (const one of paths) expect(await raw(`${one}/${service}`), one).toMatch(/^HTTP\/1.1 40[0134] /)
    expect(await raw(`/${name}.git/${service}`)).toMatch(/^HTTP\/1.1 200 /)
  })

  it('for a repository that is gone or damaged get an error, and everything else goes on', async () => {
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
