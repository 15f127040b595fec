import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { fill, watchEvents } from '../api/repository/fill.ts'
import { commit, local } from '../git-http/remote.ts'
import { shell, tempDir } from '../support/git.ts'
import { world } from '../support/world.ts'
import { gitWith, hasSsh, keyFile, ssh, type KeyFile } from './client.ts'

describe.runIf(hasSsh)('git over SSH', async () => {
  const instance = await world({ sshPort: 0 })
  const { as, make, root } = instance
  const owner = make.user({ username: 'owner' })
  const developer = make.user({ username: 'developer' })
  const guest = make.user({ username: 'guest' })
  const keys = {
    owner: keyFile(),
    developer: keyFile(),
    guest: keyFile(),
    deploy: keyFile(),
    stranger: keyFile(),
  }
  for (const user of [owner, developer, guest]) {
    const { line } = keys[user.username as 'owner']
    await as(user).post('/user/keys', { title: 'Laptop', key: line })
  }
  const port = instance.ctx().config.sshPort!

  async function project(params: Record<string, unknown> = {}) {
    const made = await make.project({ owner, ...params })
    await make.member('projects', made.id, developer, 30)
    await make.member('projects', made.id, guest, 10)
    return made
  }
  const filled = await project()
  const [first] = fill(instance, filled, [{ files: { a: '1' } }])

  async function clone(key: KeyFile, url: string, ...options: string[]): Promise<string> {
    const folder = join(tempDir(), 'clone')
    const { code, stderr } = await gitWith(key, tempDir(), 'clone', '-q', ...options, url, folder)
    if (code !== 0) throw new Error(stderr)
    return folder
  }
  const lsRemote = (key: KeyFile | undefined, url: string) => gitWith(key, tempDir(), 'ls-remote', url)
  const deployKeys = `/projects/${filled.id}/deploy_keys`

  it('has its port in the address of projects', () => {
    expect(filled.ssh_url_to_repo).toBe(`ssh://git@127.0.0.1:${port}/owner/${filled.path}.git`)
  })

  it('stores host keys that only the owner of the process can read', () => {
    const folder = join(instance.dataDir, 'ssh')
    for (const name of ['ssh_host_ed25519_key', 'ssh_host_rsa_key']) {
      expect(readFileSync(join(folder, name), 'utf8')).toContain('PRIVATE KEY')
      expect(statSync(join(folder, name)).mode & 0o77).toBe(0)
    }
  })

  it('accepts a push and publishes the same event as over HTTP', async () => {
    const made = await project()
    const received = watchEvents(instance, 'refs.updated')
    const folder = local()
    const tip = shell(folder, ['rev-parse', 'HEAD'])
    const { code, stderr } = await gitWith(keys.owner, folder, 'push', made.ssh_url_to_repo, 'main')
    expect([code, stderr]).toEqual([0, expect.stringContaining('main -> main')])
    expect(received).toEqual([
      expect.objectContaining({
        project_id: made.id,
        actor_id: owner.id,
        source: 'push',
        updates: [{ ref: 'refs/heads/main', old: null, new: tip }],
      }),
    ])
    expect((await as(owner).get(`/projects/${made.id}`)).body.empty_repo).toBe(false)
    expect(instance.ctx().db.many('SELECT * FROM ref_journal')).toEqual([])
    // A push without changes publishes no event.
    expect((await gitWith(keys.owner, folder, 'push', made.ssh_url_to_repo, 'main')).stderr).toContain(
      'up-to-date',
    )
  })

  it('serves shallow and complete clones in every protocol version', async () => {
    for (const version of ['0', '1', '2']) {
      const cloned = await clone(keys.developer, filled.ssh_url_to_repo, '-c', `protocol.version=${version}`)
      expect(shell(cloned, ['rev-parse', 'HEAD'])).toBe(first)
    }
    expect(existsSync(join(await clone(keys.developer, filled.ssh_url_to_repo, '--depth=1'), 'a'))).toBe(true)
    const short = `ssh://git@127.0.0.1:${port}/owner/${filled.path}`
    expect((await lsRemote(keys.developer, short)).stdout).toContain(first!)
  })

  it('serves archives', async () => {
    const remote = `--remote=${filled.ssh_url_to_repo}`
    const { code, stdout } = await gitWith(
      keys.developer,
      tempDir(),
      'archive',
      remote,
      '--prefix=x/',
      'main',
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining('x/a')])
    const unknown = await gitWith(keys.developer, tempDir(), 'archive', remote, 'nope')
    expect(unknown.code).not.toBe(0)
    expect((await gitWith(keys.guest, tempDir(), 'archive', remote, 'main')).stderr).toContain('not allowed')
  })

  it('serves large pushes and fetches', async () => {
    const made = await project()
    const folder = local()
    commit(folder, 'large', Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 7919) % 251)))
    const { code } = await gitWith(keys.owner, folder, 'push', made.ssh_url_to_repo, 'main')
    expect(code).toBe(0)
    const cloned = await clone(keys.owner, made.ssh_url_to_repo)
    expect(statSync(join(cloned, 'large')).size).toBe(3_000_000)
  })

  it('applies the push rules of protected branches, roles and archived projects', async () => {
    const made = await project()
    const folder = local()
    await gitWith(keys.owner, folder, 'push', made.ssh_url_to_repo, 'main')
    commit(folder, 'b', '2')
    const push = async (key: KeyFile, ...args: string[]) => {
      const { code, stderr } = await gitWith(key, folder, 'push', made.ssh_url_to_repo, ...args)
      return [code === 0, stderr]
    }
    expect(await push(keys.developer, 'main')).toEqual([
      false,
      expect.stringContaining('You are not allowed to push code to protected branches'),
    ])
    expect(await push(keys.developer, 'main:feature')).toEqual([
      true,
      expect.stringContaining('main -> feature'),
    ])
    expect(await push(keys.guest, 'main:other')).toEqual([false, expect.stringContaining('not allowed')])
    await as(owner).post(`/projects/${made.id}/archive`)
    expect(await push(keys.owner, 'main:other')).toEqual([false, expect.stringContaining('archived')])
  })

  it('serves only users with read access', async () => {
    const code = async (key: KeyFile | undefined, url = filled.ssh_url_to_repo) =>
      (await lsRemote(key, url)).code
    expect(await code(keys.developer)).toBe(0)
    expect((await lsRemote(keys.guest, filled.ssh_url_to_repo)).stderr).toContain('not allowed to download')
    expect((await lsRemote(keys.stranger, filled.ssh_url_to_repo)).stderr).toContain(
      'Permission denied (publickey)',
    )
    expect(await code(undefined)).toBe(128)
    const hidden = await make.project({ owner: root })
    const nowhere = await lsRemote(keys.owner, `ssh://git@127.0.0.1:${port}/no/such.git`)
    const unseen = await lsRemote(keys.owner, hidden.ssh_url_to_repo)
    expect(nowhere.stderr).toContain('could not be found')
    expect(unseen.stderr).toBe(nowhere.stderr)
    const open = await make.project({ owner: root, visibility: 'public' })
    expect(await code(keys.guest, open.ssh_url_to_repo)).toBe(0)
    const other = filled.ssh_url_to_repo.replace('git@', 'owner@')
    expect(await code(keys.owner, other)).toBe(128)
  })

  it('rejects signing keys, expired keys and blocked users', async () => {
    const mallory = make.user({ username: 'mallory' })
    const [signing, ended] = [keyFile(), keyFile()]
    await as(mallory).post('/user/keys', { title: 'Signs', key: signing.line, usage_type: 'signing' })
    const { id } = (await as(mallory).post('/user/keys', { title: 'Ends', key: ended.line })).body
    expect((await ssh(signing, port, 'git@127.0.0.1')).code).toBe(255)
    expect((await ssh(ended, port, 'git@127.0.0.1')).code).toBe(0)
    await as(root).post(`/users/${mallory.id}/block`)
    expect((await ssh(ended, port, 'git@127.0.0.1', "git-upload-pack 'a/b.git'")).stderr).toContain('blocked')
    instance.ctx().db.exec("UPDATE users SET state = 'active' WHERE id = ?", mallory.id)
    instance.ctx().db.exec("UPDATE ssh_keys SET expires_at = '2020-01-01T00:00:00.000Z' WHERE id = ?", id)
    expect((await ssh(ended, port, 'git@127.0.0.1')).code).toBe(255)
  })

  it('accepts keys of every type', async () => {
    const kinds = [
      ['-t', 'rsa', '-b', '2048'],
      ['-t', 'ecdsa', '-b', '256'],
      ['-t', 'ecdsa', '-b', '384'],
      ['-t', 'ecdsa', '-b', '521'],
    ]
    for (const options of kinds) {
      const key = keyFile(...options)
      expect((await as(owner).post('/user/keys', { title: 'Key', key: key.line })).status).toBe(201)
      expect([options, (await lsRemote(key, filled.ssh_url_to_repo)).code]).toEqual([options, 0])
    }
  })

  it('lets deploy keys read, and write with permission', async () => {
    const { id } = (await as(owner).post(deployKeys, { title: 'Robot', key: keys.deploy.line })).body
    const cloned = await clone(keys.deploy, filled.ssh_url_to_repo)
    commit(cloned, 'by-robot', 'x')
    const push = (target: string) =>
      gitWith(keys.deploy, cloned, 'push', filled.ssh_url_to_repo, `HEAD:refs/heads/${target}`)
    expect((await push('robot')).stderr).toContain('not allowed to push')
    await as(owner).put(`${deployKeys}/${id}`, { can_push: true })
    const received = watchEvents(instance, 'refs.updated')
    const pushed = await push('robot')
    expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining('robot')])
    expect(received).toEqual([expect.objectContaining({ project_id: filled.id, actor_id: owner.id })])
    await as(owner).post(`/projects/${filled.id}/protected_branches`, { name: 'closed' })
    expect((await push('closed')).stderr).toContain('not allowed to create protected branches')
    const allowed_to_push = [{ deploy_key_id: id }]
    await as(owner).post(`/projects/${filled.id}/protected_branches`, { name: 'robots', allowed_to_push })
    expect((await push('robots')).code).toBe(0)
    const other = await project()
    expect((await lsRemote(keys.deploy, other.ssh_url_to_repo)).stderr).toContain('could not be found')
    const open = await make.project({ owner, visibility: 'public' })
    expect((await lsRemote(keys.deploy, open.ssh_url_to_repo)).code).toBe(0)
    await as(owner).delete(`${deployKeys}/${id}`)
    expect((await lsRemote(keys.deploy, filled.ssh_url_to_repo)).stderr).toContain('Permission denied')
  })

  it('can be disabled', async () => {
    const set = (value: string | null) =>
      as(root).put('/application/settings', { enabled_git_access_protocol: value })
    await set('http')
    expect((await lsRemote(keys.owner, filled.ssh_url_to_repo)).stderr).toContain(
      'Git access over SSH is not allowed',
    )
    await set(null)
    expect((await lsRemote(keys.owner, filled.ssh_url_to_repo)).code).toBe(0)
  })

  it('greets the user, and runs no other commands', async () => {
    const at = 'git@127.0.0.1'
    const greeted = await ssh(keys.owner, port, at)
    expect([greeted.code, greeted.stderr]).toEqual([
      0,
      expect.stringContaining('Welcome to Deskforge, @owner!'),
    ])
    for (const command of [
      'sh',
      'ls /',
      'git-upload-pack',
      "git-upload-pack 'a' 'b'",
      "git-upload-pack 'a'; id",
      'git-lfs-authenticate x download',
      'git-upload-pack $(id)',
      'scp -t /',
    ]) {
      const { code, stdout, stderr } = await ssh(keys.owner, port, at, command)
      expect([command, code, stdout, stderr]).toEqual([command, 1, '', expect.stringContaining('ERROR: ')])
    }
    const odd = await ssh(keys.owner, port, at, "git-upload-pack '../../../etc'")
    expect([odd.code, odd.stderr]).toEqual([1, expect.stringContaining('could not be found')])
    const forward = await ssh(keys.owner, port, '-W', '127.0.0.1:22', at)
    expect([forward.code, forward.stdout]).toEqual([255, ''])
    expect(
      (await ssh(keys.owner, port, '-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:22', at)).code,
    ).not.toBe(0)
    expect((await ssh(keys.owner, port, '-s', at, 'sftp')).code).not.toBe(0)
    expect((await ssh(keys.owner, port, '-o', 'SendEnv=SECRET', at)).code).toBe(0)
  })
})
